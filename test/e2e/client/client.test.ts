/** The client that `kind client` writes, compiled and run against the service. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { checkPrograms, clientFolder, loadClient } from '../../support/client.js';
import { runCommand } from '../../support/command-line.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { makeKey } from '../../support/keys.js';

interface Kind<Unit, Create, Functions = object> {
  readonly unit: Unit & { readonly id: string };
  readonly refs: { readonly land: 'country' };
  readonly from: never;
  readonly create: Create;
  readonly edit: object;
  readonly all: true;
  readonly can: 'list' | 'get' | 'create';
  readonly functions: Functions;
  readonly links: object;
}
/** What the tests use of what is written while they run. */
interface Kinds {
  readonly country: Kind<{ readonly name: string }, { readonly name: string }>;
  readonly city: Kind<
    { readonly name: string },
    { readonly name: string; readonly land: string },
    {
      readonly near: {
        readonly unit: false;
        readonly parameters: { readonly latitude: number };
        readonly returns: unknown;
      };
      readonly taken: { readonly unit: false; readonly parameters: object; readonly returns: unknown };
      readonly echo: {
        readonly unit: false;
        readonly parameters: { readonly what: string };
        readonly returns: unknown;
      };
      readonly shout: { readonly unit: true; readonly parameters: object; readonly returns: unknown };
    }
  >;
  readonly constructor: Kind<object, object>;
  readonly then: Kind<object, object>;
  readonly batch: Kind<object, object>;
}

const folder = new FunctionsFolder({
  'city.ts': `
    import { kind } from 'kind';
    const city = kind('city');
    export default city.module({
      functions: {
        near: city.function({
          description: 'Near', methods: ['GET'],
          parameters: { latitude: { type: 'float', required: true }, limit: { type: 'integer', default: 3 } },
          returns: { name: { type: 'string' } },
          run: ({ parameters }) => ({ name: 'near ' + parameters.latitude }),
        }),
        taken: city.function({
          description: 'Taken', methods: ['GET'],
          parameters: { words: { type: 'string', multiple: true }, any: { type: 'json' }, parts: { type: 'json', multiple: true }, n: { type: 'integer', default: 7 } },
          returns: { took: { type: 'json' } },
          run: ({ parameters }) => ({ took: parameters }),
        }),
        echo: city.function({ description: 'Echo', parameters: { what: { type: 'string' } }, run: ({ parameters }) => parameters }),
      },
      unitFunctions: { shout: city.unitFunction({ description: 'Shout', run: ({ unit }) => unit.name.toUpperCase() }) },
    });`,
});
const service = await sharedServiceWith(folder);
const root = await service.project();
await asMember(root);
const closed = { read: 'admin', create: 'admin', update: 'admin', delete: 'admin' };
await defineKinds(
  root,
  {
    id: 'country',
    label: '*/ `${x}` \u2028',
    access: { read: 'member' },
    parameters: [
      { id: 'name', kind_id: 'string', unique: true, nullable: false, label: 'It ends */ here', helper_text: '`${1}`' },
      { id: 'area', kind_id: 'decimal' },
    ],
  },
  { id: 'constructor', parameters: [{ id: 'valueof', kind_id: 'string' }] },
  { id: 'then', parameters: [{ id: 'constructor', kind_id: 'string' }] },
  { id: 'batch' },
  { id: 'vault', access: closed },
);
await defineKinds(root, {
  id: 'city',
  parameters: [
    { id: 'name', kind_id: 'string', own: true, nullable: false },
    { id: 'state', kind_id: 'string', values: ['open', 'closed', '*/'], default_string: 'open' },
    { id: 'size', kind_id: 'integer' },
    { id: 'tags', kind_id: 'string', multiple: true },
    { id: 'extra', kind_id: 'json' },
    { id: 'land', kind_id: 'unit', reference_kind: 'country' },
    { id: 'safe', kind_id: 'unit', reference_kind: 'vault' },
    { id: 'unseen', kind_id: 'string', hidden: true },
    { id: 'wage', kind_id: 'integer', read_access: ['eq(state,open)'] },
  ],
  changes: 'history',
  access: { read: 'member', create: 'member', update: 'member', delete: 'member', history: 'member' },
});
await ok(root.post('/link/unit', { id: 'borders', parameters: [{ id: 'lanes', kind_id: 'integer' }] }));

const { secret } = await makeKey(root);
process.env['CLIENT_TEST_KEY'] = secret;
const remote = ['--url', root.service.url, '--key', 'env:CLIENT_TEST_KEY'];
const out = clientFolder();
const asPerson = join(out, 'person');
const write = (where: string, as: string, ...more: string[]) =>
  runCommand('client', root.id, '--out', where, '--as', as, ...more);
const typesIn = (where: string) => readFileSync(join(where, 'types.ts'), 'utf8');

describe('the files', () => {
  it('are written, and left alone where they are equal', async () => {
    const names = ['types.ts', 'runtime.ts', 'index.ts'];
    const written = (state: string) => names.map((name) => `${join(out, name)}: ${state}\n`).join('');
    expect(await write(out, 'administrator', ...remote)).toEqual({ code: 0, out: written('written'), err: '' });
    const at = names.map((name) => statSync(join(out, name)).mtimeMs);
    expect(await write(out, 'administrator', ...remote)).toEqual({ code: 0, out: written('equal'), err: '' });
    expect(names.map((name) => statSync(join(out, name)).mtimeMs)).toEqual(at);
    for (const name of names) {
      const [first, second] = readFileSync(join(out, name), 'utf8').split('\n');
      expect(first).toBe('// Written by kind for administrator; changes are lost.');
      expect(second).toMatch(/^\/\/ sha256 [0-9a-f]{64}$/);
    }
  });

  it('are checked', async () => {
    expect(await write(out, 'administrator', '--check', ...remote)).toMatchObject({ code: 0, err: '' });
    const other = clientFolder();
    expect(await write(other, 'anyone', '--check', ...remote)).toMatchObject({
      code: 3,
      out: expect.stringContaining('types.ts: missing'),
    });
    expect(readdirSync(other)).toEqual([]);
    await write(other, 'anyone', ...remote);
    writeFileSync(join(other, 'types.ts'), `${typesIn(other)}\n`);
    expect(await write(other, 'anyone', '--check', ...remote)).toMatchObject({
      code: 3,
      out: expect.stringContaining('types.ts: differs'),
    });
    rmSync(join(other, 'runtime.ts'));
    expect(await write(other, 'anyone', ...remote)).toMatchObject({ code: 0 });
    expect(await write(other, 'anyone', '--check', ...remote)).toMatchObject({ code: 0 });
  });

  it('that others have written are never replaced', async () => {
    const other = clientFolder();
    writeFileSync(join(other, 'types.ts'), 'mine\n');
    const { code, err } = await write(other, 'anyone', ...remote);
    expect([code, err]).toEqual([1, expect.stringMatching(/types\.ts was not written by this command/)]);
    expect(readdirSync(other)).toEqual(['types.ts']);
    expect(typesIn(other)).toBe('mine\n');
  });

  it('have the kinds of the caller, and no labels', async () => {
    expect(await write(asPerson, 'person', ...remote)).toMatchObject({ code: 0 });
    const [admins, persons] = [typesIn(out), typesIn(asPerson)];
    expect(admins).toContain('vault: {');
    expect(persons).toContain('// Written by kind for person;');
    expect(persons).not.toMatch(/vault: \{|unit: .*unseen/);
    expect(persons).toMatch(/safe: string \| null/);
    expect(persons).not.toMatch(/safe: "vault"/);
    expect(persons).toMatch(/wage\?: number \| null/);
    expect(admins).toMatch(/wage: number \| null/);
    for (const text of [admins, persons]) {
      expect(text).toContain('interface Links {\n  link: {};\n  borders: { lanes?: number | null };\n}\n');
      expect(text).toMatch(/ {2}city: \{(?:\n {4}.*)*\n {4}links: Links;/);
    }
    for (const text of [admins, persons]) expect(text).not.toMatch(/It ends|\$\{|`|\u2028/);
  });

  it('are the same from the database, but for functions, which are those of FUNCTIONS_DIR', async () => {
    const here = clientFolder();
    expect(await write(here, 'person')).toMatchObject({ code: 0, err: '' });
    const without = (text: string) =>
      text
        .replace(/^\/\/ sha256.*$/m, '')
        .replace(/functions: \{.*\};/g, '')
        .replace(/gets: .*/, '');
    expect(without(typesIn(here))).toBe(without(typesIn(asPerson)));
  });

  it('wants a caller, and an address and key that are safe', async () => {
    const refused = async (pattern: RegExp, as: string, ...more: string[]) => {
      const { code, err } = await write(clientFolder(), as, ...more);
      expect(err).toMatch(pattern);
      return code;
    };
    const given = (url: string) => ['--url', url, '--key', 'env:CLIENT_TEST_KEY'];
    const none = /^error: --as: 'city' is none of anyone, administrator, kind_admin, person/;
    expect(await refused(none, 'city', ...remote)).toBe(2);
    expect(await refused(none, 'city')).toBe(2);
    expect(await refused(/--url: wants https/, 'anyone', ...given('http://kind.example.org'))).toBe(2);
    expect(await refused(/--url: wants https/, 'anyone', ...given('nowhere'))).toBe(2);
    expect(await refused(/go together/, 'anyone', '--url', root.service.url)).toBe(2);
    expect(await refused(/--key: wants env:NAME/, 'anyone', '--url', root.service.url, '--key', secret)).toBe(2);
    expect(await refused(/NOT_THERE is not set/, 'anyone', '--url', root.service.url, '--key', 'env:NOT_THERE')).toBe(
      2,
    );
    expect((await runCommand('client', root.id, '--out', out)).code).toBe(2);
  });
});

describe('the route', () => {
  it('answers the caller, and who knows the whole project what others see', async () => {
    const person = await asMember(await service.project());
    const types = async (caller: typeof root, as?: string) =>
      caller.get(`/doc/client.ts${as === undefined ? '' : `?as=${as}`}`);
    expect((await types(person)).text).toMatch(/^\/\/ Written by kind for person;/);
    expect((await types(person.as(undefined))).text).toMatch(/^\/\/ Written by kind for anyone;/);
    expect((await types(person, 'anyone')).text).toMatch(/^\/\/ Written by kind for anyone;/);
    expect(await types(person, 'administrator')).toMatchObject({ status: 403 });
    expect(await types(person.as(undefined), 'person')).toMatchObject({ status: 401 });
    expect(await types(root, 'nobody')).toMatchObject({ status: 400 });
    const { headers } = await types(root);
    expect(await root.get('/doc/client.ts', { headers: { 'if-none-match': headers.get('etag') ?? '' } })).toMatchObject(
      {
        status: 304,
      },
    );
  });
});

it('works as it is written', async () => {
  const createClient = await loadClient<Kinds>(out);
  const kind = createClient({ url: root.service.url, project: root.id, token: secret });
  const land = await kind.country.create({ name: 'Italy' });
  const made = await kind.city.create({ name: 'Rome', land: land.id });
  const read = await kind.city.get(made.id, { include: ['name', { land: ['name'] }] });
  expect(read).toEqual({ name: 'Rome', land: { id: land.id, name: 'Italy' } });
  expect(await kind.city.call.near({ latitude: 4 })).toEqual({ name: 'near 4' });
  for (const parameters of [
    { words: ['a', 'b'], any: 'text', parts: [{ a: 1 }, 'b', [2]], n: 3 },
    { words: ['one'], any: [1, 'two', { three: 3 }], parts: [1], n: null },
  ]) {
    expect(await kind.city.call.taken(parameters)).toEqual({ took: { ...parameters, n: parameters.n ?? 7 } });
  }
  expect(await kind.city.call.echo({ what: 'a' })).toEqual({ what: 'a' });
  expect(await kind.city.call.shout(made.id)).toBe('ROME');
  for (const id of ['constructor', 'then', 'batch'] as const) {
    expect(await kind.of(id).create({})).toMatchObject({ kind_id: id });
  }
  await expect(kind.constructor.list()).resolves.toMatchObject({ count: 1 });
  expect(Reflect.get(kind, 'then')).toBeUndefined();
  expect(JSON.stringify(kind)).toBe('{}');
});

describe('the types', () => {
  const GOOD = readFileSync(join(import.meta.dirname, 'good.program.txt'), 'utf8');
  const BAD = readFileSync(join(import.meta.dirname, 'bad.program.txt'), 'utf8');

  it('let programs compile, and refuse what the service would refuse', { timeout: 60_000 }, () => {
    const { errors } = checkPrograms(out, { 'good.ts': GOOD, 'bad.ts': BAD });
    // Every line of the second one has `@ts-expect-error` before it.
    expect(errors).toEqual([]);
  });
});
