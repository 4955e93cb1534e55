/** Grids of the console: groups, filters, edits in place, and edits of several units at once. */
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

// Each does what a person takes a minute for, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await service.project();
await ok(
  project.post('/kind/unit', {
    id: 'country',
    label: 'Country',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'title', label: 'Title', kind_id: 'string', required: true },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'city',
    label: 'City',
    parameters: [
      'title',
      { id: 'population', label: 'Population', kind_id: 'integer', min_value: 0 },
      { id: 'country', label: 'Country', kind_id: 'unit', reference_kind: 'country', on_delete: 'set_null' },
      { id: 'founded', label: 'Founded', kind_id: 'date' },
      { id: 'visited', label: 'Visited', kind_id: 'datetime' },
      { id: 'capital', label: 'Capital', kind_id: 'boolean' },
      { id: 'ranks', label: 'Ranks', kind_id: 'integer', multiple: true },
      { id: 'state', label: 'State', kind_id: 'string', values: ['draft', 'open'] },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'visit',
    label: 'Visit',
    parameters: [{ id: 'place', kind_id: 'unit', reference_kind: 'city', on_delete: 'cascade' }],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'ticket',
    label: 'Ticket',
    parameters: [
      'title',
      {
        ...{ id: 'step', label: 'Step', kind_id: 'string', values: ['new', 'open', 'closed'] },
        transitions: { new: ['open'], open: ['new', 'closed'] },
      },
    ],
  }),
);
await ok(project.post('/group/unit', { id: 'places', label: 'Places', kind_list: ['country', 'city'] }));
await ok(
  project.post('/country/unit', [
    { code: 'it', title: 'Italy' },
    { code: 'fr', title: 'France' },
  ]),
);
const city = (values: object) => createdId(project.post('/city/unit', values));
const stored = async (id: string) => (await project.get(`/city/unit/${id}`)).body.content as Record<string, unknown>;
const titles = async (filter: string) => {
  const { items } = (await project.get(`/city/unit?filter=${encodeURIComponent(filter)}&order=title`)).body.content as {
    items: { title: string }[];
  };
  return items.map(({ title }) => title);
};
const rome = await city({ title: 'Rome', population: 2800000, country: 'it', founded: '0753-04-21' });
await city({ title: 'Paris', population: 2100000, country: 'fr', capital: true });
await city({ title: 'Lyon', population: 500000, country: 'fr', capital: false });
await ok(project.post('/visit/unit', [{ place: rome }, { place: rome }]));

const browser = await startChromium();
const opened = await ConsolePage.signedIn(browser, project);
const { page } = opened;
beforeEach(() => void opened.complaints.splice(0));

const show = async (hash: string): Promise<void> => {
  await page.goto(opened.url(hash));
  await page.getByRole('grid').waitFor();
};
const cell = (name: string | RegExp): Locator => page.getByRole('gridcell', { name, exact: true }).first();
/** The control of a cell that is edited. */
const editor = (field: string): Locator => page.getByLabel(new RegExp(`^${field} of `)).first();

it('a unit has a button for each value that its state may have next', async () => {
  const id = await createdId(project.post('/ticket/unit', { title: 'Broken', step: 'new' }));
  await page.goto(opened.url(`#/data/ticket/unit/${id}`));
  const move = (to: string) => page.getByRole('button', { name: `Step → ${to}`, exact: true });
  await move('open').click();
  await move('closed').waitFor();
  expect(await move('open').count()).toBe(0);
  // The form offers no other values either.
  await page.getByRole('combobox', { name: 'Step' }).click();
  expect(await page.getByRole('option').allTextContents()).toEqual(['new', 'open', 'closed']);
  await page.keyboard.press('Escape');
  // What is typed is saved first.
  await page.getByLabel('Title').fill('Mended');
  expect(await move('closed').isDisabled()).toBe(true);
  await move('closed').hover();
  await page.getByRole('tooltip', { name: 'Save what you have changed first, or take it back.' }).waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('transitions');
  await page.getByRole('button', { name: 'Save' }).click();
  await vi.waitFor(async () => expect(await move('closed').isEnabled()).toBe(true), 10_000);
  await move('closed').click();
  await move('closed').waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Step' }).click();
  expect(await page.getByRole('option').allTextContents()).toEqual(['closed']);
  await show('#/data/ticket');
  await page.getByRole('gridcell', { name: 'closed' }).dblclick();
  await editor('Step').click();
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['closed']);
  expect((await project.get(`/ticket/unit/${id}`)).body.content).toMatchObject({ title: 'Mended', step: 'closed' });
  expect(opened.complaints).toEqual([]);
});

describe('a group', () => {
  it('is one list of the units of its kinds, whose forms open from it', async () => {
    await page.goto(opened.url());
    await page.getByRole('button', { name: 'Groups' }).click();
    await page.getByRole('link', { name: 'Places' }).click();
    await page.getByText('5 units').waitFor();
    await cell('City').waitFor();
    await cell('Country').waitFor();
    await page.getByRole('button', { name: 'Title', exact: true }).click();
    await page.getByRole('row', { name: /^Select fr / }).waitFor();
    await page.getByRole('link', { name: 'it', exact: true }).click();
    await page.getByRole('heading', { name: 'Italy' }).waitFor();
    expect(page.url()).toContain('#/data/country/unit/it');
    expect(opened.complaints).toEqual([]);
  });
});

describe('the conditions of a filter', () => {
  it('are written as its text', async () => {
    await show('#/data/city');
    await page.getByRole('button', { name: 'Conditions' }).click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('combobox', { name: 'Field' }).click();
    await page.getByRole('option', { name: 'Country' }).click();
    await page.getByRole('combobox', { name: 'Value' }).fill('Fra');
    await page.getByRole('option', { name: 'France' }).click();
    expect(await page.getByLabel('Filter').inputValue()).toBe('eq(country,fr)');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('combobox', { name: 'Field' }).last().click();
    await page.getByRole('option', { name: 'Population' }).click();
    await page.getByRole('combobox', { name: 'Comparison' }).last().click();
    await page.getByRole('option', { name: 'more than' }).click();
    const value = page.getByRole('textbox', { name: 'Value' });
    await value.fill('many');
    await value.blur();
    await page.getByText('A whole number is needed').waitFor();
    expect(await page.getByLabel('Filter').inputValue()).toBe('eq(country,fr)');
    await value.fill('1000000');
    expect(await page.getByLabel('Filter').inputValue()).toBe('and(eq(country,fr),gt(population,1000000))');
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('conditions');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 unit', { exact: true }).waitFor();
    await cell('Paris').waitFor();
  });

  it('are read from its text; what they cannot show stays text', async () => {
    await show('#/data/city');
    await page.getByRole('button', { name: 'Conditions' }).click();
    await page
      .getByLabel('Filter')
      .fill('or(in(title, Rome,"Paris"),isnull(country),eq(country.title,Italy),in(country,[it,fr]))');
    await page.getByText('eq(country.title,Italy)', { exact: true }).waitFor();
    await page.getByText('This part can be changed in the text only.').waitFor();
    expect(await page.getByRole('radio', { name: 'One of these' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Remove this condition' }).nth(1).click();
    expect(await page.getByLabel('Filter').inputValue()).toBe(
      'or(in(title,[Rome,Paris]),eq(country.title,Italy),in(country,[it,fr]))',
    );
    await page.getByLabel('Filter').fill('eq(title');
    await page.getByText("expected ',' at character 9").waitFor();
  });

  it('say which values no unit can have, and which quotes are none', async () => {
    const filtered = async (filter: string) => {
      await page.goto(opened.url(`#/data/city?filter=${encodeURIComponent(filter)}`));
      await page.getByText('No unit matches.').waitFor();
    };
    await filtered('eq(state,opne)');
    await page.getByText("state: 'opne' is none of its values 'draft', 'open' (did you mean 'open'?)").waitFor();
    await filtered(`and(eq(state,open),eq(title,'Rome'))`);
    await page.getByText(`title: the quotes of 'Rome' are compared too: only " quotes a value, as in "Rome"`).waitFor();
    expect(await page.getByText('is none of its values').count()).toBe(0);
    await page.goto(opened.url(`#/charts/city?filter=${encodeURIComponent('eq(state,opne)')}`));
    await page.getByText("state: 'opne' is none of its values").waitFor();
  });
});

describe('a value in the grid', () => {
  it('is edited in place, with the keys of a spreadsheet', async () => {
    await show('#/data/city?order=title');
    await cell('500,000').click();
    await page.keyboard.press('F2');
    await editor('Population').fill('500001');
    await page.keyboard.press('Escape');
    await cell('500,000').waitFor();
    await page.keyboard.press('Enter');
    await editor('Population').fill('-1');
    await page.keyboard.press('Enter');
    await page.getByText('At least 0', { exact: true }).waitFor();
    await opened.screenshot('edit-in-place');
    await editor('Population').fill('many');
    await page.keyboard.press('Enter');
    await page.getByText('A whole number is needed').waitFor();
    await editor('Population').fill('500002');
    await page.keyboard.press('Enter');
    await cell('500,002').waitFor();
    // The next row, of Paris; a digit begins another value.
    await page.keyboard.press('7');
    await page.keyboard.press('Tab');
    await cell('7').waitFor();
    expect(await titles('in(population,[7,500002])')).toEqual(['Lyon', 'Paris']);
  });

  it('has the control of its type', async () => {
    await show('#/data/city?filter=eq(title,Lyon)');
    const lyon = async () =>
      ((await project.get('/city/unit?filter=eq(title,Lyon)')).body.content as { items: object[] }).items[0];
    const columnOf = async (name: string) =>
      page.getByRole('columnheader', { name }).first().getAttribute('aria-colindex');
    const cellOf = async (name: string) =>
      page.locator(`[role=gridcell][aria-colindex="${await columnOf(name)}"]`).first();
    await (await cellOf('Founded')).dblclick();
    expect(await editor('Founded').getAttribute('type')).toBe('date');
    await editor('Founded').fill('1999-12-31');
    await page.keyboard.press('Enter');
    await cell('Dec 31, 1999').waitFor();
    await (await cellOf('Capital')).dblclick();
    await editor('Capital').click();
    await page.getByRole('option', { name: 'Yes' }).click();
    await cell('yes').waitFor();
    await (await cellOf('Visited')).dblclick();
    await editor('Visited').fill('2026-01-31T13:45:00');
    await page.keyboard.press('Enter');
    await cell(/Jan 31, 2026, 1:45:00\sPM/).waitFor();
    await (await cellOf('Ranks')).dblclick();
    await editor('Ranks').fill('3');
    await page.keyboard.press('Enter');
    await editor('Ranks').fill('4');
    await page.keyboard.press('Enter');
    await cell('Lyon').click();
    await cell('3, 4').waitFor();
    await (await cellOf('Country')).dblclick();
    await editor('Country').fill('Ita');
    await page.getByRole('option', { name: 'Italy' }).click();
    await vi.waitFor(async () =>
      expect(await lyon()).toMatchObject({ country: 'it', ranks: [3, 4], capital: true, founded: '1999-12-31' }),
    );
    await cell('Italy').waitFor();
  });

  it('that somebody else has changed shows both values', async () => {
    await show('#/data/city?filter=eq(title,Rome)');
    await ok(project.put(`/city/unit/${rome}`, { population: 3 }));
    await cell('2,800,000').dblclick();
    await editor('Population').fill('4');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this unit' });
    await dialog.getByRole('radio', { name: '3', exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Use these values' }).click();
    await cell('4').waitFor();
    expect(await stored(rome)).toMatchObject({ population: 4 });
  });
});

describe('several units', () => {
  it('that match a filter are edited, after a trial', async () => {
    await show('#/data/city?filter=in(title,Lyon,Paris)');
    await page.getByRole('button', { name: 'All that match' }).click();
    await page.getByRole('menuitem', { name: 'Edit all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Set another field' }).click();
    await page.getByRole('option', { name: 'State' }).click();
    await dialog.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'open' }).click();
    await dialog.getByRole('button', { name: 'Try' }).click();
    await dialog.getByText('2 units would be changed.').waitFor();
    expect(await titles('eq(state,open)')).toEqual([]);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await dialog.getByRole('button', { name: 'Change 2 units' }).click();
    await page.getByText('2 units changed').waitFor();
    expect(await titles('eq(state,open)')).toEqual(['Lyon', 'Paris']);
  });

  it('that are selected, of several kinds, are deleted together, after what goes along is named', async () => {
    await ok(project.post('/country/unit', { code: 'xx', title: 'Nowhere' }));
    const id = await city({ title: 'Nowhere', country: 'xx' });
    await ok(project.post('/visit/unit', [{ place: id }, { place: id }]));
    await city({ title: 'Elsewhere', country: 'xx' });
    await show('#/group/places?filter=eq(title,Nowhere)');
    await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await page.getByRole('checkbox', { name: 'Select xx' }).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 units?' });
    await dialog.getByText('2 of Visit are deleted too.').waitFor();
    await dialog.getByText('1 of City loses its country.').waitFor();
    await opened.screenshot('delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 units deleted').waitFor();
    expect((await project.get(`/city/unit/${id}`)).status).toBe(404);
    expect((await project.get('/country/unit/xx')).status).toBe(404);
    expect(await titles('eq(title,Elsewhere)')).toEqual(['Elsewhere']);
  });

  it('that match a filter are deleted, and what refers to them is counted by the filter', async () => {
    await ok(project.post('/city/unit', [{ title: 'Gone 1' }, { title: 'Gone 2' }]));
    await show('#/data/city?filter=startswith(title,Gone)');
    expect(await page.getByRole('button', { name: 'Delete all' }).count()).toBe(0);
    await page.getByRole('button', { name: 'All that match' }).click();
    await page.getByRole('menuitem', { name: 'Delete all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 units?' });
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    const number = dialog.getByLabel('To delete all 2, type the number');
    await number.waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await number.fill('3');
    expect(await confirm.isDisabled()).toBe(true);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await number.fill('2');
    await confirm.click();
    await page.getByText('No unit matches.').waitFor();
    expect(await titles('startswith(title,Gone)')).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});
