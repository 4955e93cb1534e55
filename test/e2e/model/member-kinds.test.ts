/** The record of a member kind: it lists what its members have as such, comes and goes with the group, and can be sent back. */
import { describe, expect, it } from 'vitest';
import { expectNoDrift, expectRefused, ok, query, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const GAINED = [
  ...['kind_system_user', 'username', 'email', 'first_name', 'last_name'],
  ...['first_access_time', 'last_access_time', 'email_verified_at'],
];
type Kind = Record<string, unknown> & { readonly parameters: string[] };
const JOIN = '/group/unit/kind_auth_member/link/group/kind/unit';
const recordOf = async (id: string): Promise<Kind> => (await ok(project.get(`/kind/unit/${id}`))) as Kind;
const listOf = async (id: string) => (await recordOf(id)).parameters;
const make = (id: string, parameters: readonly unknown[] = []) => ok(project.post('/kind/unit', { id, parameters }));
const own = (id: string) => ({ id, kind_id: 'string' });
// A name that members have, of a kind of another sort.
await make('supplier', [own('email'), own('vat')]);

describe('the record of a member kind', () => {
  it('lists the fields it gained, however it joined the group, and loses them when it leaves', async () => {
    await make('customer', ['vat']);
    await make('partner', [own('since')]);
    const joined = { parameters: [...GAINED, 'vat'], changes: 'feed' };
    expect(await ok(project.post(`${JOIN}/customer`))).toMatchObject(joined);
    expect(await listOf('customer')).toEqual([...GAINED, 'vat']);
    const { kind_list: list } = (await ok(project.get('/group/unit/kind_auth_member'))) as { kind_list: string[] };
    await ok(project.put('/group/unit/kind_auth_member', { kind_list: [...list, 'partner'] }));
    expect(await listOf('partner')).toEqual([...GAINED, 'since']);
    expect((await listOf('kind_admin')).filter((id) => GAINED.includes(id))).toEqual(GAINED);
    await ok(project.delete(`${JOIN}/partner`));
    expect(await listOf('partner')).toEqual(['since']);
    await ok(project.put('/group/unit/kind_auth_member', { kind_list: list.filter((id) => id !== 'customer') }));
    expect(await listOf('customer')).toEqual(['vat']);
    await ok(project.post(`${JOIN}/customer`));
    await expectNoDrift(project);
  });

  it('gets a new version when it joins and leaves the group', async () => {
    await make('versioned');
    const tag = async () => (await project.get('/kind/unit/versioned')).headers.get('etag') ?? '';
    const tags = [await tag()];
    await ok(project.post(`${JOIN}/versioned`));
    tags.push(await tag());
    await ok(project.delete(`${JOIN}/versioned`));
    tags.push(await tag());
    expect(new Set(tags).size).toBe(3);
    expect((await project.get('/kind/unit/versioned', { headers: { 'if-none-match': tags[1] ?? '' } })).status).toBe(
      200,
    );
  });

  it('is found by a parameter that it lists', async () => {
    const found = async (filter: string) =>
      ((await ok(project.get(`/kind/unit?filter=${filter}&order=id;asc`))) as { items: { id: string }[] }).items.map(
        ({ id }) => id,
      );
    expect(await found('contains(parameters,username)')).toEqual(['customer', 'kind_admin']);
    expect(await found('contains(parameters,email)')).toEqual(['customer', 'identity', 'kind_admin', 'supplier']);
    expect(((await ok(project.get('/group/kind_auth_member/kind'))) as { items: Kind[] }).items.at(-1)).toMatchObject({
      id: 'customer',
      parameters: [...GAINED, 'vat'],
    });
  });

  it('is sent back whole in an edit, and only its own parameters change', async () => {
    const record = await recordOf('customer');
    const edited = (await ok(
      project.put('/kind/unit/customer', {
        ...record,
        parameters: [...record.parameters, own('town'), 'since'],
        unique: [['vat', 'town']],
      }),
    )) as Kind;
    expect(edited).toMatchObject({ parameters: [...GAINED, 'vat', 'town', 'since'], unique: [['vat', 'town']] });
    expect(await recordOf('customer')).toEqual(edited);
    expect(refusalOf(await project.put('/kind/unit/customer', record))).toEqual({
      status: 412,
      messages: ['unit.changed'],
    });
    // In any order, with some of them, or with none: it has them of its group.
    const lists = [['town', ...GAINED.toReversed()], ['kind_system_user', 'town'], ['town']];
    for (const parameters of lists) {
      await ok(project.put('/kind/unit/customer', { parameters: ['vat', ...parameters], unique: [] }));
      expect(await listOf('customer')).toEqual([...GAINED, 'vat', 'town']);
    }
    await ok(project.put('/kind/unit/customer', { parameters: ['vat'] }));
    await ok(project.put('/kind/unit/customer', { label: 'Customer' }));
    expect(await listOf('customer')).toEqual([...GAINED, 'vat']);
    await expectNoDrift(project);
  });

  it('gains and loses parameters one by one', async () => {
    expect(await ok(project.post('/kind/unit/customer/link/parameter/string/unit/since'))).toMatchObject({
      parameters: [...GAINED, 'vat', 'since'],
    });
    await ok(project.delete('/kind/unit/customer/link/parameter/string/unit/since'));
    expect(await listOf('customer')).toEqual([...GAINED, 'vat']);
    await ok(project.post('/string/unit', own('passing')));
    await ok(project.post('/kind/unit/customer/link/parameter/string/unit/passing'));
    await ok(project.delete('/string/unit/passing?cascade=true'));
    expect(await listOf('customer')).toEqual([...GAINED, 'vat']);
    await expectNoDrift(project);
  });

  it('can be posted as a new kind that is not yet a member kind', async () => {
    const record = await recordOf('customer');
    const copy = (await ok(project.post('/kind/unit', { ...record, id: 'client' }))) as Kind;
    // Not even a parameter of that name, which a kind of another sort has.
    expect(copy).toMatchObject({ id: 'client', parameters: ['vat'], label: record['label'] });
    expect(await ok(project.post(`${JOIN}/client`))).toMatchObject({ parameters: [...GAINED, 'vat'] });
    await ok(project.post('/client/unit', { username: 'cleo', email: 'cleo@example.com', vat: 'x' }));
    await expectNoDrift(project);
  });

  it('accepts no parameter with the name of a gained field', async () => {
    const bad = { status: 400, messages: ['kind.bad_definition parameters'], text: /comes with the group/ };
    const put =
      (...parameters: unknown[]) =>
      () =>
        project.put('/kind/unit/customer', { parameters });
    await expectRefused(project, put('vat', 'email'), bad);
    await expectRefused(project, put('vat', 'username'), bad);
    await expectRefused(project, put('vat', { id: 'email', kind_id: 'string' }), bad);
    await expectRefused(project, put('vat', { id: 'first_name', kind_id: 'text' }), bad);
    await expectRefused(project, () => project.post('/kind/unit/customer/link/parameter/string/unit/email'), bad);
    await expectRefused(project, () => project.delete('/kind/unit/customer/link/parameter/string/unit/email'), {
      status: 404,
      messages: ['link.unknown'],
    });
    await expectRefused(project, () => project.post(`${JOIN}/supplier`), bad);
    await expectRefused(project, () => project.put('/kind/unit/customer', { unique: [['username']] }), {
      status: 400,
      messages: ['kind.bad_definition unique'],
    });
  });

  it.each(['password', 'access_token', 'refresh_token', 'auth_token', 'administrator', 'groups'])(
    'takes no parameter %s, which sign-up takes or a session answers',
    async (id) => {
      const bad = { status: 400, messages: ['kind.bad_definition parameters'], text: /sign-up and sign-in use/ };
      await make(`has_${id}`, [own(id)]);
      await expectRefused(project, () => project.post(`${JOIN}/has_${id}`), bad);
      const { kind_list: list } = (await ok(project.get('/group/unit/kind_auth_member'))) as { kind_list: string[] };
      const grouped = { kind_list: [...list, `has_${id}`] };
      await expectRefused(project, () => project.put('/group/unit/kind_auth_member', grouped), bad);
      const edits = [
        ['vat', id],
        ['vat', own(id)],
        ['vat', { id, kind_id: 'integer' }],
      ];
      await expectRefused(project, () => project.put('/kind/unit/customer', { parameters: edits[0] }), bad);
      await expectRefused(project, () => project.put('/kind/unit/customer', { parameters: edits[1] }), bad);
      await expectRefused(project, () => project.post(`/kind/unit/customer/link/parameter/string/unit/${id}`), bad);
      await ok(project.delete(`/kind/unit/has_${id}`));
      // Defined in place, too.
      await expectRefused(project, () => project.put('/kind/unit/customer', { parameters: edits[2] }), bad);
      await expectRefused(project, () => project.put('/kind/unit/customer', { parameters: edits[1] }), bad);
    },
  );

  it('keeps a parameter that has such a name since before, and answers what the member is in its place', async () => {
    await make('former', [own('teams')]);
    await ok(project.post(`${JOIN}/former`));
    await ok(project.put('/kind/unit/former', { access: { read: 'member', signup: 'anyone' } }));
    await query(project, `UPDATE $schema."_parameter" SET "id" = 'groups' WHERE "id" = 'teams'`);
    await query(
      project,
      `UPDATE $schema."kind" SET "parameters" = array_replace("parameters", 'teams', 'groups') WHERE "id" = 'former'`,
    );
    await query(project, `ALTER TABLE $schema."former" RENAME COLUMN "teams" TO "groups"`);
    // A change reads what is stored.
    await ok(project.put('/kind/unit/former', { label: 'Former' }));
    const { parameters } = await recordOf('former');
    expect(parameters).toContain('groups');
    await ok(project.put('/kind/unit/former', { parameters, label: 'Formers' }));
    const credentials = { username: 'old', email: 'old@example.org', password: 'a long password' };
    const body = { username: 'old', password: credentials.password, kind_system_user: credentials, groups: 'mine' };
    const { access_token: token } = (await ok(project.post('/auth/former/signup', body))) as {
      access_token: string;
    };
    const former = project.as(token);
    expect(await ok(former.get('/auth/me'))).toMatchObject({ groups: ['kind_auth_member'] });
    expect(await ok(former.get('/former/unit'))).toMatchObject({ items: [{ groups: 'mine' }] });
    await ok(project.delete('/kind/unit/former?cascade=true'));
  });

  it('is not valid for other kinds', async () => {
    const refused = { status: 400, messages: ['kind.bad_definition parameters'] };
    await expectRefused(project, () => project.post('/kind/unit', { id: 'never', parameters: ['username'] }), refused);
    await expectRefused(
      project,
      () => project.put('/kind/unit/supplier', { parameters: ['kind_system_user', 'email', 'vat'] }),
      refused,
    );
    expect(await ok(project.post('/kind/unit', { id: 'mailed', parameters: ['email'] }))).toMatchObject({
      parameters: ['email'],
    });
  });

  it('is deleted with its members, and leaves parameters of other kinds', async () => {
    await make('short_lived', [own('nick')]);
    await ok(project.post(`${JOIN}/short_lived`));
    await ok(project.delete('/kind/unit/short_lived'));
    expect(refusalOf(await project.get('/string/unit/nick')).status).toBe(404);
    expect((await project.get('/string/unit/email')).status).toBe(200);
    const { kind_list: list } = (await ok(project.get('/group/unit/kind_auth_member'))) as { kind_list: string[] };
    expect(list).not.toContain('short_lived');
    // What a member kind has of its group is no use of a parameter of the same name.
    for (const id of ['mailed', 'supplier']) await ok(project.delete(`/kind/unit/${id}`));
    expect((await project.get('/string/unit/email')).status).toBe(404);
    const [row] = await query<{ parameters: string[] }>(
      project,
      `SELECT "parameters" FROM $schema."kind" WHERE "id" = 'customer'`,
    );
    expect(row?.parameters).toEqual([...GAINED, 'vat']);
    await expectNoDrift(project);
  });
});
