/** Groups, and what is put into them and into kinds through links. */
import { describe, expect, it } from 'vitest';
import {
  expectNoDrift,
  expectRefused,
  itRefuses,
  ok,
  refusalOf,
  TIMESTAMP,
  type Method,
  type RefusalRow,
} from '../../support/definitions.js';
import { sharedService, type Reply } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
for (const id of ['city', 'town', 'village']) await ok(project.post('/kind/unit', { id, label: id.toUpperCase() }));
await ok(project.post('/group/unit', { id: 'taken', kind_list: ['city', 'town'] }));

describe('a group', () => {
  it('has its fields', async () => {
    const made = await project.post('/group/unit', { id: 'places', label: 'Places' });
    expect(made.body.content).toEqual({
      ...{ id: 'places', kind_id: 'group', label: 'Places', description: '', kind_list: [], metadata: {} },
      ...{
        inserted_at: expect.stringMatching(TIMESTAMP) as string,
        updated_at: expect.stringMatching(TIMESTAMP) as string,
      },
    });
    const got = await project.get('/group/unit/places');
    expect(got.body.content).toEqual(made.body.content);
    expect(got.headers.get('etag')).toBe(made.headers.get('etag'));
    expect(await ok(project.get('/group/unit?filter=eq(id,places)'))).toEqual({ count: 1, items: [made.body.content] });
  });

  it('keeps the given kinds in their order', async () => {
    expect(
      await ok(
        project.post('/group/unit', {
          label: 'Two of them',
          kind_list: ['town', 'city'],
          description: 'd',
          metadata: { a: 1 },
        }),
      ),
    ).toMatchObject({
      ...{ id: 'two_of_them', kind_list: ['town', 'city'], description: 'd', metadata: { a: 1 } },
    });
    expect(await ok(project.put('/group/unit/two_of_them', { kind_list: ['city'] }))).toMatchObject({
      label: 'Two of them',
      kind_list: ['city'],
    });
    const kinds = (await ok(project.get('/group/two_of_them/kind'))) as { count: number; items: object[] };
    expect(kinds).toEqual({ count: 1, items: [await ok(project.get('/kind/unit/city'))] });
  });

  it('lists its kinds with the query of any list', async () => {
    expect(await ok(project.get('/group/taken/kind?order=id;desc&include=id,label'))).toEqual({
      count: 2,
      items: [
        { id: 'town', label: 'TOWN' },
        { id: 'city', label: 'CITY' },
      ],
    });
    expect(await ok(project.get('/group/taken/kind?filter=eq(label,CITY)&limit=1'))).toMatchObject({
      count: 1,
      items: [{ id: 'city' }],
    });
    expect(refusalOf(await project.get('/group/nowhere/kind'))).toEqual({ status: 404, messages: ['group.unknown'] });
  });

  it('gains and loses kinds through links', async () => {
    await ok(project.post('/group/unit', { id: 'linked' }));
    const path = '/group/unit/linked/link/group/kind/unit';
    const before = (await project.get('/group/unit/linked')).headers.get('etag');
    const [added, city] = [await project.post(`${path}/city`), await project.get('/kind/unit/city')];
    expect(added.body).toEqual(city.body);
    expect(added.headers.get('etag')).toBe(city.headers.get('etag'));
    expect(await ok(project.post(`${path}/town`))).toMatchObject({ id: 'town', kind_id: 'kind' });
    // Once more changes nothing.
    expect(await ok(project.post(`${path}/city`))).toMatchObject({ id: 'city' });
    const now = await project.get('/group/unit/linked');
    expect(now.body.content).toMatchObject({ kind_list: ['city', 'town'] });
    expect(now.headers.get('etag')).not.toBe(before);
    expect((await project.delete(`${path}/city`)).body).toEqual({ content: null, messages: [] });
    expect(await ok(project.get('/group/unit/linked'))).toMatchObject({ kind_list: ['town'] });
    expect(refusalOf(await project.delete(`${path}/city`))).toEqual({ status: 404, messages: ['link.unknown'] });
  });

  it('loses a kind that is deleted', async () => {
    await ok(project.post('/kind/unit', { id: 'brief' }));
    await ok(project.post('/group/unit', { id: 'with_brief', kind_list: ['brief', 'city'] }));
    await ok(project.delete('/kind/unit/brief'));
    expect(await ok(project.get('/group/unit/with_brief'))).toMatchObject({ kind_list: ['city'] });
  });

  it('is deleted if it is empty, or with cascade; its kinds stay', async () => {
    await ok(project.post('/group/unit', { id: 'gone', kind_list: ['city'] }));
    await expectRefused(project, () => project.delete('/group/unit/gone'), {
      status: 409,
      messages: ['group.has_kinds'],
      text: /1 kind.*cascade=true/,
    });
    expect((await project.delete('/group/unit/gone?cascade=true')).body).toEqual({ content: null, messages: [] });
    expect(refusalOf(await project.get('/group/unit/gone'))).toEqual({ status: 404, messages: ['unit.unknown'] });
    await ok(project.get('/kind/unit/city'));
    await ok(project.post('/group/unit', { id: 'gone' }));
    await ok(project.delete('/group/unit/gone'));
  });

  const row = (
    name: string,
    method: Method,
    path: string,
    body: unknown,
    status: number,
    ...messages: string[]
  ): RefusalRow => ({ name, call: [method, path, body], status, messages });
  itRefuses(project, [
    ...['unit', 'kind', 'struct', 'link'].map((id) =>
      row(`with the reserved id ${id}`, 'POST', '/group/unit', { id }, 400, 'group.reserved id'),
    ),
    row('with a label that makes a reserved id', 'POST', '/group/unit', { label: 'Struct' }, 400, 'group.reserved id'),
    row('with an id of the system', 'POST', '/group/unit', { id: 'kind_of' }, 400, 'group.reserved id'),
    row('with a malformed id', 'POST', '/group/unit', { id: 'A' }, 400, 'identifier.malformed id'),
    row('with neither id nor label', 'POST', '/group/unit', {}, 400, 'identifier.missing id'),
    row('that is there', 'POST', '/group/unit', { id: 'taken' }, 409, 'group.exists id'),
    row('that is built in', 'POST', '/group/unit', { id: 'parameter' }, 409, 'group.exists id'),
    row(
      'with a kind that is not there',
      'POST',
      '/group/unit',
      { id: 'g', kind_list: ['cty'] },
      400,
      'group.bad_definition kind_list',
    ),
    row(
      'with a kind twice',
      'POST',
      '/group/unit',
      { id: 'g', kind_list: ['city', 'city'] },
      400,
      'parameter.duplicate kind_list',
    ),
    row(
      'with a kind that is no string',
      'POST',
      '/group/unit',
      { id: 'g', kind_list: [1] },
      400,
      'parameter.bad_type kind_list',
    ),
    row(
      'with kinds that are no list',
      'POST',
      '/group/unit',
      { id: 'g', kind_list: 'city' },
      400,
      'parameter.bad_type kind_list',
    ),
    row('with kinds of null', 'PUT', '/group/unit/taken', { kind_list: null }, 400, 'parameter.null kind_list'),
    row(
      'with a description that is no string',
      'PUT',
      '/group/unit/taken',
      { description: 1 },
      400,
      'parameter.bad_type description',
    ),
    row('with another id', 'PUT', '/group/unit/taken', { id: 'other' }, 400, 'parameter.immutable id'),
    row('with an unknown key', 'PUT', '/group/unit/taken', { kinds: [] }, 400, 'parameter.unknown kinds'),
    row('that is not there', 'PUT', '/group/unit/nowhere', { nope: 1 }, 404, 'unit.unknown'),
    row('that is not there, deleted', 'DELETE', '/group/unit/nowhere', undefined, 404, 'unit.unknown'),
    row(
      'that is not there, given a kind',
      'POST',
      '/group/unit/nowhere/link/group/kind/unit/city',
      undefined,
      404,
      'group.unknown',
    ),
    row(
      'given a kind that is not there',
      'POST',
      '/group/unit/taken/link/group/kind/unit/nowhere',
      undefined,
      404,
      'unit.unknown',
    ),
    row(
      'given a kind by another link type',
      'POST',
      '/group/unit/taken/link/link/kind/unit/city',
      undefined,
      404,
      'link.unknown',
    ),
    row(
      'given what is no kind',
      'POST',
      '/group/unit/taken/link/group/group/unit/taken',
      undefined,
      404,
      'link.unknown',
    ),
    row(
      'the parameter types: given a kind',
      'POST',
      '/group/unit/parameter/link/group/kind/unit/city',
      undefined,
      403,
      'kind.built_in',
    ),
    row(
      'the parameter types: losing one',
      'DELETE',
      '/group/unit/parameter/link/group/kind/unit/string',
      undefined,
      403,
      'kind.built_in',
    ),
    row('the parameter types: by their list', 'PUT', '/group/unit/parameter', { kind_list: [] }, 403, 'kind.built_in'),
    row('the parameter types: deleted', 'DELETE', '/group/unit/parameter', undefined, 403, 'kind.built_in'),
    row(
      'the parameter types: deleted, even with cascade',
      'DELETE',
      '/group/unit/parameter?cascade=true',
      undefined,
      403,
      'kind.built_in',
    ),
    row(
      'the member kinds: losing administrators',
      'DELETE',
      '/group/unit/kind_auth_member/link/group/kind/unit/kind_admin',
      undefined,
      403,
      'kind.built_in',
    ),
    row(
      'the member kinds: by their list',
      'PUT',
      '/group/unit/kind_auth_member',
      { kind_list: ['city'] },
      403,
      'kind.built_in',
    ),
    row(
      'the member kinds: deleted',
      'DELETE',
      '/group/unit/kind_auth_member?cascade=true',
      undefined,
      403,
      'kind.built_in',
    ),
  ]);

  it('that is built in can be labelled', async () => {
    expect(
      await ok(project.put('/group/unit/parameter', { label: 'Types', description: 'All of them' })),
    ).toMatchObject({ label: 'Types' });
    expect(
      await ok(
        project.put('/group/unit/parameter', {
          kind_list: ((await ok(project.get('/group/unit/parameter'))) as { kind_list: string[] }).kind_list,
        }),
      ),
    ).toMatchObject({ id: 'parameter' });
  });
});

describe('parameters of a kind through links', () => {
  it('are added and removed one by one', async () => {
    for (const id of ['a', 'b']) await ok(project.post('/string/unit', { id }));
    const path = '/kind/unit/city/link/parameter/string/unit';
    const before = (await project.get('/kind/unit/city')).headers.get('etag');
    expect(await ok(project.post(`${path}/a`))).toMatchObject({ id: 'city', kind_id: 'kind', parameters: ['a'] });
    expect(await ok(project.post(`${path}/b`))).toMatchObject({ parameters: ['a', 'b'] });
    expect(await ok(project.post(`${path}/a`))).toMatchObject({ parameters: ['a', 'b'] });
    expect(await ok(project.post(`${path}/b`))).toEqual(await ok(project.get('/kind/unit/city')));
    expect((await project.get('/kind/unit/city')).headers.get('etag')).not.toBe(before);
    await ok(project.post('/city/unit', { a: '1', b: '2' }));
    await expectNoDrift(project);
    await expectRefused(project, () => project.delete(`${path}/a`), {
      status: 409,
      messages: ['parameter.has_values a'],
      text: /1 unit/,
    });
    expect((await project.delete(`${path}/a?cascade=true`)).body).toEqual({ content: null, messages: [] });
    expect(await ok(project.get('/kind/unit/city'))).toMatchObject({ parameters: ['b'] });
    expect(refusalOf(await project.delete(`${path}/a`))).toEqual({ status: 404, messages: ['link.unknown'] });
    await expectNoDrift(project);
  });

  const row = (name: string, method: Method, path: string, status: number, ...messages: string[]): RefusalRow => ({
    name,
    call: [method, path],
    status,
    messages,
  });
  itRefuses(project, [
    row('a kind that is not there', 'POST', '/kind/unit/nowhere/link/parameter/string/unit/a', 404, 'unit.unknown'),
    row(
      'a parameter that is not there',
      'POST',
      '/kind/unit/town/link/parameter/string/unit/nowhere',
      404,
      'unit.unknown',
    ),
    row('a parameter of another type', 'POST', '/kind/unit/town/link/parameter/integer/unit/a', 404, 'unit.unknown'),
    row('a type that is not there', 'POST', '/kind/unit/town/link/parameter/number/unit/a', 404, 'link.unknown'),
    row('a kind that is built in', 'POST', '/kind/unit/group/link/parameter/string/unit/a', 403, 'kind.built_in'),
    row(
      'a kind that is built in, losing',
      'DELETE',
      '/kind/unit/string/link/parameter/string/unit/label',
      403,
      'kind.built_in',
    ),
    row('by the default link type', 'POST', '/kind/unit/town/link/link/string/unit/a', 404, 'link.unknown'),
    row('from what is no kind', 'POST', '/group/unit/taken/link/parameter/string/unit/a', 404, 'link.unknown'),
  ]);

  it('needs the rights of an edit', async () => {
    expect(refusalOf(await project.as(undefined).post('/kind/unit/city/link/parameter/string/unit/a'))).toEqual({
      status: 401,
      messages: ['token.missing'],
    });
    expect(refusalOf(await project.as(undefined).delete('/group/unit/taken/link/group/kind/unit/city'))).toEqual({
      status: 401,
      messages: ['token.missing'],
    });
  });
});

describe('member kinds', () => {
  const GAINED = [
    'kind_system_user',
    'username',
    'email',
    'first_name',
    'last_name',
    'first_access_time',
    'last_access_time',
    'email_verified_at',
  ];

  it('gain the fields of members in the group kind_auth_member, and lose them with it', async () => {
    await ok(project.post('/kind/unit', { id: 'customer', parameters: [{ id: 'vat', kind_id: 'string' }] }));
    await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/customer'));
    await expectNoDrift(project);
    const made = (await ok(
      project.post('/customer/unit', { username: 'Eve', email: 'eve@example.com', vat: 'IT1' }),
    )) as Record<string, unknown>;
    expect(Object.keys(made)).toEqual(['id', 'kind_id', ...GAINED, 'vat', 'metadata', 'inserted_at', 'updated_at']);
    expect(made).toMatchObject({ username: 'Eve', first_name: '', first_access_time: null });
    await expectRefused(project, () => project.delete('/group/unit/kind_auth_member/link/group/kind/unit/customer'), {
      ...{
        status: 409,
        messages: ['kind_system_user', 'username', 'email', 'first_name', 'last_name'].map(
          (id) => `parameter.has_values ${id}`,
        ),
        text: /1 unit/,
      },
    });
    await ok(project.delete(`/customer/unit/${String(made['id'])}`));
    await ok(project.delete('/group/unit/kind_auth_member/link/group/kind/unit/customer'));
    await expectNoDrift(project);
    expect(Object.keys((await ok(project.post('/customer/unit', { vat: 'x' }))) as object)).not.toContain('username');
  });

  it.each([
    ['deleted', (id: string) => project.delete(`/kind/unit/${id}?cascade=true`)],
    [
      'taken out of the group',
      (id: string) => project.delete(`/group/unit/kind_auth_member/link/group/kind/unit/${id}?cascade=true`),
    ],
  ] as const)('%s with their members free the names of these', async (_, go) => {
    const member = { username: 'mallory', email: 'mallory@example.com' };
    for (const id of ['guest', 'guest_again']) {
      await ok(project.post('/kind/unit', { id }));
      await ok(project.post(`/group/unit/kind_auth_member/link/group/kind/unit/${id}`));
      await ok(project.post(`/${id}/unit`, member));
      await ok(go(id));
      await project.delete(`/kind/unit/${id}?cascade=true`);
    }
  });

  it('cannot have units before, a natural key, or fields of the same names', async () => {
    const join = (id: string) => project.post(`/group/unit/kind_auth_member/link/group/kind/unit/${id}`);
    await ok(project.post('/kind/unit', { id: 'crowd' }));
    await ok(project.post('/crowd/unit', [{}, {}]));
    await expectRefused(project, () => join('crowd'), {
      status: 409,
      messages: ['kind_system_user', 'username', 'email'].map((id) => `parameter.violated ${id}`),
      text: /2 units/,
    });
    await ok(
      project.post('/kind/unit', { id: 'keyed', parameters: [{ id: 'key_of', kind_id: 'string', is_primary: true }] }),
    );
    await expectRefused(project, () => join('keyed'), {
      status: 409,
      messages: ['unit.conflict kind_list'],
      text: /natural key/,
    });
    await ok(project.post('/kind/unit', { id: 'doubled', parameters: [{ id: 'email', kind_id: 'string' }] }));
    await expectRefused(project, () => join('doubled'), { status: 400, messages: ['kind.bad_definition parameters'] });
    await ok(project.post('/kind/unit', { id: 'joined' }));
    await ok(join('joined'));
    await expectRefused(project, () => project.put('/kind/unit/joined', { parameters: ['email'] }), {
      status: 400,
      messages: ['kind.bad_definition parameters'],
    });
    const keys: [string, () => Promise<Reply>][] = [
      ['parameters', () => project.put('/kind/unit/joined', { parameters: ['key_of'] })],
      ['parameters', () => project.post('/kind/unit/joined/link/parameter/string/unit/key_of')],
      ['is_primary', () => project.put('/string/unit/plain_of', { is_primary: true })],
    ];
    await ok(project.post('/string/unit', { id: 'plain_of' }));
    await ok(project.put('/kind/unit/joined', { parameters: ['plain_of'] }));
    for (const [parameter, ask] of keys) {
      await expectRefused(project, ask, { status: 409, messages: [`unit.conflict ${parameter}`], text: /natural key/ });
    }
  });
});
