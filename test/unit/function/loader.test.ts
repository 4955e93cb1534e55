/** Loading keeps a process alive and its modules apart, whatever they do at their top level. */
import { describe, expect, it } from 'vitest';
import { faultText, type ReadyModule } from '../../../src/function/declare/definition.js';
import { readFolder } from '../../../src/function/load/folder.js';
import { Loader } from '../../../src/function/load/module-registry.js';
import { FunctionsFolder } from '../../support/functions.js';

const say = (kind: string, text: string, before = '') =>
  `import { kind } from 'kind';\n${before}\nconst k = kind('${kind}');\n` +
  `export default k.module({ functions: { say: k.function({ description: 'Says', ${text} }) } });`;
const run = (module: ReadyModule | undefined) => module?.functions.kind.get('say')?.run({} as never);

function setUp(files: Readonly<Record<string, string>>, patience?: number) {
  const folder = new FunctionsFolder(files);
  const loader = new Loader(folder.path, patience);
  return { folder, load: async () => loader.load(await readFolder(folder.path)) };
}

describe('modules that never finish loading', () => {
  it('share one time limit, which leaves time for the others', async () => {
    const hangs = (kind: string) => say(kind, 'run: () => 1', 'await new Promise(() => undefined);');
    const waits = say('last', "run: () => 'loaded'", 'await Promise.resolve();');
    const { load } = setUp({ 'a.ts': hangs('a'), 'b.ts': hangs('b'), 'last.ts': waits }, 400);
    const { faults, findReady } = await deployed(load);
    expect(faults).toEqual(['a.ts: did not load within 0.2 seconds', 'b.ts: did not load within 0.1 seconds']);
    expect(run(findReady('last'))).toBe('loaded');
  });
});

describe('a helper', () => {
  it('that fails breaks every module that imports it', async () => {
    const { load } = setUp({
      '_lib.ts': "export const word = 'x'; await Promise.resolve(); throw new Error('no word');",
      'a.ts': say('a', 'run: () => word', "import { word } from './_lib.ts';"),
      'b.ts': say('b', 'run: () => word', "import { word } from './_lib.ts';"),
    });
    expect((await deployed(load)).faults).toEqual(['_lib.ts:1: no word (of a.ts)', '_lib.ts:1: no word (of b.ts)']);
  });

  it.each<[name: string, files: Readonly<Record<string, string>>, place: object]>([
    [
      'by what it throws',
      { '_lib.ts': "\nthrow new Error('no word');" },
      { file: '_lib.ts', line: 2, text: 'no word' },
    ],
    [
      'by what it throws when it is called',
      { '_lib.ts': "export const word = call();\nfunction call(): never {\n  throw new Error('no word'); }" },
      { file: '_lib.ts', line: 3, text: 'no word' },
    ],
    ['by its syntax', { '_lib.ts': 'export const word = 1;\n\nconst = 2;' }, { file: '_lib.ts', line: 3 }],
    ['by an import', { '_lib.ts': "\nimport './nothing.ts';" }, { file: '_lib.ts', line: 2 }],
    [
      'by one that it imports',
      {
        '_lib.ts': "export * from './_more/deep.ts';",
        '_more/deep.ts': "\n\nawait Promise.reject(new Error('deep'));",
      },
      { file: '_more/deep.ts', line: 3, text: 'deep' },
    ],
    [
      'by its JSON',
      { '_lib.ts': "export { word } from './_data.json';", '_data.json': '{ word }' },
      { file: '_data.json', text: expect.stringMatching(/^Expected property name/) as string },
    ],
    [
      'by what a package throws',
      {
        '_lib.ts': "import { fail } from 'odd';\nexport const word = fail();",
        'node_modules/odd/package.json': '{ "name": "odd", "main": "odd.js" }',
        'node_modules/odd/odd.js': "exports.fail = () => { throw new Error('odd'); };",
      },
      { file: '_lib.ts', line: 2, text: 'odd' },
    ],
    [
      'by what it declares',
      {
        '_lib.ts': `import { kind } from 'kind';\n\nexport const word = kind('a').function({ description: '', run: () => 1 });`,
      },
      { file: '_lib.ts', line: 3, text: 'functions.said.description: must be a sentence' },
    ],
  ])('that is wrong is told of with its own place: %s', async (_, files, place) => {
    const module = `import { kind } from 'kind';\nimport { word } from './_lib.ts';\nexport default kind('a').module({ functions: { said: word } });`;
    const { load } = setUp({ ...files, 'a.ts': module });
    expect((await load()).faults).toEqual([{ text: expect.any(String) as string, ...place, module: 'a.ts' }]);
  });

  it('is one instance with its state for all modules of a load', async () => {
    const { load } = setUp({
      '_lib.ts': 'export const held: string[] = [];',
      'a.ts': say('a', "run: () => held.push('a')", "import { held } from './_lib.ts';"),
      'b.ts': say('b', "run: async () => (await import('./_lib.ts')).held"),
    });
    const { findReady } = await deployed(load);
    run(findReady('a'));
    expect(await run(findReady('b'))).toEqual(['a']);
  });

  it('that a function imports after a change is the version of its load', async () => {
    const words = (word: string) => ({
      '_lazy.ts': `export { word } from './_inner.ts'; export const own = '${word}';`,
      '_inner.ts': `export const word: string = '${word}';`,
    });
    const { folder, load } = setUp({
      ...words('first'),
      'a.ts': say('a', "run: async () => { const { own, word } = await import('./_lazy.ts'); return [own, word]; }"),
      'b.ts': say('b', "run: async () => (await import('./_lazy.ts')).own"),
    });
    const [before, unloaded] = [(await deployed(load)).findReady('a'), (await deployed(load)).findReady('b')];
    for (const [name, text] of Object.entries(words('second'))) folder.write(name, text);
    expect(await run(unloaded)).toBe('first');
    expect(await run((await deployed(load)).findReady('a'))).toEqual(['second', 'second']);
    expect(await run(before)).toEqual(['first', 'first']);
  });

  it('that a running function imports is loaded again, and modules keep their version', async () => {
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

it('other work runs between two modules', async () => {
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

it('a function is called with its declaration as `this`', async () => {
  const { load } = setUp({ 'a.ts': say('a', 'run() { return Object.keys(this); }') });
  expect(run((await deployed(load)).findReady('a'))).toEqual(['description', 'run']);
});

async function deployed(load: ReturnType<typeof setUp>['load']) {
  const deployment = await load();
  return {
    faults: deployment.faults.map(faultText),
    findReady: (kind: string) => deployment.findReady('any', kind),
  };
}
