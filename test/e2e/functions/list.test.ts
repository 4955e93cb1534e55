/** The list of functions: to everybody those that they may call, to administrators also what is wrong in modules. */
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/model/built-in-traits.js';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { byKey } from '../../support/keys.js';
import type { TestProject } from '../../support/service.js';

const CITY = `
import { kind } from 'kind';
const city = kind('city');
export default city.module({
  functions: {
    near: city.function({
      description: 'Cities near a point',
      methods: ['GET'],
      timeout: 500,
      parameters: {
        latitude: { type: 'float', required: true, label: 'Latitude', helper_text: 'In degrees' },
        in: { type: 'unit', reference_kind: 'vault' },
      },
      returns: { names: { type: 'string', multiple: true } },
      run: () => ({ names: [] }),
    }),
    open: city.function({ description: 'Open to all', access: 'anyone', run: () => 1 }),
    secret: city.function({ description: 'Canary', access: 'admin', run: () => 1 }),
  },
  unitFunctions: {
    own: city.unitFunction({ description: 'Own', access: 'eq(id,@member.id)', returns: 'city', run: ({ unit }) => unit }),
  },
  hooks: { before_create: () => undefined },
});`;

const CLOSED = Object.fromEntries(OPERATIONS.map((operation) => [operation, 'admin']));
const folder = new FunctionsFolder({ 'city.ts': CITY });
const service = await sharedServiceWith(folder);
const project = await service.project();
const other = await service.project();
await defineKinds(project, { id: 'vault', access: CLOSED }, { id: 'city' }, { id: 'bridge' });
await defineKinds(other, { id: 'town' });
const ann = await asMember(project);

interface Listed {
  readonly count: number;
  readonly items: readonly { name: string; access: unknown; parameters: readonly object[] }[];
  readonly modules: readonly { kind_id: string; file: string; faults: readonly object[] }[] | null;
}
const listOf = async (caller: TestProject) => {
  const { held } = await documented({ held: caller });
  return (await ok(held.get('/function'))) as Listed;
};
const namesFor = async (caller: TestProject) => (await listOf(caller)).items.map(({ name }) => name);

it('describes the functions that the caller may call', async () => {
  expect(await namesFor(anonymous(project))).toEqual(['open']);
  expect(await namesFor(ann)).toEqual(['near', 'open', 'own']);
  expect(await namesFor(project)).toEqual(['near', 'open', 'secret', 'own']);
  expect(await namesFor(other)).toEqual([]);
  const { items, count, modules } = await listOf(ann);
  expect([count, modules]).toEqual([3, null]);
  const text = { default: null, required: false, multiple: false, strip: false, min_length: null, max_length: null };
  expect(items[0]).toEqual({
    kind_id: 'city',
    name: 'near',
    of_unit: false,
    methods: ['GET'],
    description: 'Cities near a point',
    parameters: [
      {
        ...text,
        id: 'latitude',
        label: 'Latitude',
        type: 'float',
        helper_text: 'In degrees',
        required: true,
        values: null,
      },
      // A kind that Ann may do nothing with.
      {
        ...text,
        id: 'in',
        label: expect.any(String) as string,
        type: 'unit',
        helper_text: null,
        values: null,
        reference_kind: null,
      },
    ],
    returns: { kind_id: null, parameters: [expect.objectContaining({ id: 'names', multiple: true })] },
    timeout: 500,
    schedule: null,
    next_at: null,
    open: false,
    access: null,
  });
});

it('is answered in pages, and for some kinds', async () => {
  const partOf = async (query: string) => {
    const { count, items, modules } = (await ok(project.get(`/function?${query}`))) as Listed;
    return { count, names: items.map(({ name }) => name), modules: modules?.length };
  };
  expect(await partOf('limit=3')).toEqual({ count: 4, names: ['near', 'open', 'secret'], modules: 1 });
  expect(await partOf('limit=3&offset=3')).toEqual({ count: 4, names: ['own'], modules: undefined });
  expect(await partOf('limit=0')).toEqual({ count: 4, names: [], modules: 1 });
  expect(await partOf('kind_id=vault')).toEqual({ count: 0, names: [], modules: 1 });
  expect(await partOf('kind_id=none,city&limit=1')).toEqual({ count: 4, names: ['near'], modules: 1 });
});

it('tells administrators who may call, and which hooks there are', async () => {
  const { items, modules } = await listOf(project);
  expect(items.map(({ name, access }) => [name, access])).toEqual([
    ['near', 'member'],
    ['open', 'anyone'],
    ['secret', 'admin'],
    ['own', ['eq(id,@member.id)']],
  ]);
  expect(modules).toEqual([
    { kind_id: 'city', file: 'city.ts', endpoints: [], hooks: ['before_create'], remote: false, faults: [] },
  ]);
  expect((await listOf(other)).modules).toEqual([]);
  const key = await listOf(await byKey(project, { scope: [{ kinds: ['city'], operations: ['read', 'function'] }] }));
  expect([key.modules, key.items[0]?.access]).toEqual([null, null]);
});

it('tells administrators alone what is wrong and where, without paths of the server or other projects', async () => {
  const secret = `throw new Error('no ' + import.meta.url + ' at postgres://me:pass@host/db');`;
  folder.write('city.ts', `const a = 1;\n${secret}`);
  folder.write(`${project.id}/vault.ts`, 'export default 5;');
  folder.write(`${project.id}/none.ts`, `import { kind } from 'kind';\nexport default kind('none').module({});`);
  for (const meant of ['bridges', 'vaults'])
    folder.write(`${meant}.ts`, `import { kind } from 'kind';\nexport default kind('${meant}').module({});`);
  folder.write(`${other.id}/town.ts`, 'syntax error here');
  folder.write('town.ts', 'syntax error there');
  await reload(service);
  const { items, modules } = await listOf(project);
  expect(items).toEqual([]);
  expect(modules?.map(({ kind_id: kind, file, faults }) => [kind, file, faults])).toEqual([
    [
      'bridges',
      'bridges.ts',
      [{ file: 'bridges.ts', line: null, text: "no kind 'bridges' in this project (did you mean 'bridge'?)" }],
    ],
    ['city', 'city.ts', [{ file: 'city.ts', line: 2, text: 'no …/city.ts at postgres://…@host/db' }]],
    [
      'none',
      `${project.id}/none.ts`,
      [{ file: `${project.id}/none.ts`, line: null, text: "no kind 'none' in this project" }],
    ],
    ['vault', `${project.id}/vault.ts`, [expect.objectContaining({ file: `${project.id}/vault.ts` })]],
  ]);
  const shown = JSON.stringify(modules);
  for (const hidden of [folder.path, '/tmp', 'pass', other.id, 'town']) expect(shown).not.toContain(hidden);
  const theirs = (await listOf(other)).modules;
  expect(theirs?.map(({ file }) => file)).toEqual([`${other.id}/town.ts`]);
  expect((await listOf(ann)).modules).toBeNull();
  const text = (await ann.get('/function')).text + (await anonymous(project).get('/function')).text;
  expect(text).not.toContain('city');
});

it('takes no filter, and no wrong page', async () => {
  for (const [query, code] of [
    ['x=1', 'query.unknown'],
    ['filter=eq(name,near)', 'query.unknown'],
    ['limit=1001', 'query.bad_value'],
    ['kind_id=', 'query.bad_value'],
  ]) {
    const { status, body } = await project.get(`/function?${query}`);
    expect([query, status, body.messages[0]?.code]).toEqual([query, 400, code]);
  }
});
