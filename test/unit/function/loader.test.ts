/** Loading keeps a process alive and its modules apart, whatever they do at their top level. */
import { describe, expect, it } from 'vitest';
import type { FunctionModule } from '../../../src/function/definition.js';
import { readFolder } from '../../../src/function/folder.js';
import { Loader } from '../../../src/function/loader.js';
import { FunctionsFolder } from '../../support/functions.js';

const say = (kind: string, text: string, before = '') =>
  `import { kind } from 'kind';\n${before}\nconst k = kind('${kind}');\n` +
  `export default k.module({ functions: { say: k.function({ description: 'Says', ${text} }) } });`;
const run = (module: FunctionModule | undefined) => module?.functions.kind.get('say')?.run({} as never);

function setUp(files: Readonly<Record<string, string>>, patience?: number) {
  const folder = new FunctionsFolder(files);
  const loader = new Loader(folder.path, patience);
  return { folder, load: async () => loader.load(await readFolder(folder.path)) };
}

describe('modules that never come to an end', () => {
  it('share one time limit, and leave something of it for those that do', async () => {
    const hangs = (kind: string) => say(kind, 'run: () => 1', 'await new Promise(() => undefined);');
    const waits = say('last', "run: () => 'loaded'", 'await Promise.resolve();');
    const { load } = setUp({ 'a.ts': hangs('a'), 'b.ts': hangs('b'), 'last.ts': waits }, 400);
    const { faults, findReady } = await deployed(load);
    expect(faults).toEqual(['a.ts: did not load within 0.2 seconds', 'b.ts: did not load within 0.1 seconds']);
    expect(run(findReady('last'))).toBe('loaded');
  });
});

describe('a helper', () => {
  it('that fails, fails for every module that imports it', async () => {
    const { load } = setUp({
      '_lib.ts': "export const word = 'x'; await Promise.resolve(); throw new Error('no word');",
      'a.ts': say('a', 'run: () => word', "import { word } from './_lib.ts';"),
      'b.ts': say('b', 'run: () => word', "import { word } from './_lib.ts';"),
    });
    expect((await deployed(load)).faults).toEqual(['a.ts: no word', 'b.ts: no word']);
  });

  it('is one, with what it holds, for all modules of a load', async () => {
    const { load } = setUp({
      '_lib.ts': 'export const held: string[] = [];',
      'a.ts': say('a', "run: () => held.push('a')", "import { held } from './_lib.ts';"),
      'b.ts': say('b', "run: async () => (await import('./_lib.ts')).held"),
    });
    const { findReady } = await deployed(load);
    run(findReady('a'));
    expect(await run(findReady('b'))).toEqual(['a']);
  });

  it('that a function imports when it runs is loaded again, and modules keep the one that they have', async () => {
    const { folder, load } = setUp({
      '_lazy.ts': "export { default as data } from './_data.json'; export const word = 'first';",
      '_data.json': '{ "word": "first" }',
      'a.ts': say(
        'a',
        "run: async () => { const { data, word } = await import('./_lazy.ts'); return [word, data.word]; }",
      ),
    });
    const before = (await deployed(load)).findReady('a');
    expect(await run(before)).toEqual(['first', 'first']);
    folder.write('_lazy.ts', "export { default as data } from './_data.json'; export const word = 'second';");
    folder.write('_data.json', '{ "word": "second" }');
    expect(await run((await deployed(load)).findReady('a'))).toEqual(['second', 'second']);
    expect(await run(before)).toEqual(['first', 'first']);
  });
});

it('others have their turn between two modules', async () => {
  const turns: number[] = [];
  let turn = 0;
  let loading = true;
  const spin = () => {
    turn += 1;
    if (loading) setImmediate(spin);
  };
  Object.assign(globalThis, { noteTurn: () => turns.push(turn) });
  const names = ['a', 'b', 'c', 'd'];
  const noting = (kind: string) => say(kind, 'run: () => 1', '(globalThis as any).noteTurn();');
  const { load } = setUp(Object.fromEntries(names.map((name) => [`${name}.ts`, noting(name)])));
  setImmediate(spin);
  await load();
  loading = false;
  expect(new Set(turns).size).toBe(names.length);
});

it('a function has its own declaration for `this`', async () => {
  const { load } = setUp({ 'a.ts': say('a', 'run() { return Object.keys(this); }') });
  expect(run((await deployed(load)).findReady('a'))).toEqual(['description', 'run']);
});

async function deployed(load: ReturnType<typeof setUp>['load']) {
  const deployment = await load();
  return {
    faults: deployment.faults.map(({ file, text }) => `${file}: ${text}`),
    findReady: (kind: string) => deployment.findReady('any', kind),
  };
}
