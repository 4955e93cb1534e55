/** Clients that generators make of the document compile with strict settings, and can call the service. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, expect, it } from 'vitest';
import { PARAMETER_TYPE_LIST } from '../../src/model/parameter-type/parameter-types.js';
import { defineKinds } from '../support/callers.js';
import { createdId, ok } from '../support/definitions.js';
import { PLACE, THING } from '../support/every-type.js';
import { defineShownKinds, SHOWN_KINDS } from '../support/shown-kinds.js';
import { sharedService, type TestProject } from '../support/service.js';

const service = await sharedService();
const project = await service.project();
/** Ids that are words of a language, or look like what generators make of other ids, or as the document's own names do. */
const WORDS = [
  ...['class', 'constructor', 'city_create', 'city_list', 'city_update', 'client', 'ci_ty', 'cit_y'],
  ...['session', 'error', 'message', 'linked_unit', 'bad_request', 'links', 'service', 'limit', 'any'],
].map((id) => ({ id, parameters: ['name'] }));

await defineKinds(project, PLACE, THING, {
  id: 'city',
  label: 'City',
  parameters: [
    { id: 'name', kind_id: 'string', required: true, max_length: 100 },
    { id: 'size', kind_id: 'string', values: ['small', 'large'], default_string: 'small' },
    { id: 'population', kind_id: 'integer' },
    { id: 'twin', kind_id: 'unit', reference_kind: 'place' },
    { id: 'near', kind_id: 'unit', reference_kind: 'city' },
  ],
});
/** Parameters whose ids are words of what generators make of operations and of the envelope. */
await defineKinds(project, {
  id: 'note',
  parameters: [
    { id: 'subject', kind_id: 'string', required: true, nullable: false },
    { id: 'body', kind_id: 'string' },
    { id: 'params', kind_id: 'string', values: ['a', 'b'] },
    { id: 'data', kind_id: 'json' },
    { id: 'response', kind_id: 'string', multiple: true, values: ['x', 'y'] },
    { id: 'items', kind_id: 'integer' },
    { id: 'count', kind_id: 'decimal' },
    { id: 'many', kind_id: 'unit', reference_kind: 'place' },
    { id: 'created', kind_id: 'datetime' },
  ],
});
await defineKinds(project, ...WORDS);
for (const { id } of WORDS.slice(0, 6)) {
  await ok(project.post('/link/unit', { id, parameters: [{ id: 'weight', kind_id: 'float' }] }));
}
await ok(
  project.post('/link/unit', {
    id: 'flight',
    parameters: ['weight', 'params', { id: 'seats', kind_id: 'integer', required: true }],
  }),
);

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Of the parameter types, which are alike, one: the time of generators and of the compiler grows with the kinds. */
async function kindsOfClients(): Promise<string> {
  const alike: string[] = PARAMETER_TYPE_LIST.map(({ id }) => id).filter((id) => id !== 'string');
  const { items } = (await ok(project.get('/kind/unit?limit=1000&include=id'))) as { items: { id: string }[] };
  return items.flatMap(({ id }) => (alike.includes(id) ? [] : [id])).join();
}

/** A program of both clients, as a user would write it. */
const PROGRAM = `
import type { components, paths } from './types.js';
import { createClient } from './sdk/client/index.js';
import { anyLinked, anyPath, cityCreate, cityList, flightLink, flightLinkMany, flightLinkUpdate, kindStruct, cityDelete } from './sdk/sdk.gen.js';
import { cityCreate as create, cityList as list, type CityCreate, type NoteCreate, type NoteCreated as CreatedByOrval, type NoteCreatedMany as ManyByOrval } from './orval.js';
import type { CityRecord as CityByOrval } from './orval.js';
import { noteCreate } from './sdk/sdk.gen.js';
import type { CityRecord, NoteCreated, NoteCreatedMany } from './sdk/types.gen.js';

type Listing = paths['/api/lib/city/unit']['get'];
type Listed = Listing['responses'][200]['content']['application/json'];
type Refused = Listing['responses'][400]['content']['application/json'];
type Query = NonNullable<Listing['parameters']['query']>;
type Creation = paths['/api/lib/city/unit']['post']['requestBody']['content']['application/json'];

// @ts-expect-error no such size
export const wrong: Creation = { name: 'Rome', size: 'vast' };
// @ts-expect-error no name
export const nameless: Creation = { population: 1 };
export const nested: Creation = [{ name: 'Rome', size: 'large', twin: { metadata: { a: 1 } } }];

export async function bySchemas(url: string, headers: Record<string, string>, query: Query): Promise<Listed | Refused> {
  const reply = await fetch(\`\${url}/api/lib/city/unit?\${new URLSearchParams(query as Record<string, string>)}\`, { headers });
  return (await reply.json()) as Listed | Refused;
}

// @ts-expect-error no such size
export const oversized: CityCreate = { name: 'Rome', size: 'vast' };

export async function byOrval(headers: Record<string, string>) {
  const created = await create({ name: 'Oslo', population: 700_000 }, undefined, { headers });
  const listed = await list({ order: ['name;asc'], limit: 5 }, { headers });
  if (created.status !== 200 || listed.status !== 200) throw new Error('refused');
  return { created: created.data.content, first: listed.data.content.items[0]?.name };
}

type Step = components['schemas']['kind_link_step'];
export function weightOf(step: Step): number | null {
  if (step.link_id !== 'flight') return 0;
  // @ts-expect-error no text
  step.weight satisfies string | null;
  return step.weight;
}

export async function linksBySdk(baseUrl: string, key: string, token: string, [from, to]: [string, string]) {
  const client = createClient({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : key) });
  const path = { parent_kind_id: 'city', parent_unit_id: from } as const;
  const other = { child_kind_id: 'city', child_unit_id: to } as const;
  const made = await flightLink({ client, path: { ...path, ...other }, body: { weight: 1.5, seats: 3 } });
  const changed = await flightLinkUpdate({ client, path: { ...path, ...other }, body: { weight: 2.5 } });
  // @ts-expect-error no text
  await flightLinkUpdate({ client, path: { ...path, ...other }, body: { weight: 'heavy' } });
  const many = await flightLinkMany({
    client,
    path: { ...path, direction: 'child' },
    body: { items: [{ kind_id: 'city', id: to, weight: 2.5 }] },
  });
  const walked = await anyLinked({ client, path: { ...path, direction: 'child' } });
  const way = await anyPath({ client, path, query: { to_kind: 'city', to_id: to } });
  const listed = await cityList({ client, query: { load_links: true, direction: 'child', link_id: ['flight'], include_linked: ['name'] } });
  const step = walked.data?.content.items[0]?.link;
  return {
    seats: made.data?.content.seats satisfies number | null | undefined,
    weights: [changed.data?.content.weight, many.data?.content.items[0]?.weight, step && weightOf(step as Step)],
    way: way.data?.content.count,
    listed: listed.data?.content.items.map(({ links }) => links),
  };
}

/** What \`nest\` makes of a reference is a record of its kind. */
type City = components['schemas']['city.record'] | CityRecord | CityByOrval;
export function nearest({ near }: City): string | null | undefined {
  if (typeof near !== 'object') return near;
  // @ts-expect-error no such field
  void near?.nam;
  return near?.name;
}

/** What creates of one and of many units answer, although a note has a parameter \`items\`. */
type Created = components['schemas']['note.created'] | components['schemas']['note.created_many'];
export function subjectsOf(content: Created): readonly string[] {
  return 'kind_id' in content ? [content.subject] : content.items.map(({ subject }) => subject);
}
export function subjectsByOrval(content: CreatedByOrval | ManyByOrval): readonly string[] {
  return 'kind_id' in content ? [content.subject] : content.items.map(({ subject }) => subject);
}
export const written: NoteCreate = { subject: 'a', body: 'b', params: 'a' };
// @ts-expect-error no such field
export const unknownField = (content: components['schemas']['note.record']) => content.subjekt;

export async function notesBySdk(baseUrl: string, key: string, token: string) {
  const client = createClient({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : key) });
  // Without \`include\`, which the type of the answer does not know.
  const one = (await noteCreate({ client, body: { subject: 'a', body: 'b', items: 3 } })).data?.content as NoteCreated;
  const many = (await noteCreate({ client, body: [{ subject: 'c' }, { subject: 'd' }] })).data?.content as NoteCreatedMany;
  // @ts-expect-error no such field
  void one.subjekt;
  const cities = (await cityCreate({ client, body: [{ name: 'Turin' }], query: { dry_run: 'true' } })).data?.content;
  const names = cities && 'items' in cities ? cities.items.map(({ name }) => name satisfies string | null | undefined) : [cities?.name];
  return { id: one.id satisfies string, items: one.items satisfies number | null, subjects: many.items.map(({ subject }) => subject satisfies string), names };
}

export async function bySdk(baseUrl: string, key: string, token: string) {
  const client = createClient({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : key) });
  const created = await cityCreate({ client, body: { name: 'Rome', population: 2_800_000 } });
  const listed = await cityList({ client, query: { order: ['name;asc', 'population;desc'], include: ['id', 'name'] } });
  const refused = await cityCreate({ client, body: { name: 'x'.repeat(101) } });
  const struct = await kindStruct({ client });
  const id = listed.data?.content.items[0]?.id ?? '';
  const gone = await cityDelete({ client, path: { unit_id: id } });
  return {
    created: created.data?.content,
    listed: listed.data?.content,
    refused: refused.error?.messages[0]?.code,
    struct: struct.data?.content.label,
    gone: gone.data,
  };
}
`;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  skipLibCheck: true,
};

/** All clients of a project beside a program, which is compiled; answers their folder. */
async function build(of: TestProject, source: string, query = ''): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kind-clients-'));
  folders.push(folder);
  const { body } = await of.get(`/doc/openapi.json${query}`);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'document.json'), JSON.stringify(body));
  await generate(folder, of.service.url);
  await writeFile(join(folder, 'program.ts'), source);
  expect(compile(folder)).toEqual([]);
  return folder;
}

/** What each generator is told; its program is in the packages of this folder. */
const GENERATORS = [
  {
    program: 'openapi-typescript/bin/cli.js',
    args: ['document.json', '--output', 'types.ts', '--default-non-nullable=false'],
  },
  { program: '@hey-api/openapi-ts/bin/run.js', args: ['--file', 'hey-api.config.cjs', '--silent', '--no-log-file'] },
  { program: 'orval/dist/bin/orval.js', args: ['--config', 'orval.config.cjs'] },
];
const HEY_API = {
  input: 'document.json',
  output: { path: 'sdk', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
const ORVAL = { target: 'orval.ts', client: 'fetch', mode: 'single' };

/** Each in a process of its own, as users run them. */
async function generate(folder: string, baseUrl: string): Promise<void> {
  const orval = { kind: { input: 'document.json', output: { ...ORVAL, baseUrl } } };
  for (const [name, config] of Object.entries({ 'hey-api': HEY_API, orval })) {
    await writeFile(join(folder, `${name}.config.cjs`), `module.exports = ${JSON.stringify(config)};`);
  }
  const packages = join(import.meta.dirname, 'node_modules');
  const runs = GENERATORS.map(({ program, args }) =>
    promisify(execFile)(process.execPath, [join(packages, program), ...args], { cwd: folder }),
  );
  await Promise.all(runs);
}

/** TypeScript's own libraries, which are parsed once for all programs. */
const libraries = new Map<string, ts.SourceFile | undefined>();

function compile(folder: string): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const program = ts.createProgram([join(folder, 'program.ts')], OPTIONS, {
    ...host,
    getSourceFile(path, ...more) {
      if (!path.includes('/node_modules/')) return host.getSourceFile(path, ...more);
      const known = libraries.get(path) ?? host.getSourceFile(path, ...more);
      libraries.set(path, known);
      return known;
    },
  });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

interface Program {
  bySchemas(url: string, headers: Record<string, string>, query: object): Promise<unknown>;
  bySdk(url: string, key: string, token: string): Promise<unknown>;
  notesBySdk(url: string, key: string, token: string): Promise<unknown>;
  linksBySdk(url: string, key: string, token: string, ends: readonly [string, string]): Promise<unknown>;
  byOrval(headers: Record<string, string>): Promise<unknown>;
}

it('is a strict client, by every generator', { timeout: 240_000 }, async () => {
  const folder = await build(project, PROGRAM, `?kinds=${await kindsOfClients()}`);
  const program = (await import(/* @vite-ignore */ join(folder, 'program.js'))) as Program;
  const { url } = service.service;
  const token = project.token ?? '';
  expect(await program.bySdk(url, project.id, token)).toMatchObject({
    created: { kind_id: 'city', name: 'Rome', size: 'small', population: 2_800_000, twin: null },
    listed: { count: 1, items: [{ name: 'Rome' }] },
    refused: 'parameter.too_long',
    struct: 'Kind',
    gone: { content: null, messages: [] },
  });
  expect(await program.notesBySdk(url, project.id, token)).toEqual({
    id: expect.any(String) as string,
    items: 3,
    subjects: ['c', 'd'],
    names: ['Turin'],
  });
  const ends = [await createdId(project.post('/city/unit', { name: 'Bari' }))] as string[];
  ends.push(await createdId(project.post('/city/unit', { name: 'Como' })));
  const [from = '', to = ''] = ends;
  expect(await program.linksBySdk(url, project.id, token, [from, to])).toMatchObject({
    seats: 3,
    weights: [2.5, 2.5, 2.5],
    way: 1,
    listed: [{ child: [{ name: 'Como', link: { weight: 2.5, seats: 3 } }] }, { child: [] }],
  });
  for (const id of ends) await ok(project.delete(`/city/unit/${id}`));
  const headers = { 'kind-project-key': project.id, authorization: `Bearer ${token}` };
  expect(await program.bySchemas(url, headers, { limit: 0 })).toEqual({
    content: { count: 0, items: [] },
    messages: [],
  });
  expect(await program.byOrval(headers)).toMatchObject({
    created: { kind_id: 'city', name: 'Oslo' },
    first: 'Oslo',
  });
});

it('is generated for some kinds only, those of the tour and of the demo', { timeout: 240_000 }, async () => {
  const shown = await service.project();
  await defineShownKinds(shown);
  await build(
    shown,
    `
import type { components } from './types.js';
import { bookCreate, cityList } from './sdk/sdk.gen.js';

export const book: components['schemas']['book.create'] = { isbn: '9780141439600', title: 'A Tale of Two Cities' };
// @ts-expect-error no key
export const keyless: components['schemas']['book.create'] = { title: 'Emma' };
export const calls = [bookCreate, cityList];
`,
    `?kinds=${SHOWN_KINDS.join()}`,
  );
});
