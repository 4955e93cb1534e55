/** The names of a member and of its credentials stay the same, whichever way they are changed. */
import { describe, expect, it } from 'vitest';
import { anonymous, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { sideConnection } from '../../support/side-connection.js';

const GUEST = `
import { kind } from 'kind';

export default kind('guest').module({
  hooks: {
    before_create: ({ values }) => ({ username: String(values.username).toLowerCase() }),
    before_update: ({ values }) => ({ email: values.first_name === 'Taken' ? 'taken@example.com' : 'hook@example.com' }),
  },
});
`;

const service = await sharedServiceWith(new FunctionsFolder({ 'guest.ts': GUEST }));
const side = await sideConnection();
const admin = await withMembers(await service.project());
await defineKinds(admin, { id: 'guest' });
await ok(admin.post('/group/unit/kind_auth_member/link/group/kind/unit/guest'));
const signsIn = async (username: string, password: string) =>
  (await anonymous(admin).post('/auth/signin', { username, password })).status === 200;

interface Names {
  readonly username: string;
  readonly email: string;
}

async function credentialOf(id: string): Promise<Names | undefined> {
  const text = 'SELECT "username", "email" FROM $schema."kind_system_user" WHERE "member_id" = $1::uuid';
  const [row] = await query<Names>(admin, text, [id]);
  return row;
}

/** Edits of one member that all begin before any ends: the statuses of their answers. */
async function editedAtOnce(id: string, ...bodies: readonly object[]): Promise<number[]> {
  const release = await side.holding(admin, `SELECT FROM person WHERE id = '${id}' FOR UPDATE`);
  const edits = bodies.map((body) => admin.put(`/person/unit/${id}`, body));
  await side.queued(admin, bodies.length);
  await release();
  return (await Promise.all(edits)).map(({ status }) => status);
}

describe('names that are changed together', () => {
  it('both apply to the sign-in', async () => {
    const { id, password } = await signUp(admin, 'former');
    const names = { username: 'latter', email: 'latter@example.org' };
    expect(await editedAtOnce(id, { username: names.username }, { email: names.email })).toEqual([200, 200]);
    expect(await ok(admin.get(`/person/unit/${id}`))).toMatchObject(names);
    expect(await credentialOf(id)).toEqual(names);
    expect([await signsIn('latter', password), await signsIn('former', password)]).toEqual([true, false]);
    expect(await signsIn('latter@example.org', password)).toBe(true);
  });

  it("are validated together: a username may be an address only while it is the member's own", async () => {
    const { id } = await signUp(admin, 'lonely');
    const statuses = await editedAtOnce(id, { username: 'lonely@example.com' }, { email: 'other@example.com' });
    expect(statuses.sort()).toEqual([200, 400]);
    expect(await credentialOf(id)).toMatchObject({
      username: expect.stringMatching(/^lonely/) as string,
      email: expect.stringMatching(/@example.com$/) as string,
    });
    const { username, email } = (await ok(admin.get(`/person/unit/${id}`))) as Names;
    expect(await credentialOf(id)).toEqual({ username, email });
    expect([email, 'lonely']).toContain(username);
  });

  it('that are sent unchanged stay', async () => {
    const ada = await signUp(admin, 'ada');
    const own = admin.as(ada.accessToken);
    const record = (await ok(own.get(`/person/unit/${ada.id}`))) as Names;
    await ok(own.put(`/person/unit/${ada.id}`, { ...record, first_name: 'Ada' }));
    expect(refusalOf(await own.put(`/person/unit/${ada.id}`, { username: 'eve' }))).toEqual({
      status: 403,
      messages: ['access.denied username'],
    });
    expect(await credentialOf(ada.id)).toEqual({ username: 'ada', email: 'ada@example.com' });
  });
});

describe('names that a hook sets', () => {
  const make = (username: string) => admin.post('/guest/unit', { username, email: `${username}@example.com` });

  it('are those of the sign-in', async () => {
    const id = await createdId(make('LOUD'));
    expect(await credentialOf(id)).toEqual({ username: 'loud', email: 'LOUD@example.com' });
    await ok(admin.put(`/guest/unit/${id}`, { first_name: 'x' }));
    expect(await credentialOf(id)).toEqual({ username: 'loud', email: 'hook@example.com' });
  });

  it('are rejected if another member has them', async () => {
    const [{ id }] = [(await ok(make('second'))) as { id: string }];
    await signUp(admin, 'taken');
    const refused = await admin.put(`/guest/unit/${id}`, { first_name: 'Taken' });
    expect(refusalOf(refused)).toEqual({ status: 409, messages: ['parameter.not_unique email'] });
    expect(await credentialOf(id)).toEqual({ username: 'second', email: 'second@example.com' });
  });
});
