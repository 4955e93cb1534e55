/** The files of a client that are the same for all projects. */
import { readFile } from 'node:fs/promises';
import { writtenFile } from './written-file.js';

/** Beside src/, as dist/ is. */
const SOURCES = new URL('../../../packages/client/', import.meta.url);
/** Each after those that it imports. */
const MODULES = [
  'kinds',
  'codes',
  'call',
  'filters',
  'connection',
  'events',
  'parts',
  'session',
  'operations',
  'auth',
  'batch',
  'changes',
  'files',
  'live',
  'client',
];

const INDEX = `import { createClient as make, type Client, type ClientOptions } from './runtime.js';
import { FACTS, type Kinds } from './types.js';

export * from './runtime.js';
export type { Kinds } from './types.js';

/** The client of the project. */
export function createClient(options: ClientOptions): Client<Kinds> {
  return make<Kinds>(options, FACTS);
}
`;

/** The texts by the names of the files. @param types that of `types.ts` */
export async function clientFiles(caller: string, types: string): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['types.ts', types],
    ['runtime.ts', writtenFile(caller, await runtimeText())],
    ['index.ts', writtenFile(caller, INDEX)],
  ]);
}

/** All modules as one, without imports, and with the exports of the index. */
async function runtimeText(): Promise<string> {
  const read = (name: string) => readFile(new URL(`${name}.ts`, SOURCES), 'utf8');
  const texts = await Promise.all(MODULES.map(read));
  const index = await read('index');
  const exported = [...index.matchAll(/^export (?:type )?\{[^}]*\}/gm)].map(([list]) => `${list};`);
  return [
    '/** The client of a project of Kind (docs/client.md), under the MIT licence. `types.ts` says which kinds there are. */',
    ...texts.map((text) => text.replace(/^import [^;]* from '\.\/[^']*';\n/gm, '').replace(/^export /gm, '')),
    `${exported.join('\n')}\n`,
  ].join('\n');
}
