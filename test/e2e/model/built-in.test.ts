/** Built-in kinds keep their identity, their fields and their place. */
import { describe, expect, it } from 'vitest';
import { BUILT_IN_KINDS, FIXED_KINDS } from '../../../src/model/built-in/built-in.js';
import { expectNoDrift, itRefuses, ok, refusalOf, type Method, type RefusalRow } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await ok(project.post('/string/unit', { id: 'mine' }));
const [administrator] = ((await ok(project.get('/kind_admin/unit'))) as { items: [{ id: string }] }).items;
const VISIBLE = BUILT_IN_KINDS.map(({ id }) => id).filter((id) => id !== 'kind_system_user');

const row = (
  name: string,
  method: Method,
  path: string,
  body: unknown,
  status: number,
  ...messages: string[]
): RefusalRow => ({ name, call: [method, path, body], status, messages });
const kept = (name: string, method: Method, path: string, body?: unknown) =>
  row(name, method, path, body, 403, 'kind.built_in');

describe('a built-in kind', () => {
  it.each(VISIBLE)('%s is a unit of kind', async (id) => {
    const kind = (await ok(project.get(`/kind/unit/${id}`))) as { parameters: string[] };
    expect(kind).toMatchObject({ id, kind_id: 'kind', type: 'kind', active: true, remote: false });
    expect(kind.parameters).toEqual(expect.arrayContaining(['id', 'kind_id', 'metadata', 'inserted_at', 'updated_at']));
    const { items } = (await ok(project.get(`/${id}/unit?limit=1`))) as { items: object[] };
    // What its units show is what it says of them, and the fields that every record of a parameter shows.
    for (const item of items) expect(Object.keys(item)).toEqual(expect.arrayContaining(kind.parameters));
  });

  itRefuses(
    project,
    VISIBLE.flatMap((id) => [
      kept(`${id} cannot be deleted`, 'DELETE', `/kind/unit/${id}`),
      kept(`${id} cannot be deleted, even with cascade`, 'DELETE', `/kind/unit/${id}?cascade=true`),
    ]),
  );

  itRefuses(
    project,
    FIXED_KINDS.filter((id) => VISIBLE.includes(id)).flatMap((id) => [
      kept(`${id} cannot lose its fields`, 'PUT', `/kind/unit/${id}`, { parameters: [] }),
      kept(`${id} cannot gain one`, 'POST', `/kind/unit/${id}/link/parameter/string/unit/mine`),
    ]),
  );

  itRefuses(project, [
    ...Object.entries({
      active: false,
      remote: true,
      public: true,
      unique: [['label']],
      indexes: [['label']],
      parameters: ['mine'],
    }).map(([key, value]) => kept(`cannot change ${key}`, 'PUT', '/kind/unit/string', { label: 'x', [key]: value })),
    ...Object.entries({ string: 'none', api_key: 'feed', kind_admin: 'none' }).map(([id, changes]) =>
      row(`${id} is recorded as it is`, 'PUT', `/kind/unit/${id}`, { changes }, 400, 'kind.changes changes'),
    ),
    kept('cannot get parameters in place', 'PUT', '/kind/unit/kind', {
      parameters: [{ id: 'new', kind_id: 'string' }],
    }),
    row(
      'kind, updated by nobody, would lock the project',
      'PUT',
      '/kind/unit/kind',
      { access: { update: 'nobody' } },
      400,
      'parameter.bad_value access',
    ),
    row(
      'joins no group',
      'POST',
      '/group/unit',
      { id: 'g', kind_list: ['string'] },
      400,
      'group.bad_definition kind_list',
    ),
    row('the link type link cannot be deleted', 'DELETE', '/link/unit/link', undefined, 403, 'kind.built_in'),
    row(
      'the last administrator cannot be deleted',
      'DELETE',
      `/kind_admin/unit/${administrator.id}`,
      undefined,
      409,
      'unit.last_administrator',
    ),
  ]);

  it('kind_admin can have a history', async () => {
    expect(await ok(project.put('/kind/unit/kind_admin', { changes: 'history' }))).toMatchObject({
      changes: 'history',
    });
    await ok(project.put(`/kind_admin/unit/${administrator.id}`, { metadata: { a: 1 } }));
    const history = await ok(project.get(`/kind_admin/unit/${administrator.id}/history`));
    const edited = { operation: 'update', changes: { metadata: [{}, { a: 1 }] } };
    expect(history).toMatchObject({ items: [edited, { operation: 'create' }] });
    await ok(project.put('/kind/unit/kind_admin?cascade=true', { changes: 'feed' }));
  });

  it('can be labelled, described and opened', async () => {
    const before = (await ok(project.get('/kind/unit/string'))) as object;
    const edited = (await ok(
      project.put('/kind/unit/string', {
        id: 'string',
        kind_id: 'kind',
        label: 'Short text',
        metadata: { a: 1 },
        access: { read: 'anyone' },
      }),
    )) as { updated_at: string };
    expect(edited).toEqual({
      ...before,
      label: 'Short text',
      metadata: { a: 1 },
      access: { read: 'anyone' },
      updated_at: edited.updated_at,
    });
    await ok(project.as(undefined).get('/string/unit'));
    expect(refusalOf(await project.as(undefined).post('/string/unit', { id: 'x' }))).toEqual({
      status: 401,
      messages: ['token.missing'],
    });
    await ok(project.put('/kind/unit/string', { access: null }));
    await expectNoDrift(project);
  });
});

describe('credentials', () => {
  itRefuses(project, [
    row('their kind is not there', 'GET', '/kind/unit/kind_system_user', undefined, 403, 'access.denied'),
    row('their kind cannot be edited', 'PUT', '/kind/unit/kind_system_user', { label: 'x' }, 403, 'access.denied'),
    row(
      'their kind cannot be deleted',
      'DELETE',
      '/kind/unit/kind_system_user?cascade=true',
      undefined,
      403,
      'access.denied',
    ),
    row(
      'their kind cannot gain a parameter',
      'POST',
      '/kind/unit/kind_system_user/link/parameter/string/unit/mine',
      undefined,
      403,
      'access.denied',
    ),
  ]);

  it('are never listed or returned', async () => {
    for (const [method, path] of [
      ['GET', '/kind_system_user/unit'],
      ['GET', '/kind_system_user/unit/0198c0de-0000-7000-8000-000000000000'],
      ['GET', '/kind_system_user/struct'],
      ['POST', '/kind_system_user/unit'],
      ['PUT', '/kind_system_user/unit/0198c0de-0000-7000-8000-000000000000'],
      ['DELETE', '/kind_system_user/unit/0198c0de-0000-7000-8000-000000000000'],
    ] as const) {
      expect([
        method,
        path,
        refusalOf(await project.call(method, path, method === 'GET' || method === 'DELETE' ? undefined : {})),
      ]).toEqual([method, path, { status: 403, messages: ['access.denied'] }]);
    }
    expect((await project.get('/kind_admin/unit')).text).not.toMatch(/password|argon/i);
    expect((await project.get('/kind/unit?limit=1000')).text).not.toMatch(/password|username_key|argon/i);
  });

  it('are in no list of kinds', async () => {
    const { items, count } = (await ok(project.get('/kind/unit?limit=1000'))) as {
      count: number;
      items: { id: string }[];
    };
    expect(items.map(({ id }) => id)).toEqual(VISIBLE);
    expect(count).toBe(VISIBLE.length);
  });
});
