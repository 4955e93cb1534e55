/** A command that finds no database reports that and creates none. */
import 'reflect-metadata';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import { loadConfig } from '../../../src/config/config.js';
import { FunctionsFolder } from '../../support/functions.js';
import { ownDatabase, urlOf } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';

const folder = mkdtempSync(join(tmpdir(), 'kind-none-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const functions = new FunctionsFolder();
const database = await ownDatabase();
const side = await sideConnection(database);

async function kind(argv: readonly string[], env: Record<string, string>) {
  let out = '';
  let err = '';
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const config = () => loadConfig({ FUNCTIONS_DIR: functions.path, LOG_LEVEL: 'fatal', ...env }, folder);
  const code = await runCommandLine(argv, terminal, config);
  return { code, out, err };
}

/** Every command but `project create`, and `functions check` and `model check`, which can do without. */
const COMMANDS = [
  ['project', 'list'],
  ['project', 'show', 'acme'],
  ['project', 'set', 'acme', 'otp=on'],
  ['project', 'delete', 'acme', '--yes'],
  ['project', 'migrate'],
  ['member', 'set-password', 'acme', 'ann'],
  ['model', 'dump', 'acme'],
  ['types', 'acme'],
];

/** Citus has some of its own. */
const schemas = () => side.rows("SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1");
const before = await schemas();

describe.each(COMMANDS)('%s %s', (...argv) => {
  test('creates no embedded database', async () => {
    const dataDir = join(folder, 'nothing');
    expect(await kind(argv, { DATA_DIR: dataDir })).toEqual({
      code: 1,
      out: '',
      err: `error: there is no database in DATA_DIR ${dataDir}: "npm start" or "project create" makes one, or DATABASE_URL names one\n`,
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  test('writes nothing into a database of another application', async () => {
    expect(await kind(argv, { DATABASE_URL: urlOf(database) })).toEqual({
      code: 1,
      out: '',
      err: 'error: the database of DATABASE_URL has never been served: "npm start" or "project create" makes it ready\n',
    });
    expect(await schemas()).toEqual(before);
  });
});

test('functions check prints the declarations of the modules, and that it knows no kinds', async () => {
  functions.write('city.ts', `import { kind } from 'kind'; export default kind('city').module({});`);
  functions.write(
    'land.ts',
    `import { kind } from 'kind'; const n: number = 'x'; export default kind('land').module({});`,
  );
  const dataDir = join(folder, 'nothing');
  const { code, out } = await kind(['functions', 'check'], { DATA_DIR: dataDir });
  expect(code).toBe(1);
  expect(out).toMatch(/^city\.ts /m);
  expect(out).toContain('Kinds of projects were not checked: there is no database.\n');
  expect(out).toMatch(/^land\.ts:1: Type 'string' is not assignable/m);
  const json = await kind(['functions', 'check', '--json'], { DATABASE_URL: urlOf(database) });
  expect(JSON.parse(json.out)).toMatchObject({ kinds: false, modules: [{ kind: 'city' }, { kind: 'land' }] });
  expect(readdirSync(folder)).toEqual([]);
});

test('project create makes one, and the others find it', async () => {
  const env = { DATABASE_URL: urlOf(database) };
  expect(await kind(['project', 'create', 'acme', '--admin-password', 'correct horse 1'], env)).toMatchObject({
    code: 0,
  });
  expect(await kind(['project', 'list', '--json'], env)).toMatchObject({ code: 0, err: '' });
});
