/** Links as a graph, used as a person would. */
import { beforeEach, expect, it, vi } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await service.project();
await defineKinds(project, {
  id: 'country',
  label: 'Country',
  parameters: [
    { id: 'code', kind_id: 'string', is_primary: true },
    { id: 'title', kind_id: 'string' },
  ],
});
await ok(project.post('/link/unit', { id: 'borders', label: 'Borders' }));
await ok(project.post('/link/unit', { id: 'trades', label: EVIL }));
const countries = { pt: 'Portugal', es: 'Spain', fr: 'France', it: 'Italy', lonely: 'Lonely', evil: EVIL };
await ok(
  project.post(
    '/country/unit',
    Object.entries(countries).map(([code, title]) => ({ code, title })),
  ),
);
const islands = Array.from({ length: 60 }, (_, at) => ({ code: `i${at}`, title: `Island ${at}` }));
await ok(project.post('/country/unit', islands));
for (const [from, to] of [
  ['pt', 'es'],
  ['es', 'fr'],
  ['fr', 'it'],
]) {
  await ok(project.post(`/country/unit/${from}/link/borders/country/unit/${to}`));
}
await ok(project.post('/country/unit/pt/link/trades/country/unit/evil'));
const items = islands.map(({ code }) => ({ kind_id: 'country', id: code }));
await ok(project.post('/country/unit/it/link/link/child', { items }));
const browser = await startChromium();

const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
beforeEach(() => void complaints.splice(0));

const boxes = () => page.locator('.graph-box').count();

it('walks from a unit by clicking, says how many more there are, and shows hostile names as text', async () => {
  await page.goto(opened.url('#/data/country/unit/pt'));
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  await page.getByRole('heading', { name: 'Links of Portugal' }).waitFor();
  await page.locator('.graph-box', { hasText: 'Spain' }).waitFor();
  await page.locator('.graph-box', { hasText: EVIL }).waitFor();
  expect(await boxes()).toBe(3);
  await page.getByRole('button', { name: 'Show links: Spain' }).click();
  await page.getByRole('button', { name: 'Show links: France' }).click();
  await page.getByRole('button', { name: 'Show links: Italy' }).click();
  await page.getByRole('button', { name: '35 more: Italy' }).waitFor();
  await page.getByRole('button', { name: '35 more: Italy' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: '10 more: Italy' }).waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('links-graph');
  expect(complaints).toEqual([]);
});

it('follows some types, several steps at once, and shows the same as a list', async () => {
  await page.goto(opened.url('#/links/country/pt?types=borders&steps=3&view=list'));
  const list = page.getByRole('list').filter({ hasText: 'Portugal' }).first();
  await list.getByText('Borders → Italy').waitFor();
  expect(await page.locator('.graph-list > li').count()).toBe(4);
  expect(await opened.accessibilityFaults()).toEqual([]);
});

it('finds the shortest path, along the links or against them, and says if there is none', async () => {
  await page.goto(opened.url('#/links/country/it?view=list&types=borders'));
  const unit = page.getByRole('combobox', { name: 'Unit', exact: true });
  await unit.fill('Portu');
  await page.getByRole('option', { name: 'Portugal' }).click();
  await page.getByRole('button', { name: 'Find the shortest path' }).click();
  await page.getByText('The shortest path has 3 links.').waitFor();
  expect(await page.getByText('(on the path)').count()).toBe(3);
  await unit.fill('Lonel');
  await page.getByRole('option', { name: 'Lonely' }).click();
  await page.getByRole('button', { name: 'Find the shortest path' }).click();
  await page.getByText('There is no path').waitFor();
});

it('says of a unit without links that it has none', async () => {
  await page.goto(opened.url('#/links/country/lonely'));
  await page.getByText('No links lead from or to this unit.').waitFor();
});

it('makes links and deletes them, and says what is refused', async () => {
  await ok(
    project.post('/link/unit', {
      id: 'road',
      label: 'Road',
      parameters: [
        { id: 'lanes', label: 'Lanes', kind_id: 'integer', required: true, min_value: 1 },
        { id: 'toll', label: 'Toll', kind_id: 'decimal', scale: 2 },
      ],
    }),
  );
  await page.goto(opened.url('#/links/country/lonely'));
  await page.reload();
  await page.getByRole('button', { name: 'Add a link' }).click();
  const form = page.getByRole('region', { name: 'Add a link' });
  const choose = async (label: string, option: string) => {
    await form.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Link type', 'Road');
  await form.getByRole('combobox', { name: 'Unit' }).fill('Spa');
  await page.getByRole('option', { name: 'Spain' }).click();
  await form.getByRole('button', { name: 'Link', exact: true }).click();
  await form.getByText('A value is needed').waitFor();
  // The first fault has the focus.
  await page.keyboard.type('0');
  await form.getByRole('textbox', { name: 'Toll' }).fill('0.125');
  await form.getByRole('button', { name: 'Link', exact: true }).click();
  await form.getByText('At least 1').waitFor();
  await form.getByText('At most 2 decimals').waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('link-values');
  await form.getByRole('textbox', { name: 'Lanes' }).fill('2');
  await form.getByRole('textbox', { name: 'Toll' }).fill('1.5');
  await form.getByRole('button', { name: 'Link', exact: true }).click();
  await page.locator('.graph-box', { hasText: 'Spain' }).waitFor();
  const roads = async () =>
    (await project.get('/country/unit/lonely/link/child?link_id=road')).body.content as { items: { link: object }[] };
  expect((await roads()).items).toMatchObject([{ link: { lanes: 2, toll: '1.5' } }]);
  // They are shown and edited in the list.
  await page.getByText('List', { exact: true }).click();
  await page.getByText('(Lanes: 2, Toll: 1.5)').waitFor();
  await page.getByRole('button', { name: 'Edit the link: Lonely: Road → Spain' }).click();
  const editor = page.getByRole('dialog');
  await editor.getByRole('textbox', { name: 'Lanes' }).fill('-1');
  await editor.getByRole('button', { name: 'Save' }).click();
  await editor.getByText('At least 1').waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await editor.getByRole('textbox', { name: 'Lanes' }).fill('4');
  await editor.getByRole('textbox', { name: 'Toll' }).fill('');
  await editor.getByRole('button', { name: 'Save' }).click();
  await page.getByText('(Lanes: 4)').waitFor();
  expect((await roads()).items).toMatchObject([{ link: { lanes: 4, toll: null } }]);
  await ok(project.delete('/country/unit/lonely/link/road/country/unit/es'));
  await page.goto(opened.url('#/links/country/lonely?view=list'));
  await page.reload();
  await page.getByRole('button', { name: 'Add a link' }).click();
  await choose('Link type', 'Borders');
  await form.getByRole('combobox', { name: 'Unit' }).fill('Spa');
  await page.getByRole('option', { name: 'Spain' }).click();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await form.getByText('From the other unit').click();
  await form.getByRole('button', { name: 'Link', exact: true }).click();
  await page.getByText('Borders → Lonely').waitFor();
  const links = async () =>
    (await project.get('/country/unit/lonely/link/parent?link_id=borders')).body.content as { count: number };
  expect((await links()).count).toBe(1);
  await page.getByRole('button', { name: 'Remove the link: Spain: Borders → Lonely' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove this link?' });
  expect(await opened.accessibilityFaults()).toEqual([]);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No links lead from or to this unit.').waitFor();
  expect((await links()).count).toBe(0);
});

it('shows all links between the same two units beside each other, and those of a unit with itself', async () => {
  await ok(
    project.post(
      '/country/unit',
      ['one', 'two'].map((code) => ({ code, title: `Twin ${code}` })),
    ),
  );
  const links = [
    ['one', 'borders', 'two'],
    ['two', 'borders', 'one'],
    ['one', 'trades', 'two'],
    ['one', 'borders', 'one'],
    ['one', 'trades', 'one'],
  ];
  for (const [from, type, to] of links) {
    await ok(project.post(`/country/unit/${from}/link/${type}/country/unit/${to}`));
  }
  await page.goto(opened.url('#/links/country/one'));
  await page.locator('.graph-box', { hasText: 'Twin two' }).waitFor();
  await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(links.length);
  const paths = await page
    .locator('.react-flow__edge-path')
    .evaluateAll((lines: { getAttribute(name: string): string | null }[]) =>
      lines.map((line) => line.getAttribute('d')),
    );
  expect(new Set(paths).size).toBe(links.length);
  await opened.screenshot('links-parallel');
  await page.getByText('List', { exact: true }).click();
  const own = page.locator('.graph-list > li', { hasText: 'Twin one' }).first();
  await own.getByText(`${EVIL} → Twin two`).waitFor();
  expect(await own.getByRole('listitem').count()).toBe(4);
  expect(await own.getByText('Borders → Twin one').count()).toBe(1);
  expect(complaints).toEqual([]);
});

it('says where a unit that was shown is gone meanwhile, and keeps the others', async () => {
  await ok(
    project.post(
      '/country/unit',
      ['near', 'far'].map((code) => ({ code, title: `Unit ${code}` })),
    ),
  );
  await ok(project.post('/country/unit/near/link/borders/country/unit/far'));
  await page.goto(opened.url('#/links/country/near'));
  await page.getByRole('button', { name: 'Show links: Unit far' }).waitFor();
  await ok(project.delete('/country/unit/far'));
  await page.getByRole('button', { name: 'Show links: Unit far' }).click();
  await page
    .getByRole('alert')
    .getByText(/no unit/i)
    .waitFor();
  expect(await boxes()).toBe(2);
});
