/** The report of who may do what, over the API: for administrators only, with the defaults of built-in kinds too. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
const member = await asMember(admin);
await defineKinds(admin, {
  id: 'note',
  parameters: [{ id: 'state', kind_id: 'string', read_access: 'admin' }],
  access: { read: ['eq(state,open)', 'eq(state,done)'], delete: 'admin' },
});
await ok(admin.post('/link/unit', { id: 'likes', access: { create: 'member' } }));
const documented = await admin.documented();

interface Entry {
  readonly [name: string]: unknown;
}

async function report(): Promise<Record<string, unknown> & { access: Entry[] }> {
  const { body } = await documented.get('/kind/access');
  return body.content;
}

describe('the report of access', () => {
  it('has every operation of a kind, with its setting and who may do it', async () => {
    const { access, ...rest } = await report();
    expect(rest).toEqual({ access_default: 'open', sign_up: ['person'], stranger_may_write: true });
    const ofNotes = Object.fromEntries(
      access.filter(({ kind }) => kind === 'note').map((each) => [each['operation'], each]),
    );
    expect(Object.keys(ofNotes).sort()).toEqual(['create', 'delete', 'function', 'link', 'read', 'update']);
    expect(ofNotes).toMatchObject({
      read: { level: null, rules: ['eq(state,open)', 'eq(state,done)'], stored: true, who: 'member', by_rule: true },
      create: { level: 'member', rules: [], stored: false, who: 'member', stranger: true, stranger_writes: true },
      delete: { level: 'admin', stored: true, who: 'admin', stranger: false, stranger_writes: false },
    });
  });

  it('has the defaults of member kinds and of built-in kinds', async () => {
    const { access } = await report();
    const find = (kind: string, operation: string) =>
      access.find((each) => each['kind'] === kind && each['operation'] === operation);
    expect(find('person', 'read')).toMatchObject({ level: 'self', stored: false });
    expect(find('person', 'signup')).toMatchObject({ level: 'anyone', stored: false, stranger: true });
    expect(find('kind', 'read')).toMatchObject({ level: 'member', stored: false });
    expect(find('api_key', 'create')).toMatchObject({ level: null, rules: ['eq(member,@member.id)'], stored: false });
    expect(find('kind_system_user', 'read')).toBeUndefined();
  });

  it('has link types and fields with access of their own', async () => {
    const { access } = await report();
    expect(access).toContainEqual(
      expect.objectContaining({ link_type: 'likes', operation: 'create', level: 'member' }),
    );
    expect(access).toContainEqual(expect.objectContaining({ field: 'note.state', operation: 'read', level: 'admin' }));
  });

  it('is for administrators, without a scope', async () => {
    expect((await anonymous(admin).get('/kind/access')).status).toBe(401);
    expect((await member.get('/kind/access')).status).toBe(403);
    const key = async (scope: unknown) => {
      const made = await admin.post('/api_key/unit', { label: 'tool', scope });
      return admin.as(made.body.content['secret'] as string);
    };
    const narrow = await key([{ kinds: ['kind'], operations: ['read'] }]);
    expect((await narrow.get('/kind/access')).status).toBe(403);
    expect((await (await key(null)).get('/kind/access')).status).toBe(200);
    expect((await admin.get('/kind/access?limit=1')).status).toBe(400);
  });
});
