/** What fields take: limits that are checked before anything is sent, faults in the words of forms, languages. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defineKinds, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await withMembers(await service.project());
await defineKinds(project, {
  id: 'part',
  label: 'Part',
  parameters: [
    { id: 'code', label: 'Code', kind_id: 'string', pattern: '^(?i:[a-z]{2})\\d+$', strip: true, required: true },
    { id: 'word', label: 'Word', kind_id: 'string', min_length: 2, max_length: 4 },
    { id: 'pieces', label: 'Pieces', kind_id: 'integer', min_value: 1, max_value: 5000 },
    { id: 'weight', label: 'Weight', kind_id: 'float', max_value: 2.5 },
    { id: 'price', label: 'Price', kind_id: 'decimal', scale: 2, min_value: '0.50' },
    { id: 'sizes', label: 'Sizes', kind_id: 'integer', multiple: true, unique: true, min_value: 10 },
    { id: 'name', label: 'Name', kind_id: 'string', nullable: false, default_string: 'none' },
    { id: 'made', label: 'Made', kind_id: 'date' },
    { id: 'seen', label: 'Seen', kind_id: 'datetime' },
    { id: 'opens', label: 'Opens', kind_id: 'time' },
    { id: 'days', label: 'Days', kind_id: 'date', multiple: true },
    { id: 'scan', label: 'Scan', kind_id: 'binary', max_length: 2 },
    { id: 'shape', label: 'Shape', kind_id: 'json' },
  ],
  unique: [['code', 'word']],
});
const part = (values: object) => createdId(project.post('/part/unit', values));
const stored = async (id: string) => (await project.get(`/part/unit/${id}`)).body.content as Record<string, unknown>;
const parts = async () => (await project.get('/part/unit?order=code')).body.content as { items: { code: string }[] };
const first = await part({ code: 'aa1', word: 'one', pieces: 3, made: '2026-01-31' });
const ann = await signUp(project, 'ann');
const browser = await startChromium();

const opened = await ConsolePage.signedIn(browser, project);
const { page } = opened;
beforeEach(() => void opened.complaints.splice(0));

/** The requests that write, from now on. */
function writesOf(of: Page): string[] {
  const writes: string[] = [];
  of.on('request', (request) => {
    if (request.method() !== 'GET' && request.url().includes('/part/')) writes.push(request.url());
  });
  return writes;
}
const field = (name: string): Locator =>
  page.getByRole('textbox', { name, exact: true }).or(page.getByRole('combobox', { name, exact: true }));
/** What is wrong with the field, as it is read out. */
const faultOf = async (control: Locator): Promise<string> => {
  const ids = (await control.getAttribute('aria-describedby')) ?? '';
  const texts = await Promise.all(
    ids
      .split(' ')
      .filter(Boolean)
      .map((id) => page.locator(`[id="${id}"]`).textContent()),
  );
  return texts.join(' ');
};
const focused = (of = page) =>
  of.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.name ?? ""');
const show = async (hash: string): Promise<void> => {
  await page.goto('about:blank');
  await page.goto(opened.url(hash));
};

describe('the form of a unit', () => {
  it('checks all limits before anything is sent, shows all faults at once, and begins at the first', async () => {
    const writes = writesOf(page);
    await show('#/data/part/new');
    const typed = {
      Code: 'a1',
      Word: 'x',
      Pieces: '0',
      Weight: '2.51',
      Price: '0.125',
      Name: '',
      Scan: 'AAAA',
      Shape: '[12345678901234567890]',
    };
    for (const [name, value] of Object.entries(typed)) await field(name).fill(value);
    for (const value of ['10', '7', '12', 'many']) {
      await field('Sizes').fill(value);
      await page.keyboard.press('Enter');
    }
    await field('Days').fill('2026-02-31');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('It has to match the pattern').waitFor();
    expect(await focused()).toBe('code');
    const faults: Record<string, string> = {};
    for (const name of [...Object.keys(typed), 'Sizes', 'Days']) faults[name] = await faultOf(field(name));
    expect(faults).toMatchObject({
      Code: 'It has to match the pattern ^(?i:[a-z]{2})\\d+$',
      Word: 'At least 2 characters',
      Pieces: 'At least 1',
      Weight: 'At most 2.5',
      Price: 'At most 2 decimals',
      Name: 'A value is needed',
      Scan: 'At most 2 bytes',
      Shape: 'The number 12345678901234567890 has too many digits: put it in quotes, as a text',
      Days: 'Element 1: There is no such day',
      Sizes: 'Element 2: At least 10\nElement 4: A whole number is needed',
    });
    expect(writes).toEqual([]);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('fields-faults');

    await field('Code').fill(' AB12 ');
    await field('Word').fill('word');
    await field('Pieces').fill('9007199254740993');
    await field('Weight').fill('2.5');
    await field('Price').fill('0.4999');
    await field('Name').fill('a');
    await field('Scan').fill('AAA=');
    await field('Shape').fill('{"digits": "12345678901234567890"}');
    for (let count = 0; count < 3; count += 1) await field('Sizes').press('Backspace');
    await field('Days').press('Backspace');
    await field('Opens').fill('13:45');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('A whole number from −9,007,199,254,740,991').waitFor();
    expect(await focused()).toBe('pieces');
    await field('Pieces').fill('5000');
    await field('Price').fill('0.49');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('At least 0.5', { exact: true }).waitFor();
    await field('Price').fill('1,200.50');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'Duplicate' }).waitFor();
    const id = /unit\/([^?]+)/.exec(page.url())?.[1] ?? '';
    expect(await stored(id)).toMatchObject({
      code: 'AB12',
      pieces: 5000,
      price: '1200.5',
      sizes: [10],
      scan: 'AAA=',
      opens: '13:45:00',
      days: null,
    });
  });

  it('shows what only the service can know in its own words, and moves there', async () => {
    await show('#/data/part/new');
    await field('Code').fill('aa1');
    await field('Word').fill('one');
    await field('Code').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('alert');
    expect(await page.getByRole('alert').textContent()).toMatch(/Code.*Word/);
    expect(await opened.accessibilityFaults()).toEqual([]);
  });

  it('leaves limits that its member may not read to the service, with the labels of the form', async () => {
    await ok(project.put('/kind/unit/string', { access: { read: 'admin' } }));
    const theirs = await ConsolePage.open(browser, project);
    await theirs.page.goto(theirs.url('#/data/part/new'));
    await theirs.signIn(ann.username, ann.password);
    const code = theirs.page.getByRole('textbox', { name: 'Code', exact: true });
    await code.fill('a1');
    await theirs.page.getByRole('textbox', { name: 'Pieces' }).fill('7');
    await theirs.page.getByRole('button', { name: 'Create' }).click();
    await theirs.page.getByText(/^Does not match the pattern/).waitFor();
    await expect.poll(() => focused(theirs.page)).toBe('code');
    // Definitions of numbers can be read.
    await theirs.page.getByRole('textbox', { name: 'Pieces' }).fill('0');
    await theirs.page.getByRole('button', { name: 'Create' }).click();
    await theirs.page.getByText('At least 1', { exact: true }).waitFor();
    await theirs.context.close();
    await ok(project.put('/kind/unit/string', { access: {} }));
  });
});

describe('a page that is refused', () => {
  it('says so once', async () => {
    await ok(project.put('/kind/unit/part', { access: { read: 'admin', create: 'admin' } }));
    const theirs = await ConsolePage.open(browser, project);
    await theirs.page.goto(theirs.url('#/data/part'));
    await theirs.signIn(ann.username, ann.password);
    const refusal = theirs.page.getByText('You may not read units of “Part”', { exact: false });
    await refusal.first().waitFor();
    await theirs.page.waitForLoadState('networkidle');
    expect(await refusal.count()).toBe(1);
    expect(await theirs.page.getByRole('alert').count()).toBe(0);
    await theirs.context.close();
    await ok(project.put('/kind/unit/part', { access: {} }));
  });
});

describe('the grid', () => {
  const cell = (name: string | RegExp): Locator => page.getByRole('gridcell', { name, exact: true }).first();
  const editor = (name: string): Locator => page.getByLabel(new RegExp(`^${name} of `)).first();

  it('checks the same while a value is edited in place', async () => {
    await show('#/data/part?filter=eq(code,aa1)');
    const writes = writesOf(page);
    await cell('aa1').dblclick();
    await editor('Code').fill('1a');
    await page.keyboard.press('Enter');
    await page.getByText('It has to match the pattern').waitFor();
    await page.keyboard.press('Escape');
    await cell('one').dblclick();
    await editor('Word').fill('longer');
    await page.keyboard.press('Enter');
    await page.getByText('At most 4 characters').waitFor();
    await page.keyboard.press('Escape');
    await cell('3').dblclick();
    await editor('Pieces').fill('5001');
    await page.keyboard.press('Enter');
    await page.getByText('At most 5,000').waitFor();
    expect(writes).toEqual([]);
    await editor('Pieces').fill('4');
    await page.keyboard.press('Enter');
    await cell('4').waitFor();
    expect(await stored(first)).toMatchObject({ code: 'aa1', word: 'one', pieces: 4 });
  });

  it('checks the same while several units are edited, and moves to what is wrong', async () => {
    await show('#/data/part?filter=eq(code,aa1)');
    await page.getByRole('button', { name: 'All that match' }).click();
    await page.getByRole('menuitem', { name: 'Edit all' }).click();
    const dialog = page.getByRole('dialog');
    for (const name of ['Code', 'Pieces']) {
      await dialog.getByRole('combobox', { name: 'Set another field' }).click();
      await page.getByRole('option', { name }).click();
    }
    await dialog.getByRole('textbox', { name: 'Code' }).fill('zz1');
    await dialog.getByRole('textbox', { name: 'Pieces' }).fill('0');
    await dialog.getByRole('button', { name: 'Try' }).click();
    await dialog.getByText('At least 1', { exact: true }).waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await page.keyboard.type('1');
    expect(await dialog.getByRole('textbox', { name: 'Pieces' }).inputValue()).toBe('01');
  });

  it('takes conditions beyond the limits', async () => {
    await show('#/data/part?filter=and(gt(pieces,-1),startswith(code,a))');
    await page.getByRole('button', { name: 'Conditions' }).click();
    await page.getByRole('textbox', { name: 'Value' }).last().fill('aa');
    expect(await page.getByLabel('Filter').inputValue()).toBe('and(gt(pieces,-1),startswith(code,aa))');
  });
});

describe('a paste', () => {
  const pasteIn = async (of: ConsolePage, cells: string): Promise<Locator> => {
    await of.page.goto('about:blank');
    await of.page.goto(of.url('#/data/part'));
    await of.page.getByRole('button', { name: 'Import and export' }).click();
    await of.page.getByRole('menuitem', { name: 'Paste from a spreadsheet' }).click();
    const dialog = of.page.getByRole('dialog');
    await dialog.getByLabel('Copied cells').fill(cells);
    return dialog;
  };
  /** What the preview says of the cells of a column. */
  const said = async (dialog: Locator, column: number): Promise<string[]> => {
    const rows = dialog.getByRole('table').locator('tbody tr');
    await rows.first().waitFor();
    const [numbers, texts] = await Promise.all(
      ['th', `td:nth-of-type(${column})`].map((cells) => rows.locator(cells).allTextContents()),
    );
    // Rows with faults are shown first.
    return (numbers ?? []).map((_, at) => texts?.[numbers?.indexOf(String(at + 1)) ?? -1] ?? '');
  };

  it('checks limits, and takes no number or day that could be another one', async () => {
    const dialog = await pasteIn(
      opened,
      [
        'code\tweight\tprice\tmade\tseen\tsizes',
        'pp1\t1.234,5\t1.234\t1/2/2026\t31.1.2026 13:45\t10; 11',
        'p\t1,234.5\t1,200.50\t1/31/2026\t1/31/2026, 1:45:07 PM\t1,234',
        'pp3\t1.25\t12,34,567\t31.02.2026\t2026-01-31T13:45:00+02:00\t10, 11',
      ].join('\n'),
    );
    expect(await said(dialog, 1)).toEqual(['pp1', 'pIt has to match the pattern ^(?i:[a-z]{2})\\d+$', 'pp3']);
    expect(await said(dialog, 2)).toEqual(['1.234,5A number such as 1234.5 is needed', '1,234.5At most 2.5', '1.25']);
    expect(await said(dialog, 3)).toEqual([
      '1.234At most 2 decimals',
      '1,200.50read as 1,200.5',
      '12,34,567A number such as 1234.5 is needed',
    ]);
    expect(await said(dialog, 4)).toEqual([
      '1/2/2026This can be 2026-02-01 or 2026-01-02: write it as one of these',
      '1/31/2026read as Jan 31, 2026',
      '31.02.2026There is no such day',
    ]);
    expect(await said(dialog, 6)).toEqual(['10; 11', '1,234Separate the numbers of a list by semicolons', '10, 11']);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('fields-paste');
    const before = (await parts()).items.length;
    expect(await dialog.getByRole('button', { name: /^Create 3/ }).isDisabled()).toBe(true);
    expect((await parts()).items.length).toBe(before);
  });

  it('reads numbers as the language of the browser writes them, and refuses what has two meanings', async () => {
    const german = await ConsolePage.signedIn(browser, project, 'de-DE');
    const dialog = await pasteIn(
      german,
      'code\tpieces\tweight\tprice\ndd1\t1.234\t1,25\t1.234,5\ndd2\t12\t1.234\t1.234.567,89\ndd3\t3,5\t2.5\t1,234.5',
    );
    expect(await said(dialog, 2)).toEqual(['1.234', '12', '3,5A whole number is needed']);
    expect(await said(dialog, 3)).toEqual([
      '1,25',
      '1.234This can be read as 1.234 or as 1234: write it without separators of thousands',
      '2.5read as 2,5',
    ]);
    expect(await said(dialog, 4)).toEqual(['1.234,5', '1.234.567,89', '1,234.5A number such as 1234,5 is needed']);
    await dialog.getByLabel('Copied cells').fill('code\tpieces\tweight\tprice\ndd1\t1.234\t1,25\t1.234,5');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { items } = (await project.get('/part/unit?filter=eq(code,dd1)')).body.content as { items: { id: string }[] };
    expect(items).toMatchObject([{ pieces: 1234, weight: 1.25, price: '1234.5' }]);
    // The form shows and takes the same notation.
    await german.page.goto(german.url(`#/data/part/unit/${items[0]?.id}`));
    const price = german.page.getByRole('textbox', { name: 'Price' });
    await expect.poll(() => price.inputValue()).toBe('1234,5');
    await price.fill('1234,75');
    await german.page.getByRole('button', { name: 'Save' }).click();
    await german.page.getByText('Saved').waitFor();
    expect(await stored(items[0]?.id ?? '')).toMatchObject({ price: '1234.75', weight: 1.25 });
    await german.context.close();
  });
});

describe('names that no form expects', () => {
  const word = 'W'.repeat(400);

  it('take values, and leave the page and the title of its tab as they are', async () => {
    const label = `${word}\u202e`;
    const parameters = [{ id: 'constructor', label, helper_text: word, kind_id: 'string', min_length: 3 }];
    await defineKinds(project, { id: 'constructor', label, parameters });
    await show('#/data/constructor/new');
    const control = page.getByRole('textbox', { name: word });
    await control.fill('no');
    await page.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => faultOf(control)).toContain('At least 3 characters');
    await control.fill('yes');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Created', { exact: true }).waitFor();
    await expect.poll(() => control.inputValue()).toBe('yes');
    for (const hash of [
      '',
      '/data/constructor',
      '/charts/constructor',
      '/data/constructor/new',
      '/model/kind/edit/constructor',
    ]) {
      await show(`#${hash}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const widths = await page.evaluate<number[]>(
        '[...document.querySelectorAll("main, .page")].map((part) => part.scrollWidth - part.clientWidth)',
      );
      expect([hash, widths]).toEqual([hash, [0, 0]]);
    }
    const title = await page.title();
    expect(title).toMatch(/^W{100}… – Kind$/);
    await show('#/model/constructor/edit/constructor');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });
});
