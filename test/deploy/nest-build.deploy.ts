/** Nest's own compiler (`nest build`, nest-cli.json) makes the same service as `npm start`, with the same settings. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMPILED } from '../support/compiled.js';
import { ownDatabase, urlOf } from '../support/own-database.js';
import { sideConnection } from '../support/side-connection.js';

const root = join(import.meta.dirname, '../..');
const temporary = await mkdtemp(join(tmpdir(), 'kind-build-'));
/** Inside the checkout, where its packages are found. */
const byNest = `dist.nest-test-${process.pid}`;
afterAll(async () => {
  const folders = [temporary, join(root, byNest)];
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
});

beforeAll(async () => {
  const settings = { extends: join(root, 'tsconfig.build.json'), compilerOptions: { outDir: join(root, byNest) } };
  const file = join(temporary, 'tsconfig.json');
  await writeFile(file, JSON.stringify(settings));
  const cli = join(import.meta.dirname, 'node_modules/@nestjs/cli/bin/nest.js');
  await promisify(execFile)(process.execPath, [cli, 'build', '--path', relative(root, file)], { cwd: root });
}, 60_000);

/** The code of each file that was built, without the maps and blank lines, and without the bundle. */
async function builtIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) =>
    entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : [],
  );
  const built = paths.filter((path) => !path.endsWith('.map') && !path.startsWith('bundle/'));
  const read = built.map(async (path): Promise<[string, string]> => {
    const text = await readFile(join(folder, path), 'utf8');
    return [path, text.replace(/^\/\/# sourceMappingURL=.*$|\n+$/gm, '')];
  });
  return new Map(await Promise.all(read));
}

it('creates the same files as a start from the sources', async () => {
  const [nest, start] = await Promise.all([builtIn(join(root, byNest)), builtIn(COMPILED)]);
  expect(nest.size).toBeGreaterThan(200);
  expect([...nest.keys()].sort()).toEqual([...start.keys()].sort());
  for (const [path, code] of nest) expect(code, path).toBe(start.get(path));
});

it('reads every variable, and serves the pages', { timeout: 60_000 }, async () => {
  const database = await ownDatabase();
  const service = spawn(process.execPath, [join(root, byNest, 'main.js')], {
    cwd: temporary,
    env: {
      ...process.env,
      DATABASE_URL: urlOf(database),
      DATA_DIR: join(temporary, 'data'),
      PORT: '0',
      SHUTDOWN_IDLE: '0s',
      NODE_ENV: 'production',
      JWT_SECRET: 'of-a-test-that-starts-what-was-built',
      BOOTSTRAP_PROJECT: 'built',
      LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let url: string | undefined;
    for await (const line of createInterface(service.stdout)) {
      url = /Service +(http:\S+)/.exec(line)?.[1] ?? url;
      if (line.includes('Administrator')) break;
    }
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect((await fetch(`${url}/api/lib/doc/swaggerui`)).status).toBe(200);
    const side = await sideConnection(database);
    expect(await side.rows('SELECT id FROM kind.project')).toEqual([{ id: 'built' }]);
    expect(await readdir(join(temporary, 'data')).catch(() => [])).not.toContain('postgres');
  } finally {
    const gone = once(service, 'exit');
    if (service.kill('SIGTERM')) await gone;
  }
});
