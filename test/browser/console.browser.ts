/** The console, used as a person would. */
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { ADMIN, startTestService } from '../support/service.js';

// Each does what a person takes a minute for, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await withMembers(await service.project());
await ok(
  project.post('/kind/unit', {
    id: 'country',
    label: 'Country',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'title', kind_id: 'string', required: true },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'city',
    label: 'City',
    parameters: [
      { id: 'name', label: 'Name', kind_id: 'string', required: true, max_length: 40, unique: true, indexed: true },
      { id: 'population', label: 'Population', kind_id: 'integer' },
      { id: 'country', label: 'Country', kind_id: 'unit', reference_kind: 'country' },
      { id: 'tags', label: 'Tags', kind_id: 'string', multiple: true },
      { id: 'state', label: 'State', kind_id: 'string', values: ['draft', 'open'], default_string: 'draft' },
      { id: 'info', label: 'Info', kind_id: 'json' },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'evil',
    label: EVIL,
    parameters: [{ id: 'evil', kind_id: 'string', label: EVIL, helper_text: EVIL }],
  }),
);
await ok(project.post('/evil/unit', { evil: EVIL }));
await ok(
  project.post('/country/unit', [
    { code: 'it', title: 'Italy' },
    { code: 'fr', title: 'France' },
  ]),
);
const cities = Array.from({ length: 450 }, (_, at) => ({
  name: `City ${String(at).padStart(3, '0')}`,
  population: at,
  country: 'it',
}));
await ok(project.post('/city/unit', cities));
await signUp(project, 'ann');
const browser = await startChromium();

interface Scrolled {
  readonly scrollHeight: number;
  scrollTo(x: number, y: number): void;
}

let opened: ConsolePage;
let context: BrowserContext;
let page: Page;
let complaints: string[];

const url = (hash = '') => opened.url(hash);
const unitsUrl = (kind: string, query = '') => url(`#/data/${kind}${query}`);
const shown = (name: string) => opened.screenshot(name);
const accessibilityFaults = () => opened.accessibilityFaults();

beforeAll(async () => {
  opened = await ConsolePage.open(browser, project);
  ({ context, page, complaints } = opened);
  await page.goto(url());
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await accessibilityFaults()).toEqual([]);
  await opened.signIn(ADMIN.username, 'wrong password');
  await page.getByText('No member has that name and password').waitFor();
  await opened.signIn(ADMIN.username, ADMIN.password);
  await page.getByRole('navigation').getByRole('link', { name: 'City' }).waitFor();
  // The sign-in that was refused, and nothing before it.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
});
beforeEach(() => void complaints.splice(0));

it('fills in the project of the printed address, and takes it out of the address', async () => {
  const { page: first, complaints: none } = await ConsolePage.open(browser, project);
  await first.goto(`${url()}?project=${project.id}`);
  await first.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await first.getByLabel('Project key').inputValue()).toBe(project.id);
  expect(first.url()).toBe(url());
  await first.reload();
  expect(await first.getByLabel('Project key').inputValue()).toBe(project.id);
  // Where nobody has signed in, no session is asked for.
  expect(none).toEqual([]);
});

it('takes no project from the address that no browser can send', async () => {
  const { page: first } = await ConsolePage.open(browser, project);
  for (const key of ['%E2%82%AC', 'a%0Ab', '%00', 'a'.repeat(10_000)]) {
    await first.goto(`${url()}?project=${key}`);
    await first.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await first.getByLabel('Project key').inputValue()).toBe('');
    expect(first.url()).toBe(url());
  }
});

describe('the grid', () => {
  it('shows the units of a kind, with the names of those that they refer to, and more as it is scrolled', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'City' }).click();
    await page.getByText('450 units').waitFor();
    await page.getByRole('gridcell', { name: 'City 000' }).waitFor();
    await page.getByRole('gridcell', { name: 'Italy' }).first().waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('451');
    await shown('grid');
    const rendered = await page.getByRole('row').count();
    expect(rendered).toBeLessThan(80);
    const scrolled = async () => {
      await page.getByRole('grid').evaluate((grid: Scrolled) => grid.scrollTo(0, grid.scrollHeight));
      return page.getByRole('gridcell', { name: 'City 449' }).count();
    };
    await expect.poll(scrolled, { timeout: 15_000, interval: 100 }).toBe(1);
    expect(await accessibilityFaults()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('sorts by a column, and keeps what is asked in the address', async () => {
    await page.goto(unitsUrl('city'));
    await page.getByRole('button', { name: 'Population' }).click();
    await page.getByRole('button', { name: 'Population' }).click();
    await page.getByRole('gridcell', { name: 'City 449' }).waitFor();
    expect(page.url()).toContain('order=population%3Bdesc');
    expect(await page.getByRole('columnheader', { name: 'Population' }).getAttribute('aria-sort')).toBe('descending');
    await page.reload();
    await page.getByRole('gridcell', { name: 'City 449' }).waitFor();
  });

  it('filters, and says what is wrong with a filter', async () => {
    await page.goto(unitsUrl('city'));
    await page.getByLabel('Filter').fill('gt(population,447)');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 units').waitFor();
    await page.getByLabel('Filter').fill('gt(population');
    await page.getByRole('button', { name: 'Apply' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain("expected ',' at character 14");
    // The same filter would be refused again.
    expect(await alert.getByRole('button').count()).toBe(0);
    await page.getByLabel('Filter').fill('eq(name,nothing)');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No unit matches.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('450 units').waitFor();
  });

  it('is used with the keyboard', async () => {
    await page.goto(unitsUrl('city'));
    await page.getByRole('gridcell', { name: 'City 000' }).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('2');
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'City 002' }).waitFor();
  });

  it('selects all units that are loaded, and none, by one box', async () => {
    await page.goto(unitsUrl('city'));
    // Others have loaded more.
    await page.reload();
    await page.getByRole('gridcell', { name: 'City 000' }).click();
    await page
      .getByRole('row', { name: /City 001/ })
      .getByRole('checkbox')
      .check();
    const all = page.getByRole('checkbox', { name: 'Select all that are loaded' });
    await page.locator('[role=columnheader] input:indeterminate').waitFor();
    await all.check();
    await page.getByText('100 selected').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Space');
    await page.getByText('None selected').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
  });

  it('says that there is no such kind', async () => {
    await page.goto(unitsUrl('nothing'));
    await page.getByText('There is no kind “nothing”, or you may not read it.').waitFor();
  });

  it('hides columns, and remembers it', async () => {
    await page.goto(unitsUrl('city'));
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Population' }).uncheck();
    await page.reload();
    await page.getByRole('gridcell', { name: 'City 000' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Population' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('columnheader', { name: 'Population' }).waitFor();
    await page.keyboard.press('Escape');
  });
});

describe('a unit', () => {
  it('is created, after the form has named what is wrong', async () => {
    await page.goto(unitsUrl('city'));
    await page.getByRole('link', { name: 'New' }).click();
    await page.getByRole('textbox', { name: 'Population' }).fill('many');
    await page.getByLabel('Info').fill('{');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('A whole number is needed').waitFor();
    await page.getByText('A value is needed').waitFor();
    await page.getByText('This is not JSON').waitFor();
    expect(await accessibilityFaults()).toEqual([]);
    await shown('form');
    // The service refuses the name, at its field.
    await page.getByLabel('Name').fill('City 001');
    await page.getByRole('textbox', { name: 'Population' }).fill('42');
    await page.getByLabel('Info').fill('{"a": [1]}');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[id$=-error]', { hasText: 'another unit has that value' }).waitFor();
    await page.getByLabel('Name').fill('Roma');
    await page.getByRole('combobox', { name: 'Country' }).or(page.getByLabel('Country')).first().fill('Fran');
    await page.getByRole('option', { name: 'France' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Roma' }).waitFor();
    const { items } = (await project.get('/city/unit?filter=eq(name,Roma)')).body.content as { items: object[] };
    expect(items).toMatchObject([{ population: 42, country: 'fr', state: 'draft', info: { a: [1] } }]);
  });

  it('has the button of its form in sight, and the way to the list', async () => {
    await page.goto(unitsUrl('city', '/new'));
    await page.setViewportSize({ width: 320, height: 400 });
    const create = await page.getByRole('button', { name: 'Create' }).boundingBox();
    expect((create?.y ?? 400) + (create?.height ?? 0)).toBeLessThanOrEqual(400);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: '← City' }).click();
    await page.getByRole('gridcell', { name: 'City 000' }).waitFor();
  });

  it('that somebody else has changed shows both versions', async () => {
    const id = await createdId(project.post('/city/unit', { name: 'Paris', population: 1, state: 'draft' }));
    await page.goto(url(`#/data/city/unit/${id}`));
    await page.getByRole('textbox', { name: 'Population' }).fill('2');
    await page.getByLabel('Name').fill('Paris 2');
    await ok(project.put(`/city/unit/${id}`, { population: 3, state: 'open' }));
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this unit' });
    await dialog.getByRole('radio', { name: '3', exact: true }).click();
    await shown('conflict');
    await dialog.getByRole('button', { name: 'Use these values' }).click();
    await page.getByRole('heading', { name: 'Paris 2' }).waitFor();
    const stored = (await project.get(`/city/unit/${id}`)).body.content;
    expect(stored).toMatchObject({ name: 'Paris 2', population: 3, state: 'open' });
  });

  it('keeps what is typed when the session ends, and goes on after a sign-in', async () => {
    const id = await createdId(project.post('/city/unit', { name: 'Lyon', population: 1 }));
    await page.goto(url(`#/data/city/unit/${id}`));
    await page.getByRole('textbox', { name: 'Population' }).fill('77');
    const { items } = (await project.get('/auth/session')).body.content as {
      items: { id: string; user_agent: string | null }[];
    };
    const own = items.filter(({ user_agent: agent }) => agent?.includes('Chrome'));
    expect(own.length).toBeGreaterThan(0);
    for (const { id: session } of own) await ok(project.delete(`/auth/session/${session}`));
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByText('Nothing that you typed is lost').waitFor();
    await dialog.getByLabel('Username or e-mail').fill(ADMIN.username);
    await dialog.getByRole('textbox', { name: 'Password' }).fill(ADMIN.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    const stored = async () => (await project.get(`/city/unit/${id}`)).body.content.population as number;
    await vi.waitFor(async () => expect(await stored()).toBe(77), { timeout: 15_000 });
    // Until then the form asks before it is left.
    await page.locator('button[type=submit][aria-disabled]:not([data-loading])').waitFor();
  });

  it('is deleted from a selection, after a question', async () => {
    const id = await createdId(project.post('/city/unit', { name: 'Nowhere' }));
    await page.goto(unitsUrl('city', '?filter=eq(name,Nowhere)'));
    await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 unit deleted').waitFor();
    expect((await project.get(`/city/unit/${id}`)).status).toBe(404);
  });
});

describe('is safe', () => {
  it('with hostile names, which are shown and not run', async () => {
    await page.goto(unitsUrl('evil'));
    await page.getByRole('gridcell', { name: EVIL }).waitFor();
    await page.getByRole('gridcell', { name: EVIL }).click();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: EVIL }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps no token where scripts can read it', async () => {
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toMatch(/eyJ/);
    expect(await context.cookies()).toMatchObject([
      { name: `kind_refresh_${project.id}`, httpOnly: true, sameSite: 'Strict' },
    ]);
  });

  it('shows a member what is theirs, and says what they may not do', async () => {
    const { page: other, context: theirs } = await ConsolePage.open(browser, project);
    await other.goto(url());
    await opened.signIn('ann', 'secret of ann', other);
    await other.getByRole('navigation').getByRole('link', { name: 'City' }).click();
    await other.getByText(/^\d+ units$/).waitFor();
    await other.goto(unitsUrl('kind_admin'));
    await other.getByText('You may not read units').waitFor();
    await theirs.close();
  });

  it('forgets everything with a sign-out, in all tabs', async () => {
    const second = opened.watch(await context.newPage());
    await second.goto(unitsUrl('city'));
    await second.getByText(/^\d+ units$/).waitFor();
    await page.goto(unitsUrl('city'));
    await page.getByRole('button', { name: ADMIN.username }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    await second.close();
    await opened.signIn(ADMIN.username, ADMIN.password);
    await page.getByRole('navigation').getByRole('link', { name: 'City' }).waitFor();
  });
});

describe('fits', () => {
  it.each(['light', 'dark'] as const)('a narrow screen, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(unitsUrl('city'));
    await page.getByRole('gridcell').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    expect(await accessibilityFaults()).toEqual([]);
    await shown(`narrow-${colorScheme}`);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
