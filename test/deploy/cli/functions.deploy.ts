/** `functions check` and `types` check modules against the current kinds of every project. */
import 'reflect-metadata';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import { openTestProject, type FunctionProject } from '../../../src/testing.js';
import { FunctionsFolder } from '../../support/functions.js';

const folder = new FunctionsFolder();
let project: FunctionProject;
const write = (name: string, text: string) => {
  mkdirSync(dirname(join(folder.path, name)), { recursive: true });
  writeFileSync(join(folder.path, name), text);
};

beforeAll(async () => {
  project = await openTestProject({ project: 'acme', functions: folder.path });
  await project.post('/kind/unit', {
    id: 'land',
    parameters: [{ id: 'name', kind_id: 'string', label: 'Its */ name' }],
  });
  await project.post('/kind/unit', {
    id: 'city',
    label: 'City */ of ours',
    parameters: [
      'name',
      { id: 'size', kind_id: 'integer', required: true, nullable: false },
      { id: 'tags', kind_id: 'string', multiple: true, values: ['old', 'new'] },
      { id: 'land', kind_id: 'unit', reference_kind: 'land' },
      { id: 'note', kind_id: 'string', persistence: 'run_time' },
      { id: 'constructor', kind_id: 'string' },
    ],
  });
  await project.post('/kind/unit', { id: 'far', remote: true, parameters: ['name'] });
});
afterAll(() => project.stop());

let config: () => FunctionProject['config'] = () => project.config;
async function kind(...argv: string[]) {
  let [out, err] = ['', ''];
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runCommandLine(argv, terminal, config);
  return { code, out, err };
}

const module = (body: string) =>
  `import { kind } from 'kind';\nconst city = kind('city');\n` +
  `export default city.module({ functions: { f: city.function({ description: 'x', run: ${body} }) } });\n`;

test('types writes the kinds', async () => {
  const { code, out } = await kind('types', 'acme', '--json');
  const file = join(realpathSync(folder.path), 'kinds.d.ts');
  expect([code, JSON.parse(out)]).toEqual([0, [{ file, projects: ['acme'] }]]);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain("project 'acme'");
  for (const line of [
    '/** City * / of ours */',
    "readonly kind_id: 'city';",
    'readonly size: number;',
    'readonly name: string | null;',
    'readonly name?: string | null;',
    'readonly tags: readonly ("old" | "new")[] | null;',
    "readonly 'land.name'?: string | null;",
    'readonly note?: string | null;',
    "readonly size: '$inc';",
    "readonly tags: '$remove' | '$add';",
  ]) {
    expect(text).toContain(line);
  }
  expect(await kind('types', 'nobody')).toMatchObject({ code: 1 });
  rmSync(file);
  const out2 = join(folder.path, 'elsewhere/of.d.ts');
  expect(await kind('types', 'acme', '--out', out2)).toMatchObject({ code: 0, out: `${out2}: acme\n` });
  expect(readFileSync(out2, 'utf8')).toBe(text);
  rmSync(dirname(out2), { recursive: true });
});

test('commands load modules only if they need them, and say what modules allow', async () => {
  const counted = new FunctionsFolder();
  counted.write('city.ts', `globalThis.loads = (globalThis.loads ?? 0) + 1;\n${module('() => 1')}`);
  const loads = () => (globalThis as { loads?: number }).loads;
  config = () => ({ ...project.config, functionsDir: counted.path, functionsWatch: false });
  try {
    for (const command of ['project list', 'project show acme', 'project set acme label=Acme', 'project migrate']) {
      expect(await kind(...command.split(' '))).toMatchObject({ code: 0, err: '' });
    }
    expect(loads()).toBeUndefined();
    expect((await kind('access', 'report', 'acme')).out).toMatch(/city.f/);
    expect(loads()).toBe(1);
  } finally {
    config = () => project.config;
  }
});

test('check says where it found no modules', async () => {
  expect(await kind('functions', 'check')).toEqual({ code: 0, out: `No modules in ${folder.path}.\n`, err: '' });
});

test('check refuses a folder that is not there', async () => {
  const functionsDir = join(folder.path, 'mistyped');
  config = () => ({ ...project.config, functionsDir });
  try {
    const { code, out, err } = await kind('functions', 'check');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`FUNCTIONS_DIR: there is no folder ${functionsDir}`);
  } finally {
    config = () => project.config;
  }
});

test('check prints declarations, and accepts those that fit the kinds', async () => {
  write(
    'city.ts',
    module(`async ({ units, links }) => {
      const made = await units('city').create({ size: 1, tags: ['old'], note: 'x' });
      const { items } = await units('city').list({ include: ['size', 'land.name'] });
      const sizes: number[] = items.map(({ size }) => size);
      const name: string | null | undefined = items[0]?.['land.name'];
      return [made.size + 1, sizes, name, await links.list(made, 'child')];
    }`),
  );
  const { code, out, err } = await kind('functions', 'check');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^FILE .*\ncity\.ts +f +- +- +- +no\n$/);
});

test('check accepts nested units, orders of traversals, and hooks of a kind with a parameter named like an object property', async () => {
  write(
    'city.ts',
    `import { kind } from 'kind';
const city = kind('city');
const parameters = { a: { type: 'string', default: undefined }, b: { type: 'string', default: 'b' } } as const;
export default city.module({
  functions: {
    f: city.function({ description: 'x', parameters, async run({ units, links, parameters: { a, b } }) {
      const made = await units('city').create({ size: 1, land: { name: 'new' } });
      const key: string | null = made.land;
      await units('city').update(made.id, { land: key });
      const times: (string | null)[] = (await units('far').list()).items.map(({ inserted_at }) => inserted_at);
      const absent: [null extends typeof a ? true : false, null extends typeof b ? true : false] = [true, false];
      return [await links.list(made, 'child', { order: 'name;desc' }), times, absent];
    } }),
  },
  hooks: { before_create: ({ values }) => ({ name: values.land?.trim() ?? null }) },
});`,
  );
  expect(await kind('functions', 'check')).toMatchObject({ code: 0, err: '' });
});

test('check lets a create omit what a module fills, and a hook return undefined', async () => {
  const parameters = [{ id: 'code', kind_id: 'string', is_primary: true }, 'name'];
  await project.post('/kind/unit', { id: 'page', parameters });
  const text = (hooks: string, fills = '') => `import { kind } from 'kind';
const page = kind('page');
export default page.module({
  functions: { f: page.function({ description: 'x', run: async ({ units }) => (await units('page').create({ name: 'x' })).code.length }) },
  hooks: { ${hooks} }, ${fills}
});`;
  const making =
    'before_create: ({ values: { name, code } }) => ({ code: code ?? name ?? undefined, name: undefined })';
  write('page.ts', text(making, "fills: ['code']"));
  expect(await kind('functions', 'check')).toMatchObject({ code: 0, err: '' });
  write('page.ts', text(making));
  const { code, out } = await kind('functions', 'check');
  write('page.ts', text(making, "fills: ['cod' as 'code']"));
  const misspelt = await kind('functions', 'check');
  rmSync(join(folder.path, 'page.ts'));
  expect([code, out]).toEqual([1, expect.stringMatching(/page\.ts:4: .*'code' is missing/)]);
  expect([misspelt.code, misspelt.out]).toEqual([
    1,
    expect.stringContaining("acme: page.ts:3: fills: no parameter 'cod' (did you mean 'code'?)"),
  ]);
});

test('check reports errors in a module of a kind that no project has', async () => {
  write(
    'nokind.ts',
    `import { kind } from 'kind';\nconst n: number = 'text';\nexport default kind('nokind').module({});`,
  );
  write('citys.ts', `import { kind } from 'kind';\nexport default kind('citys').module({});`);
  write('acm/land.ts', `import { kind } from 'kind';\nexport default kind('land').module({});`);
  const { code, out } = await kind('functions', 'check', '--json');
  const text = await kind('functions', 'check');
  for (const name of ['nokind.ts', 'citys.ts', 'acm']) rmSync(join(folder.path, name), { recursive: true });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    faults: [{ file: 'nokind.ts', line: 2, text: "Type 'string' is not assignable to type 'number'." }],
    unserved: [
      { file: 'citys.ts', text: "no project has a kind 'citys' (did you mean 'city'?)" },
      { file: 'nokind.ts', text: "no project has a kind 'nokind'" },
      { file: 'acm/land.ts', text: "no project 'acm' (did you mean 'acme'?)" },
    ],
  });
  expect(text.out).toContain("citys.ts: no project has a kind 'citys' (did you mean 'city'?): it serves nothing\n");
});

test('check reports names in declarations that the kinds of a project do not have', async () => {
  write(
    '_rules.ts',
    `import { kind } from 'kind';
const city = kind('city');
const read = (access: string) => city.unitFunction({ description: 'x', access, run: () => 1 });
export const fits = read('eq(land.name,@member.username)');
export const none = city.unitFunction({
  description: 'x', access: ['eq(name,x)', 'eq(nam,x)'], run: () => 1 });
export const path = read('eq(land.size,1)');
export const type = read('eq(size,big)');
export const member = read('eq(name,@member.nothing)');
`,
  );
  write(
    'city.ts',
    `import { kind } from 'kind';
import * as unitFunctions from './_rules.ts';
const city = kind('city');
const parameters = { land: { type: 'unit', reference_kind: 'land' }, sea: { type: 'unit', reference_kind: 'lands' } } as const;

const asks = city.function({ description: 'x', parameters, run: () => 1 });
export default city.module({ functions: { asks }, unitFunctions: { ...unitFunctions } });`,
  );
  const { code, out } = await kind('functions', 'check', '--json');
  expect(code).toBe(1);
  const helper = { file: '_rules.ts', module: 'city.ts', project: 'acme' };
  const { faults } = JSON.parse(out) as { faults: { text: string }[] };
  expect(faults.toSorted((a, b) => (a.text < b.text ? -1 : 1))).toEqual([
    {
      file: 'city.ts',
      line: 6,
      project: 'acme',
      text: "functions.asks.parameters.sea.reference_kind: no kind 'lands' in this project (did you mean 'land'?)",
    },
    {
      ...helper,
      line: 3,
      text: "unitFunctions.member.access: no member kind has 'nothing', at character 9",
    },
    { ...helper, line: 5, text: expect.stringMatching(/^unitFunctions\.none\.access: .*'nam'.*'name'/) as string },
    { ...helper, line: 3, text: expect.stringMatching(/^unitFunctions\.path\.access: .*'size'/) as string },
    {
      ...helper,
      line: 3,
      text: expect.stringMatching(/^unitFunctions\.type\.access: 'size' wants a whole number/) as string,
    },
  ]);
  expect((await kind('functions', 'check')).out).toMatch(/^acme: _rules\.ts:5: unitFunctions\.none.*\(of city\.ts\)$/m);
  rmSync(join(folder.path, '_rules.ts'));
});

test('check reports type errors and modules that do not load, with file and line', async () => {
  write('city.ts', module("({ units }) => units('city').create({\n  size: 'big' })"));
  write('land.ts', 'export default');
  const { code, out, err } = await kind('functions', 'check');
  expect({ code, err }).toEqual({ code: 1, err: 'error: the functions have 2 faults\n' });
  expect(out).toMatch(/^land\.ts:\d+: /m);
  expect(out).toMatch(/^acme: city\.ts:4: Type 'string' is not assignable to type 'number'/m);
  const json = await kind('functions', 'check', '--json');
  expect(JSON.parse(json.out)).toMatchObject({
    types: true,
    faults: [{ file: 'land.ts' }, { project: 'acme', line: 4 }],
  });
});

describe('types of several projects, in a folder outside of the checkout', () => {
  const several = new FunctionsFolder();
  const root = realpathSync(several.path);
  /** What was parsed outside of the folder: most of the time. */
  const others = new Map<string, ts.SourceFile | undefined>();
  /** What TypeScript says of a folder by the settings that were written, as an editor or `tsc -p` does. */
  const faultsIn = (path: string) => {
    const settings = ts.readConfigFile(join(path, 'tsconfig.json'), (file) => readFileSync(file, 'utf8'));
    const { options, fileNames, errors } = ts.parseJsonConfigFileContent(settings.config, ts.sys, path);
    const host = ts.createCompilerHost(options);
    const program = ts.createProgram(fileNames, options, {
      ...host,
      getSourceFile(file, ...more) {
        if (file.startsWith(root)) return host.getSourceFile(file, ...more);
        const known = others.get(file) ?? host.getSourceFile(file, ...more);
        others.set(file, known);
        return known;
      },
    });
    return [...errors, ...ts.getPreEmitDiagnostics(program)].map(({ file, messageText }) => {
      return `${file ? relative(root, file.fileName) : ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  };
  const reading = (kindId: string, read: string) =>
    `import type { Context } from 'kind';
export const f = async ({ units }: Context) => { const [unit] = (await units('${kindId}').list()).items; ${read} };\n`;

  beforeAll(async () => {
    await kind('project', 'create', 'second', 'third');
    const { secret } = JSON.parse((await kind('key', 'create', 'second', 'admin', '--json')).out) as { secret: string };
    const headers = {
      'kind-project-key': 'second',
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
    };
    const land = { id: 'land', parameters: [{ id: 'name', kind_id: 'string', label: 'Its */ name' }] };
    for (const body of [land, { id: 'city', parameters: [{ id: 'size', kind_id: 'string' }] }]) {
      const reply = await fetch(`${project.url}/api/lib/kind/unit`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect(reply.status).toBe(200);
    }
    config = () => ({ ...project.config, functionsDir: several.path, functionsWatch: false });
    several.write('acme/_own.ts', reading('city', 'const size: number | undefined = unit?.size; return size;'));
    several.write(
      'second/_own.ts',
      reading('city', 'const size: string | null | undefined = unit?.size; return size;'),
    );
    several.write('_all.ts', reading('land', 'const name: string | null | undefined = unit?.name; return name;'));
    several.write('_any.ts', reading('city', 'const size: unknown = unit?.size; return size;'));
  });
  afterAll(() => {
    config = () => project.config;
  });

  test('each folder has the kinds of its project, the others what is the same', { timeout: 60_000 }, async () => {
    const { code, out } = await kind('types');
    expect([code, out]).toEqual([
      0,
      `${root}/kinds.d.ts: acme, second\n${root}/acme/kinds.d.ts: acme\n${root}/second/kinds.d.ts: second\n`,
    ]);
    for (const path of ['acme', 'second', '']) expect(faultsIn(join(root, path))).toEqual([]);
    several.write('acme/_own.ts', reading('city', 'const size: string | undefined = unit?.size; return size;'));
    several.write('_any.ts', reading('land', 'const name: number | undefined = unit?.name; return name;'));
    expect(faultsIn(join(root, 'acme'))).toEqual([expect.stringMatching(/^acme\/_own.ts: .*'number'/)]);
    expect(faultsIn(root)).toEqual([expect.stringMatching(/^_any.ts: Type 'string \| null' is not assignable/)]);
  });

  test('settings that were written by hand stay', async () => {
    several.write('acme/tsconfig.json', '{}');
    expect(await kind('types', 'acme', 'third')).toMatchObject({ code: 0 });
    expect(readFileSync(join(several.path, 'acme/tsconfig.json'), 'utf8')).toBe('{}');
  });

  test('names what is missing', async () => {
    expect(await kind('types', 'acme', 'second', '--out', 'x.d.ts')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--out: takes one project') as string,
    });
    config = () => ({ ...project.config, functionsDir: join(several.path, 'none'), functionsWatch: false });
    expect((await kind('types')).err).toContain('name a project: none has a folder in');
  });
});
