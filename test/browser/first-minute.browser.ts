/** The first minute of a person who has never read the docs: from what `npm start` prints to a chart. */
import type { Locator } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { greeting } from '../../src/greeting.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { ADMIN, startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 120_000 });

const service = await startTestService();
const project = await service.project();
const browser = await startChromium();
const opened = await ConsolePage.open(browser, project);
const { page, context } = opened;
await context.grantPermissions(['clipboard-read', 'clipboard-write']);

/** What the terminal shows after the start. */
const printed = greeting(
  project.service.url,
  { project: project.id, username: ADMIN.username, password: ADMIN.password },
  { terminal: false, console: true },
);
const line = (name: string): string => new RegExp(`^ *${name} +(\\S.*?)(?:   \\(.*)?$`, 'm').exec(printed)?.[1] ?? '';

/** Fills the field that has the focus, and goes to the next one. */
const type = async (value: string): Promise<void> => {
  await page.keyboard.type(value);
  await page.keyboard.press('Tab');
};
/** As from a spreadsheet. */
const copy = (rows: readonly (readonly string[])[]) =>
  page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(rows.map((row) => row.join('\t')).join('\n'))})`);
const pick = async (box: Locator, option: string): Promise<void> => {
  await box.click();
  // Some have an explanation.
  await page.getByRole('option', { name: new RegExp(`^${option}`) }).click();
};
const parameter = async (name: string, typeName?: string): Promise<Locator> => {
  await page.getByRole('button', { name: 'Add a new parameter' }).click();
  // The new name has the focus.
  await page.keyboard.type(name);
  const fields = page.getByRole('region', { name, exact: true });
  if (typeName !== undefined) await pick(fields.getByRole('combobox', { name: 'Type' }), typeName);
  return fields;
};
const save = async (): Promise<void> => {
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog', { name: 'What will change' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('No units yet.').waitFor();
};
const paste = async (rows: readonly (readonly string[])[], count: number): Promise<void> => {
  await copy(rows);
  await page.keyboard.press('Control+V');
  const dialog = page.getByRole('dialog', { name: 'Paste from a spreadsheet' });
  await dialog.getByRole('button', { name: `Create ${count} units` }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText(`${count} units created`).first().waitFor();
};

it('signs in, makes kinds, fills them, links, asks, and sees a chart', async () => {
  await page.goto(line('Console'));
  // The address has the project.
  const key = page.getByLabel('Project key');
  await key.waitFor();
  expect(await key.inputValue()).toBe(line('Project key'));
  await page.getByLabel('Username or e-mail').click();
  await type(line('Administrator'));
  await page.keyboard.type(line('Password'));
  await page.keyboard.press('Enter');

  // The empty project says what to do.
  await page.getByRole('link', { name: 'New kind' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
  await page.keyboard.type('Country');
  await parameter('Title');
  await save();
  await paste([['Title'], ['Italy'], ['France'], ['Spain']], 3);

  await page.getByRole('link', { name: 'Model', exact: true }).click();
  await page.getByRole('link', { name: 'New kind' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
  await page.keyboard.type('City');
  await parameter('Name');
  await parameter('Inhabitants', 'Whole number');
  const reference = await parameter('In', 'Reference');
  await pick(reference.getByRole('combobox', { name: 'Leads to' }), 'Country');
  await save();

  // Countries by their names: what is wrong is said before anything is sent.
  const cities = [
    ['Name', 'Inhabitants', 'In'],
    ['Rome', '2,800,000', 'Italy'],
    ['Paris', '2,100,000', 'France'],
    ['Nice', '340,000', 'France'],
  ];
  await copy([...cities, ['Atlantis', '0', 'Nowhere']]);
  await page.keyboard.press('Control+V');
  const wrong = page.getByRole('dialog', { name: 'Paste from a spreadsheet' });
  await wrong.getByText('No unit is called “Nowhere”').waitFor();
  expect(await wrong.getByRole('button', { name: 'Create 4 units' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await wrong.waitFor({ state: 'hidden' });
  await paste(cities, 3);
  await page.getByRole('gridcell', { name: 'Italy' }).waitFor();

  // A link between two units.
  await page.getByRole('row', { name: /Rome/ }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Rome' }).waitFor();
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  await page.getByRole('button', { name: 'Add a link' }).click();
  const form = page.getByRole('region', { name: 'Add a link' });
  await form.getByRole('combobox', { name: 'Unit' }).fill('Par');
  await page.getByRole('option', { name: 'Paris' }).click();
  await form.getByRole('button', { name: 'Link', exact: true }).click();
  await page.locator('.graph-box', { hasText: 'Paris' }).waitFor();

  // A question.
  await page.getByRole('link', { name: 'City', exact: true }).first().click();
  await page.getByRole('button', { name: 'Conditions' }).click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await pick(page.getByRole('combobox', { name: 'Field' }), 'Inhabitants');
  await pick(page.getByRole('combobox', { name: 'Comparison' }), 'more than');
  await page.getByRole('textbox', { name: 'Value' }).fill('1000000');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('2 units', { exact: true }).waitFor();

  // A rule.
  await page.getByRole('link', { name: 'Access', exact: true }).click();
  await page.getByRole('link', { name: /^City, Read: / }).click();
  await page.getByRole('radio', { name: 'Whom a rule lets in, and administrators' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Rule 1' }).click();
  await page.keyboard.type('gt(inhabitants,1000000)');
  await page.getByText('What is typed can be stored.').waitFor();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog', { name: 'What will change' }).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'City, Read: gt(inhabitants,1000000)' }).waitFor();

  await page.getByRole('link', { name: 'City', exact: true }).first().click();
  await page.getByText('3 units', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Chart', exact: true }).click();
  await page.getByLabel('Show', { exact: true }).selectOption('Sum');
  await page.getByLabel('For each', { exact: true }).selectOption('In');
  await page.getByRole('img', { name: 'Sum of Inhabitants by In' }).waitFor();
  await page.getByText('Table', { exact: true }).last().click();
  const rows = page.getByRole('region', { name: /^Values: / }).getByRole('row');
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([
      expect.stringContaining('In'),
      expect.stringMatching(/Italy\s+2,800,000/),
      expect.stringMatching(/France\s+2,440,000/),
    ]);
  // A page that nobody is signed in to asks whether there is a session.
  expect(opened.complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
});

it('begins with a template', async () => {
  const shop = await service.project();
  const { page: begun, complaints } = await ConsolePage.signedIn(browser, shop);
  const template = begun.getByRole('region', { name: 'Help desk' });
  await template.getByRole('button', { name: 'Use this' }).click();
  await begun.getByRole('region', { name: 'Kinds' }).getByRole('link', { name: 'Ticket' }).waitFor();
  await begun.getByRole('link', { name: 'Prepared reply', exact: true }).first().click();
  await begun.getByText('2 units', { exact: true }).waitFor();
  expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
});
