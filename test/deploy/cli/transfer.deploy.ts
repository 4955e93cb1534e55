/** `import` and `export` of the command line, beside a running service: files, compressed files, faults. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import { loadConfig } from '../../../src/config/config.js';
import { atEnd } from '../../support/at-end.js';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';

const connection = await ownDatabase();
const service = await startServiceOn(connection);
const project = await service.project();
await defineKinds(project, {
  id: 'book',
  parameters: [
    { id: 'title', kind_id: 'string' },
    { id: 'pages', kind_id: 'integer', min_value: 1 },
  ],
});
const folder = mkdtempSync(join(tmpdir(), 'kind-files-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const config = loadConfig({ DATABASE_URL: urlOf(connection), LOG_LEVEL: 'fatal', DATA_DIR: folder }, folder);

async function kind(...argv: string[]) {
  let out = '';
  let err = '';
  const code = await runCommandLine(argv, { out: (text) => (out += text), err: (text) => (err += text) }, () => config);
  return { code, out, err };
}

const file = (name: string) => join(folder, name);

describe('import', () => {
  it('creates the units of a file', async () => {
    writeFileSync(file('books.csv'), 'title,pages\nA,1\n"B, or not",2\n');
    const { code, out, err } = await kind('import', project.id, 'book', file('books.csv'), '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ count: 2, created: 2, failed: 0 });
    expect(await ok(project.get('/book/unit?limit=0'))).toEqual({ count: 2, items: [] });
  });

  it('names the lines of faults, and stores nothing', async () => {
    writeFileSync(file('bad.csv'), 'title,pages\nC,1\nD,0\nE,x\n');
    expect(await kind('import', project.id, 'book', file('bad.csv'))).toEqual({
      code: 1,
      out: '',
      err: 'error: line 3: pages: at least 1, got 0; line 4: pages: must be a whole number, got string\n',
    });
    const { code, out } = await kind('import', project.id, 'book', file('bad.csv'), '--errors', 'skip');
    expect(code).toBe(0);
    expect(out).toMatch(/created +1\n[^]*failed +2\nline 3: pages/);
  });

  it('of a missing file, kind or project is refused in a line', async () => {
    const missing = await kind('import', project.id, 'book', file('none.csv'));
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain(`${file('none.csv')} cannot be read: ENOENT`);
    expect((await kind('import', project.id, 'book', folder, '--format', 'csv')).err).toContain('is a folder');
    expect((await kind('import', project.id, 'none', file('books.csv'))).err).toContain("No kind 'none'");
    expect((await kind('import', 'nowhere', 'book', file('books.csv'))).err).toContain('nowhere');
    expect((await kind('import', project.id)).code).toBe(2);
  });
});

describe('export', () => {
  it('writes a file that can be imported again with the same ids', async () => {
    const before = await ok(project.get('/book/unit?include=id,title,pages'));
    expect(await kind('export', project.id, 'book', file('all.csv.gz'))).toEqual({
      code: 0,
      out: `3 units in ${file('all.csv.gz')}\n`,
      err: '',
    });
    expect(gunzipSync(readFileSync(file('all.csv.gz'))).toString()).toContain('"B, or not",2');
    for (const { id } of before.items as { id: string }[]) await ok(project.delete(`/book/unit/${id}`));
    expect((await kind('import', project.id, 'book', file('all.csv.gz'), '--ids', 'keep')).code).toBe(0);
    expect(await ok(project.get('/book/unit?include=id,title,pages'))).toEqual(before);
  });

  it('takes filter, order, include and the format from its options', async () => {
    const options = ['--filter', 'gt(pages,1)', '--order', '-title', '--include', 'title'];
    await kind('export', project.id, 'book', file('some.ndjson'), ...options);
    expect(readFileSync(file('some.ndjson'), 'utf8')).toBe('{"title":"B, or not"}\n');
  });

  it('leaves nothing behind where it is refused', async () => {
    const refused = await kind('export', project.id, 'book', file('refused.csv'), '--include', 'none');
    expect(refused.err).toContain("no parameter 'none'");
    expect(readdirSync(folder).filter((name) => name.startsWith('refused'))).toEqual([]);
  });

  it('says what is wrong with a file that cannot be written', async () => {
    const { err } = await kind('export', project.id, 'book', file('nowhere/all.csv'));
    expect(err).toMatch(/^error: .*all\.csv cannot be written: ENOENT.*\n$/);
    expect((await kind('export', project.id, 'book', folder)).err).toBe(
      `error: ${folder} is a folder: name a file in it\n`,
    );
  });

  it('takes the place of no device or pipe', async () => {
    const pipe = file('pipe.csv');
    execFileSync('mkfifo', [pipe]);
    expect((await kind('export', project.id, 'book', pipe)).err).toBe(
      `error: ${pipe} is a device or a pipe: name a file, or - for standard output\n`,
    );
    expect(statSync(pipe).isFIFO()).toBe(true);
  });
});
