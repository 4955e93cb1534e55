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
);
const of = (id: string, state: string) => ({ owner: id, state });
await admin.post('/note/unit', [of(ada.id, 'open'), of(ada.id, 'done'), of(bob.id, 'open')]);
await admin.post('/page/unit', [of(ada.id, 'open'), of(bob.id, 'done')]);
const documented = await admin.documented();

const preview = (kind: string, body: object, query = '') => documented.post(`/${kind}/access/preview${query}`, body);
async function count(kind: string, body: object): Promise<number> {
  const { status, body: answer } = await preview(kind, body);
  expect(status).toBe(200);
  expect(answer.content.items).toHaveLength(answer.content.count ?? -1);
  return answer.content.count ?? -1;
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
