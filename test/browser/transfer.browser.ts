/** Paste, import and export in the console, and grids that are large: many units, many columns. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { ok } from '../support/definitions.js';
import { temporaryFolder } from '../support/mailbox.js';
import { startTestService } from '../support/service.js';

// Each does what a person takes a minute for, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const DIST = join(import.meta.dirname, '../../console/dist');
const folder = temporaryFolder();
const service = await startTestService();
const project = await service.project();
await ok(
  project.post('/kind/unit', {
    id: 'item',
    label: 'Item',
    parameters: [
      { id: 'code', label: 'Code', kind_id: 'string', unique: true },
      { id: 'amount', label: 'Amount', kind_id: 'integer', min_value: 0 },
      { id: 'due', label: 'Due', kind_id: 'date' },
      { id: 'open', label: 'Open', kind_id: 'boolean' },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'row',
    label: 'Row',
    parameters: [
      { id: 'number', label: 'Number', kind_id: 'integer' },
      { id: 'word', label: 'Word', kind_id: 'string' },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'note',
    parameters: [
      { id: 'title', kind_id: 'string', required: true },
      { id: 'size', kind_id: 'integer' },
    ],
  }),
);
const wide = Array.from({ length: 1000 }, (_, at) => ({
  id: `p${at}`,
  kind_id: 'string',
  label: at % 3 === 0 ? `${EVIL} ${at}` : at % 3 === 1 ? `"'),; ${at}` : `__proto__ \u202e ${at}`,
}));
// A kind has at most 400 parameters; a group has those of all its kinds.
const KINDS = ['wide_1', 'wide_2', 'wide_3'];
for (const [at, id] of KINDS.entries()) {
  await ok(project.post('/kind/unit', { id, label: EVIL, parameters: wide.slice(at * 400, (at + 1) * 400) }));
}
await ok(project.post('/group/unit', { id: 'wide', label: 'Wide', kind_list: KINDS }));
await ok(project.post('/wide_1/unit', { p0: EVIL }));
await ok(project.post('/wide_3/unit', { p999: 'the last' }));

const csv = (count: number) =>
  ['number,word', ...Array.from({ length: count }, (_, at) => `${at},word ${at}`)].join('\r\n');
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const itemsOf = async (query: string) =>
  (await project.get(`/item/unit?order=code&${query}`)).body.content as { count: number; items: object[] };

const browser = await startChromium();
const opened = await ConsolePage.signedIn(browser, project);
const { page } = opened;
// A dialog of the browser cannot be answered by a test.
await page.addInitScript('delete window.showSaveFilePicker');
beforeEach(() => void opened.complaints.splice(0));

const show = async (hash: string): Promise<void> => {
  await page.goto('about:blank');
  await page.goto(opened.url(hash));
  await page.getByRole('button', { name: 'Columns' }).waitFor();
};
const choose = async (item: string): Promise<void> => {
  await page.getByRole('button', { name: 'Import and export' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

describe('a paste', () => {
  it('shows what is wrong in which cell, and is stored as one write', async () => {
    await show('#/data/item');
    const table =
      'Amount\tCODE\tnote\tdue\topen\n1,200\ta1\tx\t2026-01-31\tTRUE\nmany\t"a\t""2"""\ty\t1/2/2026\tno\n-5\ta3\t\t\t';
    await page.getByRole('button', { name: 'Import and export' }).waitFor();
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.setData('text/plain', ${JSON.stringify(table)});
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    })()`);
    const dialog = page.getByRole('dialog', { name: 'Paste from a spreadsheet' });
    await dialog.getByText('3 cells are not right').waitFor();
    await dialog.getByText('A whole number is needed').waitFor();
    await dialog.getByText('This can be 2026-02-01 or 2026-01-02').waitFor();
    await dialog.getByText('At least 0').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create 3 units' }).isDisabled()).toBe(true);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('paste');
    const cells = dialog.getByLabel('Copied cells');
    await ok(project.post('/item/unit', { code: 'a3', amount: 1 }));
    await cells.fill(table.replace('many', '2').replace('1/2/2026', '1/13/2026').replace('-5', '5'));
    await dialog.getByRole('button', { name: 'Create 3 units' }).click();
    // The service refuses one of them, and stores none.
    await dialog.getByText('Another unit has that value').waitFor();
    expect((await itemsOf('')).count).toBe(1);
    await ok(project.delete('/item/unit?filter=eq(code,a3)'));
    await cells.fill((await cells.inputValue()).replace('1/13/2026', '2026-02-01'));
    await dialog.getByRole('button', { name: 'Create 3 units' }).click();
    await page.getByText('3 units created').waitFor();
    expect((await itemsOf('')).items).toMatchObject([
      { code: 'a\t"2"', amount: 2, due: '2026-02-01', open: false },
      { code: 'a1', amount: 1200, due: '2026-01-31', open: true },
      { code: 'a3', amount: 5, due: null, open: null },
    ]);
    expect(opened.complaints).toEqual([expect.stringContaining('409')]);
  });

  it('without names takes the order of the columns', async () => {
    await show('#/data/item');
    await choose('Paste from a spreadsheet');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Copied cells').fill('b1\t7\nb2\t8');
    await dialog.getByRole('button', { name: 'Create 2 units' }).click();
    await page.getByText('2 units created').waitFor();
    expect((await itemsOf('filter=startswith(code,b)')).items).toMatchObject([
      { code: 'b1', amount: 7 },
      { code: 'b2', amount: 8 },
    ]);
  });
});

describe('an import', () => {
  it('previews the file, maps its columns, is tried, and passes over records with faults', async () => {
    await show('#/data/item');
    await choose('Import a file');
    const dialog = page.getByRole('dialog');
    const path = fileOf('items.csv', 'Code,"Number\nof",Due\r\nc1,1,2026-01-31\r\nc2,none,\r\nb1,3,\r\n');
    await dialog.locator('input[type=file]').setInputFiles(path);
    await dialog.getByRole('combobox', { name: /Field of the column Number/ }).click();
    await page.getByRole('option', { name: 'Amount' }).click();
    await dialog.getByRole('button', { name: 'Try without storing' }).click();
    await dialog.getByText('amount: must be a whole number, got string').waitFor();
    await dialog.getByText('code: another unit has that value').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('import');
    await dialog.getByLabel('Pass over records with faults').check();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('Of 3 records: 1 created, 0 edited, 0 unchanged, 2 with faults.').waitFor();
    expect((await itemsOf('filter=startswith(code,c)')).items).toMatchObject([{ code: 'c1', amount: 1 }]);
  });

  it('tells the empty text of a required field from no value', async () => {
    await show('#/data/note');
    await choose('Import a file');
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(fileOf('notes.csv', 'title,size\n"",\n,""\n'));
    const cells = dialog.getByRole('table', { name: 'Preview' }).getByRole('cell');
    await expect
      .poll(() => cells.allTextContents())
      .toEqual([
        ...['read as the empty text, ""', 'read as no value'],
        ...['read as no valueA value is needed', 'read as the empty text, ""A whole number is needed'],
      ]);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await dialog.getByLabel('Pass over records with faults').check();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('Of 2 records: 1 created, 0 edited, 0 unchanged, 1 with faults.').waitFor();
    expect(await ok(project.get('/note/unit'))).toMatchObject({ items: [{ title: '', size: null }] });
  });

  it('takes a list in JSON, and edits what is there', async () => {
    await show('#/data/item');
    await choose('Import a file');
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(fileOf('not.json', '{'));
    await dialog.getByText('The file is not JSON.').waitFor();
    const list = [
      { code: 'd1', amount: 1 },
      { code: 'b1', amount: 70 },
    ];
    await dialog.locator('input[type=file]').setInputFiles(fileOf('items.json', JSON.stringify(list)));
    await dialog.getByRole('combobox', { name: 'Edit units that are there, by' }).click();
    await page.getByRole('option', { name: 'Code' }).click();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('Of 2 records: 1 created, 1 edited, 0 unchanged, 0 with faults.').waitFor();
    expect((await itemsOf('filter=in(code,b1,d1)')).items).toMatchObject([{ amount: 70 }, { amount: 1 }]);
  });
});

describe('135,000 units', () => {
  const COUNT = 135_000;
  const shownCount = COUNT.toLocaleString('en-US');

  it('are imported while the page goes on', async () => {
    await show('#/data/row');
    await choose('Import a file');
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(fileOf('rows.csv', csv(COUNT)));
    await dialog.getByRole('cell', { name: 'word 3', exact: true }).waitFor();
    // The longest time between two pictures.
    await page.evaluate(`window.longest = 0; window.before = performance.now();
      (function next() {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - window.before);
        window.before = now;
        requestAnimationFrame(next);
      })()`);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('progressbar').waitFor();
    await dialog.getByText(`Of ${shownCount} records: ${shownCount} created`).waitFor({ timeout: 90_000 });
    const longest = await page.evaluate<number>('window.longest');
    console.info(`import of ${COUNT} records: the page stood still for ${Math.round(longest)} ms at most`);
    expect(longest).toBeLessThan(3000);
  });

  it('are there at once, and only those in sight are rendered', async () => {
    await page.goto(opened.url());
    await page.getByRole('link', { name: 'Row', exact: true }).waitFor();
    const started = performance.now();
    await page.getByRole('link', { name: 'Row', exact: true }).click();
    await page.getByRole('gridcell', { name: 'word 3', exact: true }).waitFor();
    const first = Math.round(performance.now() - started);
    await page.getByText(`${shownCount} units`).waitFor();
    const counted = Math.round(performance.now() - started);
    console.info(`a list of ${COUNT} units: first rows after ${first} ms, their number after ${counted} ms`);
    expect(first).toBeLessThan(5000);
    const grid = page.getByRole('grid');
    for (let at = 0; at < 10; at += 1) {
      await grid.evaluate((element: { scrollTop: number; scrollHeight: number }) => {
        element.scrollTop = element.scrollHeight;
      });
      await page.waitForTimeout(100);
    }
    await vi.waitFor(async () =>
      expect(await page.getByRole('gridcell', { name: 'word 500', exact: true }).count()).toBe(0),
    );
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(COUNT + 1));
  });

  it('are exported as they are filtered, ordered and shown', async () => {
    await show('#/data/row?filter=lt(number,3)&order=number%3Bdesc');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Hide all' }).click();
    await page.getByRole('checkbox', { name: 'Word' }).check();
    await page.keyboard.press('Escape');
    await choose('Export');
    const download = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('row.csv');
    const lines = readFileSync(await saved.path(), 'utf8').split('\r\n');
    expect(lines.slice(0, 4)).toEqual(['word', '"word 2"', '"word 1"', '"word 0"']);
  });

  it('are written as they arrive where the browser can', async () => {
    await show('#/data/row');
    // Stands for the file that a person picks.
    await page.evaluate(`window.parts = []; window.showSaveFilePicker = async () => ({
      createWritable: async () => new WritableStream({ write: (part) => void window.parts.push(part.length) }),
    })`);
    await choose('Export');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached', timeout: 60_000 });
    const parts = await page.evaluate<number[]>('window.parts');
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeGreaterThan(COUNT * 10);
    expect(Math.max(...parts)).toBeLessThan(1024 * 1024);
  });
});

describe('a thousand columns of odd names', () => {
  it('are shown and scrolled, and found', async () => {
    await show('#/group/wide');
    await page.getByRole('gridcell', { name: EVIL }).first().waitFor();
    expect(await page.getByRole('columnheader').count()).toBeLessThan(30);
    // The last columns are the times.
    await page.getByRole('gridcell').first().focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('columnheader', { name: /999/ }).waitFor();
    await page.getByRole('gridcell', { name: 'the last' }).waitFor();
    await opened.screenshot('thousand-columns');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Hide all' }).click();
    await page.getByRole('searchbox', { name: 'Find a column' }).fill('999');
    await page.getByRole('checkbox', { name: `${EVIL} 999` }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: 'the last' }).waitFor();
    expect(await page.getByRole('columnheader').count()).toBe(3);
    expect(opened.complaints).toEqual([]);
  });
});

describe('what a browser loads first', () => {
  it('is below 400 KB compressed', () => {
    const html = readFileSync(join(DIST, 'index.html'), 'utf8');
    const names = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(1);
    const bytes = names.map((name) => readFileSync(join(DIST, name)));
    const sizeBy = (compress: (file: Buffer) => Buffer) =>
      Math.round(bytes.reduce((sum, file) => sum + compress(file).length, 0) / 1024);
    const [gzip, brotli] = [sizeBy((file) => gzipSync(file)), sizeBy((file) => brotliCompressSync(file))];
    console.info(`first load: ${gzip} KB with gzip, ${brotli} KB with Brotli`);
    expect(gzip).toBeLessThan(400);
  });
});
