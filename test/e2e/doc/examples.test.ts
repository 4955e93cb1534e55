/** The service accepts every example of the document. */
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { anonymous, asMember, defineKinds, withMembers } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { PLACE, THING } from '../../support/every-type.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { SHOWN_KINDS } from '../../support/shown-kinds.js';
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
}

const documentOf = async (caller: TestProject) =>
  (await caller.get('/doc/openapi.json')).body as unknown as OpenApiDocument;

/** All examples, those that make something first. */
async function examplesOf(caller: TestProject): Promise<Example[]> {
  const { paths } = await documentOf(caller);
  const all = Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).flatMap(([verb, { requestBody }]): Example[] => {
      const { example } = requestBody?.content['application/json'] ?? {};
      if (example === undefined) return [];
      const [method, path] = [verb === 'put' ? 'PUT' : 'POST', template.replace('/api/lib', '')] as const;
      return [{ name: `${method} ${path}`, method, path, body: example }];
    }),
  );
  return all.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
}

/** Sends them in turn; those of a unit to the one that was made before. Answers what was sent, and what was refused. */
async function sendAll(caller: TestProject): Promise<{ sent: string[]; refused: unknown[] }> {
  const held = await caller.documented();
  const [sent, refused]: [string[], unknown[]] = [[], []];
  const made = new Map<string, string>();
  for (const { name, method, path, body } of await examplesOf(caller)) {
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

describe('the examples of a document', () => {
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
    await defineKinds(project, ...SHOWN_KINDS, { id: 'favourites' });
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

  it('show a whole kind', async () => {
    const project = await service.project();
    const { paths } = await documentOf(project);
    const { example } = paths['/api/lib/kind/unit']?.post?.requestBody?.content['application/json'] ?? {};
    expect(Object.keys(example ?? {})).toEqual([
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
    await ok(project.post('/kind/unit', example));
    expect(await ok(project.get('/kind/unit/book'))).toMatchObject({ parameters: ['title', 'year', 'genre'] });
  });

  it('are omitted if a required value cannot be generated', async () => {
    const project = await service.project();
    const closed = { create: 'nobody' };
    await defineKinds(
      project,
      { id: 'vault', access: closed },
      { id: 'coded', parameters: [{ id: 'code', kind_id: 'string', required: true, pattern: '^[A-Z]{2}$' }] },
      { id: 'key', parameters: [{ id: 'of', kind_id: 'unit', reference_kind: 'vault', required: true }] },
    );
    const { paths } = await documentOf(project);
    for (const kind of ['key', 'coded']) {
      const { requestBody } = paths[`/api/lib/${kind}/unit`]?.post ?? {};
      expect(requestBody?.content['application/json']).not.toHaveProperty('example');
    }
  });
});
