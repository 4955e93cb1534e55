/** The service accepts every example of the document. */
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument, Schema } from '../../../src/doc/openapi/openapi.js';
import { anonymous, asMember, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { PLACE, THING } from '../../support/every-type.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { defineShownKinds } from '../../support/shown-kinds.js';
import type { TestProject } from '../../support/service.js';

const FAR = `
import { kind } from 'kind';
const unit = { id: 'key' };
export default kind('far').module({
  remote: { list: () => ({ count: 0, items: [] }), get: () => unit, create: () => unit, update: () => unit, delete: () => true },
});`;
const THINGS = `
import { kind } from 'kind';
const thing = kind('thing');
const parameters = {
  least: { type: 'integer', required: true, min_value: 7 },
  code: { type: 'string', pattern: '^[A-Z]{3}$' },
  tags: { type: 'string', multiple: true },
};
export default thing.module({
  functions: { count: thing.function({ description: 'Counts', parameters, run: ({ parameters }) => parameters }) },
  unitFunctions: { grow: thing.unitFunction({ description: 'Grows', parameters, methods: ['POST'], run: () => null }) },
});`;

/** Kinds with rules that a careless example breaks. */
const RULED = [
  { id: 'country', parameters: [{ id: 'code', kind_id: 'string', is_primary: true, max_length: 12 }] },
  {
    id: 'region',
    parameters: [{ id: 'in_country', kind_id: 'unit', reference_kind: 'country', required: true }],
  },
  {
    id: 'town',
    label: 'A town',
    parameters: [
      { id: 'in_region', kind_id: 'unit', reference_kind: 'region', nullable: false },
      { id: 'twin', kind_id: 'unit', reference_kind: 'town' },
      { id: 'name', kind_id: 'string', label: ' Name ', required: true, strip: true, min_length: 6, max_length: 8 },
      { id: 'e_mail', kind_id: 'string', label: 'E-mail', pattern: '^[^@\\s]+@[^@\\s]+$' },
      { id: 'level', kind_id: 'integer', values: [3, 5], required: true },
      { id: 'price', kind_id: 'decimal', min_value: '2.50', max_value: '2.75', scale: 2, required: true },
      { id: 'shape', kind_id: 'json', required: true, nullable: false },
      { id: 'cover', kind_id: 'binary', required: true, max_length: 1 },
      { id: 'opens', kind_id: 'time', multiple: true, required: true },
    ],
  },
];

const folder = new FunctionsFolder({ 'far.ts': FAR, 'thing.ts': THINGS });
const service = await sharedServiceWith(folder);

interface Example {
  readonly name: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: unknown;
  /** The kinds of the units that its fields refer to. */
  readonly references: References;
}

const documentOf = async (caller: TestProject) =>
  (await caller.get('/doc/openapi.json')).body as unknown as OpenApiDocument;

/** All examples, those that make something first. */
async function examplesOf(caller: TestProject): Promise<Example[]> {
  const { paths, components } = await documentOf(caller);
  const all = Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).flatMap(([verb, { requestBody }]): Example[] => {
      const { schema, example, examples = {} } = requestBody?.content['application/json'] ?? {};
      const bodies = [example, ...Object.values(examples).map(({ value }) => value)].flatMap((each) => each ?? []);
      const [method, path] = [verb === 'put' ? 'PUT' : 'POST', template.replace('/api/lib', '')] as const;
      const references = referencesOf(schema, components.schemas);
      return bodies.map((body) => ({ name: `${method} ${path}`, method, path, body, references }));
    }),
  );
  return all.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
}

/** The kinds of the units that the fields of a body refer to, as the document tells. */
function referencesOf(schema: Schema | undefined, schemas: Schemas): References {
  const [body] = [(schema?.['anyOf'] as Schema[] | undefined)?.[0] ?? schema].map((each) => followed(each, schemas));
  const properties = Object.entries((body?.['properties'] ?? {}) as Schemas);
  return new Map(
    properties.flatMap(([name, each]): [string, string][] => {
      const [, kind] = /The id of a unit of `(\w+)`/.exec(String(followed(each, schemas)?.['description'])) ?? [];
      return kind === undefined ? [] : [[name, kind]];
    }),
  );
}

function followed(schema: Schema | undefined, schemas: Schemas): Schema | undefined {
  const { $ref } = schema ?? {};
  return typeof $ref === 'string' ? schemas[$ref.replace('#/components/schemas/', '')] : schema;
}

type Schemas = Readonly<Record<string, Schema>>;
type References = ReadonlyMap<string, string>;

/** The id in examples, where that of a unit is needed. */
const SOME_ID = '00000000-0000-4000-8000-000000000000';

/** An example as a person would send it: with ids of units that are there. Undefined if there are none yet. */
function withIds({ body, references }: Example, made: ReadonlyMap<string, string>): object | undefined {
  const needed = Object.keys(body as object).flatMap((name) => references.get(name) ?? []);
  if (needed.some((kind) => !made.has(kind))) return undefined;
  return Object.fromEntries(
    Object.entries(body as object).map(([name, value]) => [
      name,
      made.get(references.get(name) ?? '') ?? (value as unknown),
    ]),
  );
}

/**
 * Sends them in turn; those of a unit to the one that was made before, and those that name units after these were made.
 * Answers what was sent, and what was refused.
 */
async function sendAll(caller: TestProject): Promise<{ sent: string[]; refused: unknown[] }> {
  const held = await caller.documented();
  const [sent, refused]: [string[], unknown[]] = [[], []];
  const me = await held.get('/auth/me');
  const made = new Map<string, string>(
    me.status === 200 ? [[String(me.body.content.kind_id), String(me.body.content.id)]] : [],
  );
  const waiting = await examplesOf(caller);
  for (;;) {
    const at = waiting.findIndex((each) => withIds(each, made));
    const [next] = at === -1 ? [] : waiting.splice(at, 1);
    if (!next) break;
    const { name, method, path } = next;
    const body = withIds(next, made);
    const [, kind = ''] = /^\/(\w+)\/unit/.exec(path) ?? [];
    const unit = made.get(kind);
    if (path.includes('{') && unit === undefined) continue;
    // An edit without a unit in its path needs a filter. This one is for the units of none.
    const query = method === 'PUT' && path === `/${kind}/unit` ? '?filter=not(all())' : '';
    const reply = await held.call(method, `${path.replace(/\{\w+\}/, unit ?? '')}${query}`, body);
    sent.push(name);
    if (reply.status !== 200) refused.push([name, body, reply.body.messages]);
    else if (method === 'POST' && path === `/${kind}/unit`)
      made.set(kind, String((reply.body.content as { id: string }).id));
  }
  return { sent, refused };
}

/** The project as a new member. */
async function signedUp(project: TestProject, name: string): Promise<TestProject> {
  return project.as((await signUp(project, name)).accessToken);
}

describe('the examples of a document', { timeout: 90_000 }, () => {
  it('are accepted for the kinds of a project, and for definitions', async () => {
    const project = await withMembers(await service.project());
    await defineKinds(project, PLACE, THING, ...RULED);
    await defineKinds(project, {
      id: 'far',
      remote: true,
      parameters: [{ id: 'key', kind_id: 'string', is_primary: true }],
    });
    const { sent, refused } = await sendAll(project);
    expect(refused).toEqual([]);
    const kinds = [
      'kind',
      'group',
      'link',
      'string',
      'unit',
      'json',
      'kind_admin',
      'person',
      'thing',
      'town',
      'country',
      'far',
    ];
    expect(sent).toEqual(expect.arrayContaining(kinds.map((kind) => `POST /${kind}/unit`)));
    expect(sent).toEqual(
      expect.arrayContaining([
        'PUT /kind/unit/{kind_id}',
        'PUT /string/unit/{parameter_id}',
        'PUT /town/unit/{unit_id}',
        'PUT /person/unit/{unit_id}',
        'POST /auth/person/signup',
        'POST /thing/function/count',
        'POST /thing/unit/{unit_id}/function/grow',
      ]),
    );
  });

  it('are accepted for the kinds of README, even if ids of the examples are taken', async () => {
    const project = await service.project();
    await defineShownKinds(project);
    await defineKinds(project, { id: 'favourites' });
    await ok(project.post('/group/unit', { id: 'favourites' }));
    expect((await sendAll(project)).refused).toEqual([]);
    // What they made is there now.
    expect(
      (await sendAll(project)).refused.filter((each) => /POST \/(kind|group|link|string)\//.test(String(each))),
    ).toEqual([]);
  });

  it.each([
    ['members', (project: TestProject) => asMember(project)],
    ['anyone', (project: TestProject) => Promise.resolve(anonymous(project))],
  ] as const)('are taken of %s', async (_, as) => {
    const project = await withMembers(await service.project());
    const about = { id: 'about', kind_id: 'unit', reference_kind: 'place', required: true };
    await defineKinds(project, { ...PLACE, public: true }, { id: 'note', parameters: [about] });
    const { sent, refused } = await sendAll(await as(project));
    expect(refused).toEqual([]);
    expect(sent).toEqual(expect.arrayContaining(['POST /place/unit', 'POST /auth/person/signup']));
  });

  it('show a whole kind, one with closed rules, and how members come into being', async () => {
    const project = await service.project();
    const shown = async () => {
      const { paths } = await documentOf(project);
      return paths['/api/lib/kind/unit']?.post?.requestBody?.content['application/json']?.examples ?? {};
    };
    const { kind, members } = await shown();
    expect(Object.keys(kind?.value ?? {})).toEqual([
      'id',
      'label',
      'parameters',
      'unique',
      'indexes',
      'checks',
      'access',
      'accepted',
      'metadata',
    ]);
    await ok(project.post('/kind/unit', kind?.value));
    expect(await ok(project.get('/kind/unit/book'))).toMatchObject({ parameters: ['title', 'year', 'genre'] });

    await ok(project.post('/kind/unit', members?.value));
    const [, path = ''] = /POST \/api\/lib(\S+)/.exec(members?.summary ?? '') ?? [];
    expect(path).toBe('/group/unit/kind_auth_member/link/group/kind/unit/person');
    await ok(project.post(path));
    await ok(project.post('/kind/unit', (await shown())['rules']?.value));
    const [ann, bob] = [await signedUp(project, 'ann'), await signedUp(project, 'bob')];
    const { id } = (await ok(ann.post('/ticket/unit', { subject: 'Lost' }))) as { id: string };
    expect(await ok(ann.put(`/ticket/unit/${id}`, { state: 'closed' }))).toMatchObject({ state: 'closed' });
    expect((await ann.put(`/ticket/unit/${id}`, { state: 'open' })).status).toBe(403);
    expect((await bob.get(`/ticket/unit/${id}`)).status).toBe(404);
    expect((await ann.delete(`/ticket/unit/${id}`)).status).toBe(403);
  });

  it('of a unit name no other one that it would make', async () => {
    const project = await service.project();
    await defineKinds(
      project,
      { id: 'company', parameters: [{ id: 'name', kind_id: 'string', required: true }] },
      {
        id: 'ticket',
        parameters: [
          { id: 'company', kind_id: 'unit', reference_kind: 'company', required: true },
          { id: 'text', kind_id: 'text' },
        ],
      },
    );
    const { paths } = await documentOf(project);
    const { example } = paths['/api/lib/ticket/unit']?.post?.requestBody?.content['application/json'] ?? {};
    expect(example).toEqual({ company: SOME_ID, text: 'text' });
  });

  it('are omitted if a required value cannot be generated', async () => {
    const project = await service.project();
    await defineKinds(project, {
      id: 'coded',
      parameters: [{ id: 'code', kind_id: 'string', required: true, pattern: '^[A-Z]{2}$' }],
    });
    const { paths } = await documentOf(project);
    const { requestBody } = paths['/api/lib/coded/unit']?.post ?? {};
    expect(requestBody?.content['application/json']).not.toHaveProperty('example');
  });
});
