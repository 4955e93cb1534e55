/** Modules are loaded from files, one by one: faults are reported with file and line, and changed files are loaded again. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/config.js';
import { defineKinds } from '../../support/callers.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService, type TestProject } from '../../support/service.js';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly file?: string;
  readonly line?: number;
  readonly module?: string;
  readonly err?: { readonly stack: string };
}

const lines: Line[] = [];
const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text) as Line) });
const folder = new FunctionsFolder();
const service = await startTestService({ functionsDir: folder.path }, log);
const project = await service.project();
const other = await service.project();
for (const each of [project, other]) await defineKinds(each, { id: 'city' }, { id: 'land' });

const saying = (text: string, kind = 'city', before = '') =>
  `import { kind } from 'kind';\n${before}\nconst k = kind('${kind}');\n` +
  `export default k.module({ functions: { say: k.function({ description: 'Says', run: () => ${text} }) } });`;
const said = async (of: TestProject, kind = 'city') => {
  const { status, body } = await of.get(`/${kind}/function/say`);
  return status === 200 ? (body.content as unknown) : body.messages[0]?.code;
};
const errors = () => lines.filter(({ level }) => level >= 50);

beforeEach(() => void lines.splice(0));

describe('a folder', () => {
  it('is rescanned: new, changed and deleted modules', async () => {
    expect(await said(project)).toBe('function.unknown');
    folder.write('city.ts', saying("'one'"));
    await reload(service);
    expect(await said(project)).toBe('one');
    folder.write('city.ts', saying("'two'"));
    await reload(service);
    expect(await said(project)).toBe('two');
    folder.remove('city.ts');
    await reload(service);
    expect(await said(project)).toBe('function.unknown');
  });

  it('logs in one line which modules serve no kind and which may be meant, and in another which wait for their project', async () => {
    folder.write(`${project.id}/citys.ts`, saying('1', 'citys'));
    folder.write(`${project.id}/land.ts`, saying('1', 'land'));
    folder.write(`${project.id}x/city.ts`, saying('1'));
    await reload(service);
    const told = (text: string, level: number) => () =>
      lines.flatMap((line) => (line.msg.includes(text) ? [[line.level === level, line.msg]] : []));
    const [unserved, waiting] = [told('serve nothing', 40), told('wait', 30)];
    await expect
      .poll(unserved)
      .toEqual([[true, expect.stringContaining(`${project.id}/citys.ts: no kind 'citys' in`) as string]]);
    expect(unserved()[0]?.[1]).toContain("(did you mean 'city'?)");
    expect(unserved()[0]?.[1]).not.toMatch(/land\.ts|x\/city\.ts/);
    expect(waiting()).toEqual([
      [true, expect.stringContaining(`functions: no project '${project.id}x' yet (did you mean`) as string],
    ]);
    expect(waiting()[0]?.[1]).toContain('), its modules wait');
    // What waits is not told again after each change of a file.
    folder.write(`${project.id}/land.ts`, saying('2', 'land'));
    await reload(service);
    await expect.poll(() => unserved().length).toBe(2);
    expect(waiting()).toHaveLength(1);
    for (const file of [`${project.id}/citys.ts`, `${project.id}/land.ts`, `${project.id}x/city.ts`])
      folder.remove(file);
    await reload(service);
  });

  it('names its functions as TypeScript does', async () => {
    folder.write('city.ts', saying("'it'").replace('say:', 'sayIt:'));
    await reload(service);
    expect((await project.get('/city/function/sayIt')).body.content).toBe('it');
    expect((await project.get('/city/function/sayit')).body.messages[0]).toMatchObject({
      code: 'function.unknown',
      text: expect.stringContaining("did you mean 'sayIt'?") as string,
    });
    folder.remove('city.ts');
  });

  it('may have helpers, which belong to the modules that import them', async () => {
    folder.write('_lib/words.ts', "export const word: string = 'first';");
    folder.write('city.ts', saying('word', 'city', "import { word } from './_lib/words.ts';"));
    await reload(service);
    expect(await said(project)).toBe('first');
    folder.write('_lib/words.ts', "export const word: string = 'second';");
    await reload(service);
    expect(await said(project)).toBe('second');
    folder.remove('_lib');
    folder.remove('city.ts');
  });

  it('of a project has its own modules, which take precedence', async () => {
    folder.write('city.ts', saying("'all'"));
    folder.write(`${project.id}/city.ts`, saying("'mine'"));
    await reload(service);
    expect([await said(project), await said(other)]).toEqual(['mine', 'all']);
    folder.write(`${project.id}/city.ts`, 'export default');
    await reload(service);
    expect([await said(project), await said(other)]).toEqual(['function.broken', 'all']);
    folder.remove(project.id);
  });

  it('is closed: a symbolic link out of it is not a module', async () => {
    const outside = new FunctionsFolder({ 'land.ts': saying("'outside'", 'land') });
    symlinkSync(join(outside.path, 'land.ts'), join(folder.path, 'land.ts'));
    mkdirSync(join(outside.path, 'more'));
    writeFileSync(join(outside.path, 'more', 'city.ts'), saying("'outside'"));
    symlinkSync(join(outside.path, 'more'), join(folder.path, other.id));
    await reload(service);
    expect(await said(other, 'land')).toBe('function.broken');
    // Perhaps there are hooks in it.
    expect(await project.post('/land/unit', {})).toMatchObject({ status: 503 });
    expect(await said(other)).toBe('all');
    expect(errors().map(({ msg }) => msg)).toEqual([
      `functions: ${other.id}/: leads out of the folder`,
      'functions: land.ts: leads out of the folder',
    ]);
    folder.remove('land.ts');
    folder.remove(other.id);
  });

  it('reports files that are not named after a kind', async () => {
    folder.write('City.ts', '');
    folder.write('Lib/city.ts', '');
    await reload(service);
    expect(errors().map(({ file }) => file)).toEqual(['City.ts', 'Lib/']);
    folder.remove('City.ts');
    folder.remove('Lib');
  });
});

it('must be a folder', async () => {
  const file = join(folder.path, '_a_file');
  writeFileSync(file, '');
  const started = startTestService({ functionsDir: file });
  await expect(started).rejects.toThrow(new ConfigError(`FUNCTIONS_DIR: got ${file}, wants a folder`));
});

describe('an invalid module', () => {
  it.each<[name: string, text: string, line: number | undefined, told: RegExp]>([
    ['by its syntax', '\n\nconst = 1;', 3, /expected/i],
    ['by what it throws', '\nfunction f(): never { throw new Error("no such thing"); }\n\nf();', 2, /no such thing/],
    ['by an import', '\nimport "./nothing.ts";', 2, /nothing\.ts/],
    ['without a default export', 'export const a = 1;', undefined, /default export.*kind\('land'\).*got nothing/],
    ['of another kind', saying('1', 'city'), 4, /is the file of 'land', and declares a module of 'city'/],
    [
      'with an unknown part',
      "import { kind } from 'kind';\n\nexport default kind('land').module({ hoks: {} } as never);",
      3,
      /no 'hoks' \(did you mean 'hooks'\?\)/,
    ],
    [
      'with an unknown hook',
      "import { kind } from 'kind';\nexport default kind('land').module({ hooks: { before_save() {} } as never });",
      2,
      /hooks: no 'before_save'/,
    ],
    [
      'that fills what it names twice',
      "import { kind } from 'kind';\nexport default kind('land').module({ fills: ['code', 'code'], hooks: { before_create() {} } });",
      2,
      /fills: must be a list of ids of parameters, each once/,
    ],
    [
      'that fills nothing that is a name',
      "import { kind } from 'kind';\nexport default kind('land').module({ fills: 'code', hooks: { before_create() {} } } as never);",
      2,
      /fills: must be a list of ids/,
    ],
    [
      'that fills without a hook',
      "import { kind } from 'kind';\nexport default kind('land').module({ fills: ['code'] });",
      2,
      /fills: names what hooks\.before_create sets, which is not there/,
    ],
    [
      'with a source without a list',
      "import { kind } from 'kind';\nexport default kind('land').module({ remote: { get() {} } as never });",
      2,
      /remote\.list: must be a function, got undefined/,
    ],
    [
      'with a source that changes what it cannot get',
      "import { kind } from 'kind';\nexport default kind('land').module({ remote: { list() {}, update() {} } as never });",
      2,
      /remote\.get: must be a function for update, got undefined/,
    ],
    [
      'with a source without the units that hooks are told of',
      "import { kind } from 'kind';\nexport default kind('land').module({ remote: { list() {}, create() {} }, hooks: { before_create() {}, after_create() {} } } as never);",
      2,
      /remote\.get: must be a function for after_create, got undefined/,
    ],
    [
      'with a function that is none',
      "import { kind } from 'kind';\nexport default kind('land').module({ functions: { f: () => 1 } as never });",
      2,
      /functions\.f: must be made by kind\('land'\)\.function/,
    ],
    [
      'with a bad name',
      "import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ functions: { 'A b': k.function({ description: 'x', run: () => 1 }) } });",
      3,
      /functions\.A b: a name is/,
    ],
    ...(
      [
        ['a slash in its name', "{ 'a/b': k.endpoint({ run: () => {} }) }", /endpoints\.a\/b: a name is/],
        ['a capital in its name', '{ A: k.endpoint({ run: () => {} }) }', /endpoints\.A: a name is/],
        ['nothing to run', '{ a: k.endpoint({}) }', /endpoints\.a\.run: must be a function, got undefined/],
        [
          'a method that is none',
          "{ a: k.endpoint({ methods: ['PATCH'], run: () => {} }) }",
          /endpoints\.a\.methods: wants a list of GET, POST, PUT, DELETE/,
        ],
        [
          'a reason that is none',
          "{ a: k.endpoint({ accepted: ' ', run: () => {} }) }",
          /endpoints\.a\.accepted: must say why, in up to 500/,
        ],
        ['access', "{ a: k.endpoint({ access: 'admin', run: () => {} }) }", /endpoints\.a: no 'access'/],
        [
          'a function in its place',
          "{ a: k.function({ description: 'x', run: () => 1 }) }",
          /endpoints\.a: must be made by kind\('land'\)\.endpoint\(\{ … \}\), got a function of 'land'/,
        ],
        [
          'twenty others',
          "Object.fromEntries(Array.from({ length: 21 }, (_, at) => ['e' + at, k.endpoint({ run: () => {} })]))",
          /endpoints: a module has at most 20, got 21/,
        ],
      ] as const
    ).map(([what, endpoints, told]): [string, string, number, RegExp] => [
      `with an endpoint with ${what}`,
      `import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ endpoints: ${endpoints} } as never);`,
      3,
      told,
    ]),
    [
      'with a bad parameter',
      "import { kind } from 'kind';\nconst k = kind('land');\nconst f = k.function({\n  description: 'x', parameters: { a: { type: 'integer', max_length: 3 } }, run: () => 1 });\nexport default k.module({ functions: { f } });",
      3,
      /functions\.f\.parameters\.a: the type integer has no 'max_length'/,
    ],
    [
      'with bad access',
      "import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ functions: { f: k.function({ description: 'x', access: 'eq(a,1)', run: () => 1 }) } });",
      3,
      /functions\.f\.access: must be one of anyone, member, admin, nobody/,
    ],
    [
      'with a rule that names no parameter',
      "import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ unitFunctions: { f: k.unitFunction({ description: 'x', access: 'eq(,1)', run: () => 1 }) } });",
      3,
      /unitFunctions\.f\.access: .*at character 4/,
    ],
    [
      'with a bad method',
      "import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ functions: { f: k.function({ description: 'x', methods: ['PUT' as 'GET'], run: () => 1 }) } });",
      3,
      /functions\.f\.methods: wants/,
    ],
    [
      'with a bad answer',
      "import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ functions: { f: k.function({ description: 'x', returns: 5 as never, run: () => 1 }) } });",
      3,
      /functions\.f\.returns: must be an object of parameters, or the id of a kind, got 5/,
    ],
    [
      'without a description',
      "import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ functions: { f: k.function({ description: ' ', run: () => 1 }) } });",
      3,
      /functions\.f\.description/,
    ],
  ])('%s is told of once, with its place, and keeps no other from running', async (_, text, line, told) => {
    folder.write('land.ts', text);
    await reload(service);
    expect(errors()).toMatchObject([{ file: 'land.ts', msg: expect.stringMatching(told) as string }]);
    expect(errors()[0]?.line).toBe(line);
    expect([await said(project), await said(project, 'land')]).toEqual(['all', 'function.broken']);
    await reload(service);
    folder.write('city.ts', `${saying("'all'")}\n// ${_}`);
    await reload(service);
    expect(errors()).toHaveLength(1);
  });

  it('is reported with all its faults', async () => {
    const bad = "k.function({ description: '', run: 1 as never })";
    folder.remove('land.ts');
    await reload(service);
    folder.write(
      'land.ts',
      `import { kind } from 'kind';\nconst k = kind('land');\nexport default k.module({ functions: { f: ${bad} } });`,
    );
    await reload(service);
    expect(errors().map(({ msg }) => msg)).toMatchObject(
      [/description/, /run/].map((text) => expect.stringMatching(text) as string),
    );
  });

  it('that fails in a helper is reported with the helper, and again when it changes itself', async () => {
    const text = saying('word', 'land', "import { word } from './_words.ts';");
    folder.write('_words.ts', '\nexport const = 1;');
    folder.write('land.ts', text);
    await reload(service);
    const told = { file: '_words.ts', line: 2, module: 'land.ts' };
    expect(errors()).toMatchObject([
      { ...told, msg: expect.stringMatching(/^functions: _words\.ts:2: .* \(of land\.ts\)$/) as string },
    ]);
    folder.write('city.ts', `${saying("'all'")}\n// again`);
    await reload(service);
    expect(errors()).toHaveLength(1);
    folder.write('land.ts', `${text}\n`);
    await reload(service);
    expect(errors()).toMatchObject([told, told]);
    folder.remove('_words.ts');
  });

  it('is loaded again after the next change', async () => {
    folder.write('land.ts', saying("'mended'", 'land'));
    await reload(service);
    expect(await said(project, 'land')).toBe('mended');
  });
});

describe('what a function throws', () => {
  it('is logged with the line of the file, and is in no answer', async () => {
    folder.write(
      'land.ts',
      [
        "import { kind } from 'kind';",
        '// interfaces and types are no code:',
        'interface Gone { readonly a: string;',
        '  readonly b: number }',
        "const k = kind('land');",
        'const fail = (gone?: Gone): never => {',
        "  throw new Error('the very secret');",
        '};',
        "export default k.module({ functions: { say: k.function({ description: 'Fails', run: () => fail() }) } });",
      ].join('\n'),
    );
    await reload(service);
    const { status, text } = await project.get('/land/function/say');
    expect([status, /secret/.test(text)]).toEqual([500, false]);
    const [{ err } = {}] = errors();
    expect(err?.stack).toContain('the very secret');
    expect(err?.stack).toContain(`${folder.path}/land.ts:7:`);
  });
});
