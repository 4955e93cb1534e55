/** `dry_run=changes`: what a change of definitions does, and what is lost by it. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { definitionsOf, ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  { id: 'country', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] },
  {
    id: 'city',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'size', kind_id: 'integer', indexed: true },
      { id: 'country', kind_id: 'unit', reference_kind: 'country' },
    ],
  },
);
await ok(project.post('/link/unit', { id: 'road', parameters: [{ id: 'lanes', kind_id: 'integer' }] }));
await ok(project.post('/country/unit', [{ code: 'it' }, { code: 'fr' }]));
await ok(project.post('/city/unit', [{ name: 'Rome', size: 3 }, { name: 'Nice', size: 1 }, { name: 'Empty' }]));
await ok(project.post('/country/unit/it/link/road/country/unit/fr', { lanes: 2 }));

/** Answers are as the API document says. */
const held = await project.documented();

interface Effects {
  readonly definitions: readonly object[];
  readonly tables: readonly { readonly step: string }[];
  readonly losses: readonly object[];
  readonly access?: readonly object[];
}

/** What a change would do; nothing is changed by asking. */
async function effectsOf(method: string, path: string, body?: unknown): Promise<Effects> {
  const before = await definitionsOf(project);
  const reply = await held.call(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=changes`, body);
  expect(reply.body.messages).toEqual([]);
  expect(reply.headers.get('kind-dry-run')).toBe('true');
  expect(await definitionsOf(project)).toEqual(before);
  return (reply.body as unknown as { changes: Effects }).changes;
}

describe('dry_run=changes', () => {
  it('tells of a new kind its table, indexes and references', async () => {
    const parameters = ['name', 'country', { id: 'opened', kind_id: 'date', indexed: true }];
    const { definitions, tables, losses } = await effectsOf('POST', '/kind/unit', { id: 'shop', parameters });
    expect(definitions).toMatchObject([
      { definition: 'kind', id: 'shop', change: 'created' },
      { definition: 'parameter', id: 'opened', change: 'created' },
    ]);
    expect(tables).toMatchObject([
      { step: 'create_table', table: 'shop', columns: expect.arrayContaining(['name', 'opened']) as unknown },
      { step: 'create_index', columns: ['country', 'id'], unique: false, in_background: false },
      { step: 'create_index', columns: ['opened', 'id'] },
      { step: 'add_foreign_key', table: 'shop', column: 'country', target: 'country', on_delete: 'restrict' },
    ]);
    expect(losses).toEqual([]);
  });

  it('tells who may do what afterwards, if others may', async () => {
    const right = (who: string, stranger: boolean, writes = false) => {
      return { who, by_rule: false, stranger, stranger_writes: writes };
    };
    const opened = await effectsOf('PUT', '/kind/unit/city', { access: { read: 'anyone', create: 'member' } });
    expect(opened.access).toEqual([
      { kind: 'city', operation: 'read', before: right('member', false), after: right('anyone', true) },
    ]);
    const made = await effectsOf('POST', '/kind/unit', { id: 'open', public: true });
    expect(made.access?.[0]).toMatchObject({ kind: 'open', before: null, after: right('anyone', true, true) });
    expect((await effectsOf('PUT', '/kind/unit/city', { label: 'Town' })).access).toEqual([]);
  });

  it('tells which values are lost, with the index', async () => {
    const change = { parameters: ['name', { id: 'mayor', kind_id: 'string', default_string: 'nobody' }] };
    const { tables, losses } = await effectsOf('PUT', '/kind/unit/city?cascade=true', change);
    expect(losses).toEqual([{ kind_id: 'city', parameter: 'size', units: 2 }]);
    expect(tables).toEqual(
      expect.arrayContaining([
        { step: 'drop_index', index: expect.stringContaining('size') as unknown },
        { step: 'drop_column', table: 'city', column: 'size' },
        { step: 'add_column', table: 'city', column: 'mayor', type: 'text', not_null: false, default: 'nobody' },
      ]),
    );
  });

  it('refuses as the change does without cascade', async () => {
    const { status, body } = await project.put('/kind/unit/city?dry_run=changes', { parameters: ['name'] });
    expect([status, body.messages.map(({ code }) => code)]).toEqual([409, ['parameter.has_values']]);
  });

  it.each([
    ['a kind', '/kind/unit/city', [{ kind_id: 'city', units: 3 }]],
    ['a parameter', '/integer/unit/size', [{ kind_id: 'city', parameter: 'size', units: 2 }]],
    ['a link type', '/link/unit/road', [{ link_id: 'road', links: 1 }]],
    ['values of links', '/integer/unit/lanes', [{ link_id: 'road', parameter: 'lanes', links: 1 }]],
  ])('tells what is lost by deleting %s', async (_, path, losses) => {
    expect(await effectsOf('DELETE', `${path}?cascade=true`)).toMatchObject({ losses });
  });

  it('counts the links of the units of a deleted kind', async () => {
    await ok(project.put('/unit/unit/country', { metadata: {} }));
    await ok(project.put('/kind/unit/city', { parameters: ['name', 'size'] }));
    const { losses } = await effectsOf('DELETE', '/kind/unit/country?cascade=true');
    expect(losses).toEqual([
      { kind_id: 'country', units: 2 },
      { kind_id: 'country', links: 1 },
    ]);
  });

  it('tells that a parameter becomes required and unique', async () => {
    const { tables } = await effectsOf('PUT', '/string/unit/name', { nullable: false, unique: true });
    expect(tables.map(({ step }) => step)).toEqual(['set_not_null', 'create_index']);
  });

  it('tells of checks and sequences, and which units get numbers', async () => {
    const checks = [{ id: 'size', filter: 'gte(size,1)', text: 'A city has people' }];
    const parameters = ['name', 'size', 'country', { id: 'number', kind_id: 'integer', sequence: true }];
    const { tables } = await effectsOf('PUT', '/kind/unit/city', { parameters, checks });
    expect(tables).toEqual(
      expect.arrayContaining([
        {
          step: 'create_sequence',
          sequence: expect.any(String) as unknown,
          numbers: { table: 'city', column: 'number' },
        },
        { step: 'add_check', table: 'city', check: 'size' },
      ]),
    );
    await ok(project.put('/kind/unit/city', { checks }));
    const dropped = await effectsOf('PUT', '/kind/unit/city', { checks: [] });
    expect(dropped.tables).toEqual([{ step: 'drop_check', table: 'city', check: 'size' }]);
  });

  it('is refused on other writes, and stores nothing', async () => {
    const { status, body } = await project.post('/city/unit?dry_run=changes', { name: 'never' });
    expect({ status, ...body.messages[0] }).toMatchObject({ status: 400, code: 'query.bad_value' });
    expect(await project.get('/city/unit')).toMatchObject({ body: { content: { count: 3 } } });
  });

  it('needs the rights of the change', async () => {
    await defineKinds(project, { id: 'person' });
    await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
    const member = await asMember(project);
    expect((await member.put('/kind/unit/city?dry_run=changes', { label: 'x' })).status).toBe(403);
  });
});
