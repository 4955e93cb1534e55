/** Explanations of why a member may do something with a unit, or may not: for administrators only, and correct. */
import { describe, expect, it } from 'vitest';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
const [ada, bob] = [await signUp(admin, 'ada'), await signUp(admin, 'bob')];

await defineKinds(admin, {
  id: 'note',
  parameters: [
    { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
    { id: 'state', kind_id: 'string' },
    { id: 'rank', kind_id: 'integer', read_access: 'admin', write_access: 'admin' },
    { id: 'secret', kind_id: 'string', hidden: true },
  ],
  access: {
    read: ['eq(owner,@member.id)', 'eq(state,open)'],
    update: 'eq(owner,@member.id)',
    delete: 'admin',
    link: 'anyone',
    function: 'nobody',
  },
});

async function note(owner: string, state: string): Promise<string> {
  const made = await admin.post('/note/unit', { owner, state });
  return made.body.content.id as string;
}

const [open, closed] = [await note(ada.id, 'open'), await note(ada.id, 'closed')];

interface Operation {
  readonly allowed: boolean;
  readonly because: string;
}

async function explained(unit: string, member?: string): Promise<Record<string, Operation>> {
  const told = await admin.get(`/note/unit/${unit}/access${member === undefined ? '' : `?member=${member}`}`);
  expect(told.status).toBe(200);
  return told.body.content['operations'] as Record<string, Operation>;
}

describe('an explanation', () => {
  it('shows the rule that decided, and those that did not', async () => {
    const told = await admin.get(`/note/unit/${closed}/access?member=${ada.id}`);
    expect(told.body.content).toEqual({
      id: closed,
      kind_id: 'note',
      member: { id: ada.id, kind_id: 'person' },
      operations: {
        read: {
          allowed: true,
          level: null,
          stored: true,
          rules: [
            { rule: 'eq(owner,@member.id)', holds: true },
            { rule: 'eq(state,open)', holds: false },
          ],
          because: 'the rule eq(owner,@member.id) holds',
        },
        create: {
          allowed: true,
          level: 'member',
          stored: false,
          rules: [],
          because: "the default level 'member' lets in this member",
        },
        update: {
          allowed: true,
          level: null,
          stored: true,
          rules: [{ rule: 'eq(owner,@member.id)', holds: true }],
          because: 'the rule eq(owner,@member.id) holds',
        },
        delete: {
          allowed: false,
          level: 'admin',
          stored: true,
          rules: [],
          because: "the stored level 'admin' keeps out this member",
        },
        link: {
          allowed: true,
          level: 'anyone',
          stored: true,
          rules: [],
          because: "the stored level 'anyone' lets in this member",
        },
        function: {
          allowed: false,
          level: 'nobody',
          stored: true,
          rules: [],
          because: "the stored level 'nobody' keeps out this member",
        },
        history: {
          allowed: false,
          level: 'admin',
          stored: false,
          rules: [],
          because: "the default level 'admin' keeps out this member",
        },
      },
      parameters: {
        read: ['id', 'kind_id', 'owner', 'state', 'metadata', 'inserted_at', 'updated_at'],
        write: ['owner', 'state', 'secret', 'metadata'],
      },
    });
  });

  it('of a unit that may not be read says so', async () => {
    const told = await explained(closed, bob.id);
    expect(told).toMatchObject({
      read: { allowed: false, because: 'no rule holds' },
      update: { allowed: false, because: 'no rule holds' },
      link: { allowed: false, because: 'what may not be read is not there' },
    });
    expect(await explained(open, bob.id)).toMatchObject({ read: { allowed: true }, link: { allowed: true } });
  });

  it('without a member is of requests without a token', async () => {
    expect(await explained(open)).toMatchObject({
      read: { allowed: false, because: 'no rule lets in requests without a token' },
      create: { allowed: false, because: "the default level 'member' keeps out requests without a token" },
    });
  });

  it('of an administrator says that rules are passed, but not levels', async () => {
    const [me] = (await admin.get('/kind_admin/unit')).body.content['items'] as { id: string }[];
    expect(await explained(closed, me?.id)).toMatchObject({
      read: { allowed: true, because: 'administrators pass every rule' },
      delete: { allowed: true, because: "the stored level 'admin' lets in administrators" },
      function: { allowed: false, because: "the stored level 'nobody' keeps out administrators" },
    });
  });

  it('of a member itself knows the default of its kind, and sign-up', async () => {
    const told = await admin.get(`/person/unit/${ada.id}/access?member=${ada.id}`);
    expect(told.body.content).toMatchObject({
      operations: { read: { allowed: true, level: 'self' }, signup: { allowed: true, level: 'anyone' } },
    });
    const other = await admin.get(`/person/unit/${ada.id}/access?member=${bob.id}`);
    expect(other.body.content).toMatchObject({ operations: { read: { allowed: false, level: 'self' } } });
  });

  it('agrees with the actual answers', async () => {
    for (const member of [ada, bob]) {
      for (const unit of [open, closed]) {
        const told = await explained(unit, member.id);
        const api = admin.as(member.accessToken);
        expect((await api.get(`/note/unit/${unit}`)).status).toBe(told['read']?.allowed ? 200 : 404);
        const edited = await api.put(`/note/unit/${unit}`, { metadata: { by: member.username } });
        expect(edited.status === 200).toBe(told['update']?.allowed);
        expect((await api.delete(`/note/unit/${unit}`)).status === 200).toBe(told['delete']?.allowed);
      }
    }
  });

  it.each([
    ['no token', undefined, 401],
    ['a member', ada.accessToken, 403],
  ])('is not for %s', async (_, token, status) => {
    expect((await admin.as(token).get(`/note/unit/${open}/access?member=${ada.id}`)).status).toBe(status);
  });

  it('of a public kind needs a token', async () => {
    await defineKinds(admin, { id: 'pub', public: true });
    const made = await admin.post('/pub/unit', {});
    const path = `/pub/unit/${made.body.content.id as string}/access`;
    expect(await admin.as(undefined).get(path)).toMatchObject({
      status: 401,
      body: { messages: [{ code: 'token.missing' }] },
    });
    expect((await admin.as(ada.accessToken).get(path)).status).toBe(403);
  });

  it('is rejected with the fault', async () => {
    const nobody = '0190163d-8694-739b-aea5-966c26f8ad91';
    expect((await admin.get(`/note/unit/${nobody}/access`)).body.messages).toMatchObject([{ code: 'unit.unknown' }]);
    expect((await admin.get(`/note/unit/${nobody}/access?x=1`)).body.messages).toMatchObject([
      { code: 'unit.unknown' },
    ]);
    for (const query of [`member=${nobody}`, 'member=x', `member=${ada.id}&member=${bob.id}`]) {
      expect(await admin.get(`/note/unit/${open}/access?${query}`)).toMatchObject({
        status: 400,
        body: { messages: [{ code: 'query.bad_value', parameter: 'member' }] },
      });
    }
    expect((await admin.get(`/kind/unit/kind_system_user/access`)).status).toBe(403);
    expect((await admin.get(`/nothing/unit/${open}/access`)).status).toBe(404);
  });
});
