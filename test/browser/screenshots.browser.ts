/**
 * The pictures of the console in the docs, made anew on request: `SCREENSHOTS=docs/images npm run test:browser -- screenshots`.
 * Their data is that of `npm run demo`, and some visits.
 */
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { asAdministrator, defineKinds } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { ok } from '../support/definitions.js';
import { startTestService, type TestProject } from '../support/service.js';
import { DEMO_MODEL } from '../support/shown-kinds.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = process.env['SCREENSHOTS'];
/** Cities with at least so many inhabitants. */
const LARGE = 100_000;

interface City {
  readonly name: string;
  readonly country: string;
  readonly population: number;
  readonly is_capital: boolean;
}
interface Demo {
  readonly countryRows: () => readonly { readonly code: string; readonly region: string }[];
  readonly cityRows: () => readonly City[];
}

/** Numbers that look random, and are the same each time. */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const MINUTE_MS = 60_000;
/** Minutes before now at which the service was started. */
const SINCE = 59;

/** A service that is an hour old by the time of its requests, which are real. */
async function startBefore(): Promise<TestProject> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - SINCE * MINUTE_MS });
  return (await startTestService()).project('atlas');
}

/** Uses the project more and more, minute by minute, up to now. */
async function useForAnHour(project: TestProject): Promise<void> {
  const random = randomNumbers();
  const paths = [
    '/city/unit?order=population;desc&limit=20',
    '/country/unit',
    '/visit/unit?filter=gt(rating,3)&limit=50',
  ];
  let caller = project;
  for (let minute = 0; minute < SINCE; minute += 1) {
    vi.setSystemTime(Date.now() + MINUTE_MS);
    // Before the token ends.
    if (minute % 10 === 0) caller = await asAdministrator(project);
    for (let left = 4 + Math.round(minute / 8 + random() * 3); left > 0; left -= 1) {
      const refused = random() < 0.3 ? ['/city/unit?filter=gt(nothing,1)'] : [];
      await Promise.all([...paths, ...paths, ...paths, ...refused].map((path) => caller.get(path)));
    }
  }
  vi.useRealTimers();
}

async function fill(project: TestProject): Promise<void> {
  const demo = (await import(join(ROOT, 'scripts/demo/data.mjs'))) as Demo;
  const random = randomNumbers();
  await ok(project.post('/model/apply', DEMO_MODEL));
  await defineKinds(project, {
    id: 'traveller',
    label: 'Traveller',
    parameters: [
      { id: 'name', label: 'Name', kind_id: 'string', indexed: true },
      { id: 'home', label: 'Home', kind_id: 'unit', reference_kind: 'country' },
    ],
  });
  await defineKinds(project, {
    id: 'visit',
    label: 'Visit',
    parameters: [
      { id: 'title', label: 'Title', kind_id: 'string' },
      { id: 'traveller', label: 'Traveller', kind_id: 'unit', reference_kind: 'traveller', on_delete: 'cascade' },
      { id: 'city', label: 'City', kind_id: 'unit', reference_kind: 'city' },
      { id: 'day', label: 'Day', kind_id: 'date', indexed: true },
      { id: 'purpose', label: 'Purpose', kind_id: 'string', values: ['Work', 'Family', 'Holidays'] },
      { id: 'rating', label: 'Rating', kind_id: 'integer', min_value: 1, max_value: 5 },
    ],
  });
  await ok(project.post('/link/unit', { id: 'company', label: 'Travels with' }));
  await ok(project.post('/link/unit', { id: 'guide', label: 'Guide in' }));
  await ok(project.post('/group/unit', { id: 'places', label: 'Places', kind_list: ['country', 'city'] }));
  const countries = demo.countryRows();
  const known = new Set(countries.map(({ code }) => code));
  const cities = demo.cityRows().filter(({ population, country }) => population >= LARGE && known.has(country));
  await ok(project.post('/country/unit', countries));
  const ids: string[] = [];
  for (let at = 0; at < cities.length; at += 1000) {
    const { items } = (await ok(project.post('/city/unit', cities.slice(at, at + 1000)))) as {
      items: { id: string }[];
    };
    ids.push(...items.map(({ id }) => id));
  }
  const names = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Margaret', 'Tony', 'Radia', 'Leslie'];
  const homes = ['GB', 'US', 'GB', 'NL', 'US', 'US', 'US', 'GB', 'US', 'FR'];
  const { items: travellers } = (await ok(
    project.post(
      '/traveller/unit',
      names.map((name, at) => ({ name, home: homes[at] })),
    ),
  )) as { items: { id: string }[] };
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const visits = Array.from({ length: 600 }, () => {
    // More in summer.
    const month = Math.min(12, Math.max(1, Math.round(4 + random() * 4 + random() * 3)));
    const [traveller, city] = [Math.floor(random() * names.length), Math.floor(random() * ids.length)];
    return {
      title: `${names[traveller]} in ${cities[city]?.name}`,
      traveller: travellers[traveller]?.id,
      city: ids[city],
      day: `2026-${String(month).padStart(2, '0')}-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`,
      purpose: pick(['Work', 'Family', 'Holidays', 'Holidays']),
      rating: 1 + Math.ceil(random() * 4),
    };
  });
  await ok(project.post('/visit/unit', visits));
  const company = [
    [0, 1],
    [0, 2],
    [1, 6],
    [2, 3],
    [2, 5],
    [6, 4],
    [7, 0],
  ] as const;
  for (const [one, other] of company) {
    const [from, to] = [travellers[one], travellers[other]];
    await ok(project.post(`/traveller/unit/${from?.id}/link/company/traveller/unit/${to?.id}`));
  }
  const largest = cities
    .map(({ population }, at) => ({ population, id: ids[at] }))
    .toSorted((a, b) => b.population - a.population);
  for (const [at, { id }] of largest.slice(0, 4).entries()) {
    await ok(project.post(`/traveller/unit/${travellers[at % 3]?.id}/link/guide/city/unit/${id}`));
  }
}

describe.runIf(FOLDER !== undefined)('the pictures of the docs', async () => {
  if (FOLDER === undefined) return;
  const begun = await startBefore();
  await fill(begun);
  await useForAnHour(begun);
  const project = await asAdministrator(begun);
  const opened = await ConsolePage.signedIn(await startChromium(), project);
  const { page } = opened;
  await page.setViewportSize({ width: 1200, height: 720 });
  const shown = (name: string) => opened.screenshot(name, resolve(ROOT, FOLDER));

  it('the grid', async () => {
    await page.goto(opened.url('#/data/city?order=population;desc&filter=gt(population,1000000)'));
    await page.getByRole('gridcell', { name: 'China' }).first().waitFor();
    await page.getByRole('button', { name: 'Conditions' }).click();
    await page.getByRole('combobox', { name: 'Comparison' }).waitFor();
    await shown('grid');
  });

  it('the diagram of the model', async () => {
    await page.goto(opened.url('#/model?view=diagram'));
    await page.locator('.graph-box').nth(3).waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.mouse.move(0, 0);
    await shown('model');
  });

  it('the access', async () => {
    const access = { read: 'anyone', create: 'member', update: 'admin', delete: 'admin' };
    await ok(project.put('/kind/unit/traveller', { access: { ...access, read: 'member' } }));
    await ok(
      project.put('/kind/unit/visit', { access: { ...access, read: ['eq(purpose,Holidays)', 'gt(rating,3)'] } }),
    );
    await page.goto(opened.url('#/access'));
    await page.getByRole('link', { name: /^Visit, Read: / }).waitFor();
    await shown('access');
  });

  it('links as a graph', async () => {
    const { items } = (await project.get('/traveller/unit?filter=eq(name,Ada)')).body.content as {
      items: { id: string }[];
    };
    await page.goto(opened.url(`#/links/traveller/${items[0]?.id}?steps=2`));
    await page.locator('.graph-box', { hasText: 'Margaret' }).waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.mouse.move(0, 0);
    await shown('links');
  });

  it('charts', async () => {
    await page.goto(opened.url('#/charts/city?as=map&measure=sum&of=population&cell=5'));
    await page.locator('.chart-map circle').nth(50).waitFor();
    await shown('map');
    await page.goto(opened.url('#/charts/visit?by=day&step=month&split=purpose'));
    await page.locator('.recharts-bar-rectangle').first().waitFor();
    await shown('chart');
  });

  it('the overview', async () => {
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.goto(opened.url('#/'));
    await page.getByRole('region', { name: 'Changed lately' }).getByRole('row').nth(5).waitFor();
    await page.getByRole('region', { name: 'Requests of the last hour' }).getByRole('img').first().waitFor();
    await shown('overview');
    expect(opened.complaints).toEqual([]);
  });
});
