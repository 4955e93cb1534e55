/** The command line as a separate process, without a running service. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compiled } from '../../support/compiled.js';
import { copyInitialised } from '../../support/initialised.js';

const root = join(import.meta.dirname, '../../..');
const dataDir = mkdtempSync(join(tmpdir(), 'kind-cli-alone-'));
copyInitialised(dataDir);
afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));

function kind(argv: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
  const args = [compiled('cli/main.js'), ...argv];
  const options = { cwd: root, env: { ...process.env, DATA_DIR: dataDir, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

test('a command starts the embedded database for the time it needs', async () => {
  expect(await kind(['project', 'create', 'acme', '--admin-password', 'correct horse 1'])).toEqual({
    code: 0,
    out: 'project key    acme\nadministrator  admin\n',
    err: '',
  });
  const { code, out } = await kind(['project', 'list', '--json']);
  expect({ code, keys: (JSON.parse(out) as { key: string }[]).map(({ key }) => key) }).toEqual({
    code: 0,
    keys: ['acme'],
  });
  // No connection file of a database that is gone, and no secret that nobody asked for.
  expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log']);
}, 60_000);

test('a function module cannot keep a command from ending', async () => {
  const functions = join(dataDir, 'functions');
  mkdirSync(functions);
  const careless = `setInterval(() => undefined, 1000); Promise.reject(new Error('loose'));`;
  writeFileSync(
    join(functions, 'job.ts'),
    `import { kind } from 'kind'; ${careless} export default kind('job').module({});`,
  );
  const { code, out, err } = await kind(['functions', 'check'], { FUNCTIONS_DIR: functions, LOG_FORMAT: 'json' });
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^FILE .*\njob\.ts /) as string });
  expect(JSON.parse(err)).toMatchObject({ level: 'error', file: 'job.ts', err: { message: 'loose' } });
}, 60_000);

test('failures and usage errors exit with 1 and 2, in one line, without a stack', async () => {
  expect(await kind(['project', 'list'], { PORT: 'x' })).toEqual({
    code: 1,
    out: '',
    err: 'error: PORT: got "x", wants a whole number from 0 to 65535\n',
  });
  expect(await kind(['project', 'delete', 'acme'])).toMatchObject({ code: 2, out: '' });
}, 60_000);
