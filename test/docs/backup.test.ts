/** The commands and files of docs/backup.md, from top to bottom, as a reader runs them. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { loadConfig } from '../../src/config/config.js';
import { atEnd } from '../support/at-end.js';
import { headerOf, partsOf } from '../support/backup-files.js';
import { defineKinds } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { ownDatabase, startServiceOn, urlOf } from '../support/own-database.js';
import { codeBlocks } from './markdown.js';

const connection = await ownDatabase();
const service = await startServiceOn(connection, {
  bootstrap: {
    project: 'shop',
    adminUsername: 'admin',
    adminEmail: 'admin@example.com',
    adminPassword: 'correct horse 1',
  },
});
const folder = mkdtempSync(join(tmpdir(), 'kind-docs-backup-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const config = loadConfig({ DATABASE_URL: urlOf(connection), LOG_LEVEL: 'fatal', DATA_DIR: folder }, folder);
const page = readFileSync(join(import.meta.dirname, '../../docs/backup.md'), 'utf8');
const KIND = 'npm run kind -- ';

/** What a command prints; paths are those in the folder of the test. */
async function printed(command: string): Promise<string> {
  if (!command.startsWith(KIND)) {
    return (await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', command], { cwd: folder })).stdout;
  }
  let text = '';
  const terminal = { out: (part: string) => (text += part), err: (part: string) => (text += part) };
  const words = command.slice(KIND.length).split(' ');
  const argv = words.map((word) => (/^backups$|\.tar\.gz$/.test(word) ? join(folder, word) : word));
  expect(await runCommandLine(argv, terminal, () => config), text).toBe(0);
  return text.replaceAll(`${folder}/`, '').replace(/as of \S+Z/, 'as of <time>');
}

test('docs/backup.md', async () => {
  const project = await service.signIn('shop');
  await defineKinds(project, { id: 'book', parameters: [{ id: 'title', kind_id: 'string' }] });
  // The administrator is the third unit.
  await ok(project.post('/book/unit', [{ title: 'A' }, { title: 'B' }]));
  let last = '';
  let answers = 0;
  for (const { info, text } of codeBlocks(page)) {
    if (info === 'sh') last = await printed(text);
    if (info === 'text') {
      expect(last.trim()).toBe(text);
      answers += 1;
    }
    if (info === 'json header') {
      expect(headerOf(join(folder, 'shop.tar.gz'))).toEqual(JSON.parse(text));
    }
    if (info === 'json manifest') {
      const manifest = JSON.parse((await partsOf(join(folder, 'shop.tar.gz'))).get('manifest.json') ?? '') as object;
      expect(shapeOf(manifest)).toEqual(shapeOf(JSON.parse(text)));
    }
  }
  expect(answers).toBe(6);
});

/** The names of fields, and of the first element of lists. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}
