/** Previews of access: which units a member could use, decided as its own requests are. */
import { describe, expect, it } from 'vitest';
import { anonymous, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
const [ada, bob] = [await signUp(admin, 'ada'), await signUp(admin, 'bob')];
const PARAMETERS = [
  { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
  { id: 'state', kind_id: 'string' },
];
await defineKinds(
  admin,
  { id: 'note', parameters: PARAMETERS, access: { read: 'eq(owner,@member.id)', update: 'eq(state,open)' } },
  { id: 'page', public: true, parameters: ['owner', 'state'] },
  {
    id: 'contract',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'person', kind_id: 'unit', reference_kind: 'person' },
      { id: 'grade', kind_id: 'string' },
      { id: 'note_hidden', kind_id: 'string', hidden: true },
      {
        id: 'salary',
        kind_id: 'integer',
        read_access: 'eq(person,@member.id)',
        write_access: 'eq(person,@member.id)',
      },
    ],
    access: { update: 'ne(grade,closed)' },
  },
);
const of = (id: string, state: string) => ({ owner: id, state });
await admin.post('/note/unit', [of(ada.id, 'open'), of(ada.id, 'done'), of(bob.id, 'open')]);
await admin.post('/page/unit', [of(ada.id, 'open'), of(bob.id, 'done')]);
await admin.post('/contract/unit', [
  { code: 'a', person: ada.id, grade: 'low', salary: 1 },
  { code: 'b', person: ada.id, grade: 'closed', salary: 2 },
  { code: 'c', person: bob.id, grade: 'low', salary: 3 },
]);
const documented = await admin.documented();

const preview = (kind: string, body: object, query = '') => documented.post(`/${kind}/access/preview${query}`, body);
async function count(kind: string, body: object): Promise<number> {
  const { status, body: answer } = await preview(kind, body);
  expect(status).toBe(200);
  expect(answer.content.items).toHaveLength(answer.content.count ?? -1);
  return answer.content.count ?? -1;
}

/** How many salaries a member reads. */
async function salariesOf({ accessToken }: typeof ada): Promise<number> {
  const { body } = await admin.as(accessToken).get('/contract/unit');
  return (body.content.items as object[]).filter((item) => 'salary' in item).length;
}

describe('a preview of access', () => {
  it('of what is stored finds what the member finds', async () => {
    for (const member of [ada, bob]) {
      const own = await admin.as(member.accessToken).get('/note/unit');
      expect(await count('note', { operation: 'read', member: member.id })).toBe(own.body.content.count);
    }
    expect(await count('note', { operation: 'read' })).toBe(0);
    expect(await count('page', { operation: 'read', member: null })).toBe(2);
  });

  it('of what is not stored finds what the member would find', async () => {
    const read = (access: unknown, member?: string) => count('note', { operation: 'read', access, member });
    expect(await read('member', ada.id)).toBe(3);
    expect(await read('member')).toBe(0);
    expect(await read('anyone')).toBe(3);
    expect(await read('admin', ada.id)).toBe(0);
    expect(await read('nobody', ada.id)).toBe(0);
    expect(await read('eq(state,open)', bob.id)).toBe(2);
    expect(await read(['eq(state,done)', 'eq(owner,@member.id)'], bob.id)).toBe(2);
    expect(await read(null, ada.id)).toBe(3);
    // The same rule twice, of another member.
    expect(await read('eq(owner,@member.id)', ada.id)).toBe(2);
    expect(await read('eq(owner,@member.id)', bob.id)).toBe(1);
    expect(await read('eq(owner,@member.id)', ada.id)).toBe(2);
    // Without a token rules are for public kinds.
    expect(await read('eq(state,open)')).toBe(0);
    expect(await count('page', { operation: 'read', access: 'eq(state,open)' })).toBe(1);
    const notes = await admin.as(bob.accessToken).get('/note/unit');
    expect(notes.body.content.count).toBe(1);
  });

  it('of other operations needs the right to read too, but for create', async () => {
    const access = 'eq(state,open)';
    expect(await count('note', { operation: 'update', member: ada.id })).toBe(1);
    expect(await count('note', { operation: 'update', access: 'anyone', member: ada.id })).toBe(2);
    expect(await count('note', { operation: 'create', access, member: ada.id })).toBe(2);
  });

  it('of an administrator passes every rule', async () => {
    const { body } = await admin.get('/auth/me');
    expect(await count('note', { operation: 'read', access: 'eq(state,x)', member: body.content.id })).toBe(3);
  });

  it('of members finds each member itself, by default', async () => {
    expect(await count('person', { operation: 'read', member: ada.id })).toBe(1);
    expect(await count('person', { operation: 'update', access: 'anyone', member: ada.id })).toBe(1);
    expect(await count('person', { operation: 'read' })).toBe(0);
  });

  it('takes the query of a list', async () => {
    const { body } = await preview(
      'note',
      { operation: 'read', access: 'member', member: ada.id },
      '?limit=1&include=state',
    );
    expect(body.content).toEqual({ count: 3, items: [{ state: 'open' }] });
    const none = await preview('note', { operation: 'read', access: 'anyone' }, '?count=none&limit=1');
    expect(none.body.content.count).toBe(-1);
  });

  it('says where a rule is wrong, as when it is stored, with all other faults', async () => {
    const stored = await admin.put('/kind/unit/note', { access: { read: ['eq(state,open', 'eq(nobody,1)'] } });
    const { status, body } = await preview('note', { operation: 'read', access: ['eq(state,open', 'eq(nobody,1)'] });
    expect(status).toBe(400);
    expect(body.messages).toEqual(stored.body.messages);
    // Names are looked at once all rules can be parsed.
    expect(body.messages.map(({ text }) => text)).toEqual([expect.stringMatching(/^access\.read\[0\]: /)]);
    const unknown = await preview('note', { operation: 'read', access: 'eq(stat,open)' });
    expect(unknown.body.messages).toEqual([
      expect.objectContaining({
        code: 'filter.unknown_parameter',
        parameter: 'access',
        text: expect.stringContaining('at character 4') as string,
      }),
    ]);
    const many = await admin.post('/note/access/preview?limit=x&load_links=1', {
      operation: 'signup',
      member: 3,
      more: 1,
    });
    expect(many.body.messages.map(({ parameter }) => parameter).sort()).toEqual([
      'limit',
      'load_links',
      'member',
      'more',
      'operation',
    ]);
    for (const [member, fault] of [
      ['nobody', 'parameter.bad_reference'],
      [`${ada.id.slice(0, -1)}x`, 'parameter.bad_reference'],
    ]) {
      expect((await preview('note', { operation: 'read', member })).body.messages[0]?.code).toBe(fault);
    }
  });

  it('of a parameter finds the units in which the member reads and writes it', async () => {
    const of = (operation: string, access?: unknown, member: string | undefined = ada.id) =>
      count('contract', { operation, parameter: 'salary', ...(access !== undefined && { access }), member });
    for (const [at, member] of [ada, bob].entries()) {
      const shown = await salariesOf(member);
      expect(shown).toBe([2, 1][at]);
      expect(await of('read', undefined, member.id)).toBe(shown);
    }
    expect(await of('update')).toBe(1);
    expect(await of('create')).toBe(2);
    expect(await of('read', 'admin')).toBe(0);
    expect(await of('read', 'member')).toBe(3);
    // As in the kind, which lets members read every unit, but change those that are open.
    expect(await of('read', null)).toBe(3);
    expect(await of('update', null)).toBe(2);
    expect(await of('read', ['eq(grade,low)', 'eq(person,@member.id)'])).toBe(3);
    expect(await of('update', 'eq(grade,low)')).toBe(2);
    // A kind that is not public shows nothing by a rule to who has no token.
    expect(await count('contract', { operation: 'read', parameter: 'salary', access: 'eq(grade,low)' })).toBe(0);
    const me = (await admin.get('/auth/me')).body.content.id as string;
    expect(await of('read', 'eq(grade,none)', me)).toBe(3);
    expect(await salariesOf(bob)).toBe(1);
  });

  it('of a parameter says what is wrong, as when it is stored', async () => {
    const ask = async (more: object) =>
      (await admin.post('/contract/access/preview', { operation: 'read', parameter: 'salary', ...more })).body.messages;
    for (const access of [
      'eq(grade,low',
      ['eq(grade,low)', 'eq(nobody,1)'],
      'every',
      [],
      3,
      ['eq(grade,low)', 1],
      {},
    ]) {
      const stored = await admin.put('/integer/unit/salary', { read_access: access });
      expect([access, stored.status]).toEqual([access, 400]);
      expect([access, await ask({ access })]).toEqual([access, stored.body.messages]);
    }
    const faults = async (more: object) => (await ask(more)).map(({ code, parameter }) => [code, parameter]);
    expect(await faults({ operation: 'delete' })).toEqual([['parameter.not_allowed', 'operation']]);
    for (const parameter of ['salery', '', 'id', 'metadata', '__proto__', 'constructor', 'owner', 'x'.repeat(5000)]) {
      expect([parameter, await faults({ parameter })]).toEqual([parameter, [['parameter.bad_reference', 'parameter']]]);
    }
    expect(await faults({ parameter: 7 })).toEqual([['parameter.bad_type', 'parameter']]);
    expect(await faults({ parameter: 'code', access: 'eq(grade,low)' })).toEqual([
      ['parameter.bad_definition', 'read_access'],
    ]);
    // Passwords and hashes of the system are no parameters.
    const secret = { operation: 'read', parameter: 'secret_hash', access: 'member' };
    expect((await admin.post('/api_key/access/preview', secret)).body.messages[0]?.code).toBe(
      'parameter.bad_reference',
    );
    const hidden = { operation: 'read', parameter: 'note_hidden', member: ada.id, access: 'anyone' };
    expect(await count('contract', hidden)).toBe(0);
  });

  it('tests no secret of the system, as stored rules do not', async () => {
    for (const [kind, access] of [
      ['api_key', 'startswith(secret_hash,a)'],
      ['api_key', 'ne(secret_hash,null)'],
    ] as const) {
      const previewed = await preview(kind, { operation: 'read', access, member: ada.id });
      const stored = await admin.put(`/kind/unit/${kind}`, { access: { read: access } });
      expect(previewed.body.messages[0]?.code).toBe('filter.unknown_parameter');
      expect(previewed.body.messages).toEqual(stored.body.messages);
    }
  });

  it('is for administrators, without a scope', async () => {
    const body = { operation: 'read' };
    expect((await anonymous(admin).post('/note/access/preview', body)).status).toBe(401);
    expect((await admin.as(ada.accessToken).post('/note/access/preview', body)).status).toBe(403);
    const made = await admin.post('/api_key/unit', { label: 'x', scope: [{ kinds: ['note'], operations: ['read'] }] });
    const key = admin.as(made.body.content['secret'] as string);
    expect((await key.post('/note/access/preview', body)).status).toBe(403);
    expect((await admin.post('/nowhere/access/preview', body)).status).toBe(404);
    expect(
      (await admin.post('/batch', { operations: [{ method: 'POST', path: '/note/access/preview', body }] })).status,
    ).toBe(400);
  });
});
