/** How `npm start`, `npm run dev` and `npm run kind` build: in another process, with a bundle, and with an error that says why. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.js';

const root = join(import.meta.dirname, '../../..');

const SERVICE = `
  import { database } from '@kind/embedded-postgres';
  import { ready } from './place/place.js';
  console.log(JSON.stringify({ ready, database, trace: new Error().stack }));
`;
const PACKAGE = `export const database = 'embedded';`;
const PLACE = 'export const ready = { url: import.meta.url, folder: import.meta.dirname };';

/** A checkout whose service prints where its module is. Other sources replace or complete its own. */
async function checkout(sources: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kind-checkout-'));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const own = [
    'package.json',
    '.swcrc',
    'scripts',
    'src/entry.ts',
    'src/main.ts',
    'src/cli/main.ts',
    'src/node-settings.ts',
  ];
  await Promise.all(own.map((path) => cp(join(root, path), join(folder, path), { recursive: true })));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const all = {
    'src/serve.ts': SERVICE,
    'packages/embedded-postgres/index.ts': PACKAGE,
    'src/cli/command-line.ts': '',
    'src/place/place.ts': PLACE,
    ...sources,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** What the service of a checkout prints. */
interface Said {
  readonly ready: { readonly url: string; readonly folder: string };
  readonly database: string;
  readonly trace: string;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(folder: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

it('bundles the service, whose modules keep their places', async () => {
  const folder = await checkout();
  const { code, out, err } = await run(folder, 'scripts/start.mjs');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { ready, database, trace } = JSON.parse(out) as Said;
  expect(database).toBe('embedded');
  expect(trace).toContain(join(folder, 'dist', 'bundle', 'serve.cjs'));
  const place = join(folder, 'dist', 'place');
  expect(ready.url).toBe(pathToFileURL(join(place, 'place.js')).href);
  expect(join(ready.folder)).toBe(place);
});

it('builds once, in a process that has ended before the service starts', async () => {
  // The handle of a process that has ended is closed in a later turn of the loop.
  const loaded = `
    const compilers = process.report.getReport().sharedObjects.filter((path) => /swc|rolldown/.test(path));
    const hasChildren = () => process.getActiveResourcesInfo().includes('ProcessWrap');
    setTimeout(() => console.log(JSON.stringify({ compilers, children: hasChildren() })), 50);
  `;
  const folder = await checkout({ 'src/serve.ts': loaded });
  const first = await run(folder, 'scripts/start.mjs');
  expect(JSON.parse(first.out)).toEqual({ compilers: [], children: false });
  await writeFile(join(folder, 'scripts/builder.mjs'), 'throw new Error("built again");');
  expect(await run(folder, 'scripts/start.mjs')).toEqual(first);
});

it('ends with the file and the fault if a source cannot be compiled', async () => {
  const folder = await checkout({ 'src/place/place.ts': 'export const ready = ;' });
  const { code, out, err } = await run(folder, 'scripts/start.mjs');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('Expression expected');
  expect(err).toContain(join('src', 'place', 'place.ts'));
  expect(err).toContain('error: the build failed (exit code 1)');
  expect((await readdir(folder)).filter((name) => name.startsWith('dist'))).toEqual([]);
});

it('runs without a bundle where none can be made, and says so at the build', async () => {
  const folder = await checkout();
  await writeFile(
    join(folder, 'scripts/bundle.mjs'),
    'export const bundle = () => { throw new Error("no bundler"); };',
  );
  const { code, out, err } = await run(folder, 'scripts/start.mjs');
  expect(code).toBe(0);
  expect(err).toBe('the service is not bundled and starts more slowly: no bundler\n');
  expect((JSON.parse(out) as { trace: string }).trace).toContain(join(folder, 'dist', 'serve.js'));
  expect((await run(folder, 'scripts/start.mjs')).err).toBe('');
});

it(
  'builds and starts again after each change, also of a file that an editor replaces, until it is stopped',
  { timeout: 90_000 },
  async () => {
    const serve = `import { text } from './place/place.js'; console.log(text); setInterval(() => {}, 1000);`;
    const folder = await checkout({ 'src/serve.ts': serve, 'src/place/place.ts': `export const text = 'first';` });
    const dev = spawn(process.execPath, ['scripts/dev.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(dev, 'exit');
    const errors = createInterface(dev.stderr);
    const lines = createInterface(dev.stdout)[Symbol.asyncIterator]();
    const place = async (code: string): Promise<void> => {
      await writeFile(join(folder, 'draft.ts'), `export const text = ${code};`);
      await rename(join(folder, 'draft.ts'), join(folder, 'src/place/place.ts'));
    };
    expect((await lines.next()).value).toBe('first');
    await place(`'second'`);
    expect((await lines.next()).value).toBe('second');
    await place('');
    for await (const line of errors) if (line.includes('the build failed')) break;
    await place(`'fixed'`);
    expect((await lines.next()).value).toBe('fixed');
    dev.kill('SIGTERM');
    await ended;
  },
);
