/** The registry looks at the folder of functions: what is there is loaded, and what keeps it from that is told once. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/config/config.js';
import { FunctionRegistry } from '../../../src/function/load/module-registry.js';
import { FunctionsFolder } from '../../support/functions.js';

const MODULE = "import { kind } from 'kind'; export default kind('city').module({});";

const lines: string[] = [];
const log = pino(
  { level: 'warn' },
  { write: (text: string) => void lines.push((JSON.parse(text) as { msg: string }).msg) },
);
const folder = new FunctionsFolder();
const at = join(folder.path, 'functions');
const started: FunctionRegistry[] = [];

async function start(watch: 'on' | 'off'): Promise<FunctionRegistry> {
  const registry = new FunctionRegistry(loadConfig({ FUNCTIONS_DIR: at, FUNCTIONS_WATCH: watch }, folder.path), log);
  started.push(registry);
  await registry.onModuleInit();
  return registry;
}

beforeEach(() => {
  folder.remove('functions');
  lines.splice(0);
});
afterEach(() => {
  for (const registry of started.splice(0)) registry.onApplicationShutdown();
});

it('reports a missing folder, and loads its modules when it appears', async () => {
  const registry = await start('on');
  await registry.check();
  expect(lines).toEqual([`FUNCTIONS_DIR: there is no folder ${at}; its modules are loaded when it appears`]);
  folder.write('functions/city.ts', MODULE);
  await vi.waitFor(() => expect(registry.current.loaded).toMatchObject([{ state: 'ready', kind: 'city' }]), 10_000);
  folder.remove('functions');
  await registry.check();
  expect([registry.current.loaded, lines.length]).toEqual([[], 2]);
});

it('reports that a missing folder is not watched', async () => {
  await start('off');
  expect(lines).toEqual([
    `FUNCTIONS_DIR: there is no folder ${at}; its modules are loaded when the service starts again`,
  ]);
});

it('ignores declarations and tests', async () => {
  folder.write('functions/city.ts', MODULE);
  const registry = await start('off');
  const before = registry.current;
  folder.write('functions/kinds.d.ts', 'export {};');
  folder.write('functions/city.test.ts', 'export {};');
  await registry.check();
  expect(registry.current).toBe(before);
  folder.write('functions/_words.ts', 'export {};');
  await registry.check();
  expect(registry.current).not.toBe(before);
});

it('says nothing of a folder without modules', async () => {
  folder.write('functions/readme.md', '');
  await start('off');
  expect(lines).toEqual([]);
});

it.each([
  ['is a file', () => writeFileSync(at, '')],
  ['leads to itself', () => symlinkSync(at, at)],
])('tells once that the folder cannot be read, and keeps the modules, until it can: it %s', async (_, spoil) => {
  folder.write('functions/city.ts', MODULE);
  const registry = await start('off');
  const unread = 'the folder of functions cannot be read: its modules stay as they are';
  for (const told of [[unread], [unread, unread]]) {
    rmSync(at, { recursive: true });
    spoil();
    await expect(start('off')).rejects.toThrow(ConfigError);
    await registry.check();
    await registry.check();
    expect([lines, registry.current.loaded.length]).toEqual([told, 1]);
    rmSync(at);
    folder.write('functions/city.ts', MODULE);
    await registry.check();
  }
});
