/** TypeORM's command line on the registry, as docs/operations.md shows it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/database/migrations/migrations.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';

const database = await ownDatabase();

async function typeorm(...args: string[]): Promise<string> {
  const command = ['--import', './scripts/typescript.mjs', 'node_modules/typeorm/cli.js', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, [...command, '-d', 'ormconfig.ts'], {
    cwd: join(import.meta.dirname, '../../..'),
    // CI sets FORCE_COLOR.
    env: { ...process.env, DATABASE_URL: urlOf(database), FORCE_COLOR: '0' },
  });
  return stdout;
}

it('creates the registry in a fresh database, as the entities declare and the service uses it', async () => {
  const made = await typeorm('migration:run');
  const names = [...made.matchAll(/Migration (\w+) has been .*executed/g)].map(([, name]) => name);
  expect(names).toHaveLength(MIGRATIONS.length);
  await startServiceOn(database);
  expect(await typeorm('migration:show')).toBe(names.map((name, at) => `[X] ${at + 1} ${name}\n`).join(''));
  expect(await typeorm('schema:log')).toContain('up to date');
}, 60_000);
