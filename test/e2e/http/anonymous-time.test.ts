/** Callers without a token have a shorter statement timeout, so that they cannot occupy all connections for long. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { startTestService, type Reply, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

// A project may have 30 % of the connections for statements that wait for locks: here more than there are requests, so
// that none of them waits in a queue, where it could be refused before its statement takes too long.
const service = await startTestService({ databasePool: 80 });
const project = await service.project();
const member = await asMember(project);
const nobody = anonymous(project);
const side = await sideConnection();
await defineKinds(project, {
  id: 'city',
  public: true,
  access: { create: 'anyone', update: 'anyone', delete: 'anyone', link: 'anyone' },
  parameters: [{ id: 'name', kind_id: 'string' }],
});
await ok(project.post('/group/unit', { id: 'places', kind_list: ['city'] }));
await ok(project.put('/kind/unit/group', { access: { read: 'anyone' } }));
const made = (await ok(project.post('/city/unit', [{ name: 'Rome' }, { name: 'Oslo' }]))) as {
  items: { id: string }[];
};
const [rome = '', oslo = ''] = made.items.map(({ id }) => id);

const REQUESTS: Readonly<Record<string, (caller: TestProject) => Promise<Reply>>> = {
  'a list': (caller) => caller.get('/city/unit'),
  'a count': (caller) => caller.get('/city/unit?limit=0&filter=isnull(name)'),
  'a get': (caller) => caller.get(`/city/unit/${rome}`),
  'a struct': (caller) => caller.get(`/city/unit/${rome}/struct`),
  'a group': (caller) => caller.get('/group/places/unit'),
  'a unit of a group': (caller) => caller.get(`/group/places/unit/${rome}`),
  'a walk': (caller) => caller.get(`/city/unit/${rome}/link/child`),
  'a create': (caller) => caller.post('/city/unit', { name: 'Bern' }),
  creates: (caller) => caller.post('/city/unit', [{ name: 'Bern' }, { name: 'Bonn' }]),
  'an edit': (caller) => caller.put(`/city/unit/${rome}`, { name: 'Roma' }),
  'a link': (caller) => caller.post(`/city/unit/${rome}/link/link/city/unit/${oslo}`),
};

describe('a request without a token that waits too long', () => {
  it('is answered 503, while members wait on', async () => {
    const release = await side.lock(project, 'city');
    let membersAnswered = 0;
    const members = ['a list', 'an edit'].map(async (name) => {
      const reply = await REQUESTS[name]?.(member);
      membersAnswered += 1;
      return reply?.status;
    });
    const replies = Object.entries(REQUESTS).map(async ([name, ask]) => ({ name, ...refusalOf(await ask(nobody)) }));
    for (const reply of await Promise.all(replies)) {
      expect(reply).toEqual({ name: reply.name, status: 503, messages: ['query.timeout'] });
    }
    expect(membersAnswered).toBe(0);
    await release();
    expect(await Promise.all(members)).toEqual([200, 200]);
    expect(await ok(nobody.get('/city/unit'))).toMatchObject({ count: 2 });
  });
});
