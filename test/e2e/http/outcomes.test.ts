/**
 * What a 503 says of a write whose connection to the database broke: that it was not stored, where that is so, and that
 * nobody knows, where it was sent to be stored and no answer came.
 */
import { describe, expect, it } from 'vitest';
import { OpenRequests } from '../../../src/http/server/open-requests.js';
import { signUp, withMembers } from '../../support/callers.js';
import { CutProxy, type Cut } from '../../support/cut-proxy.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { expectWellFormed } from '../../support/scenario.js';
import type { Reply } from '../../support/service.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind } from 'kind';
    const hooked = kind('hooked');
    export default hooked.module({
      hooks: { before_create: ({ values }) => values },
      functions: {
        add: hooked.function({
          description: 'Adds a city',
          parameters: { name: { type: 'string', required: true } },
          run: async ({ parameters, units }) => { await units('city').create({ name: parameters.name }); },
        }),
      },
    });`,
  'far.ts': `
    import { kind } from 'kind';
    const stored = (globalThis as unknown as { farUnits: string[] }).farUnits;
    export default kind('far').module({
      hooks: { after_create: async ({ unit, units }) => { await units('city').create({ name: unit.id }); } },
      remote: {
        list: () => ({ count: stored.length, items: stored.map((id) => ({ id })) }),
        get: (id) => (stored.includes(id) ? { id } : undefined),
        create: (values) => { stored.push(values.code); return { id: values.code }; },
      },
    });`,
});
const farUnits: string[] = [];
Object.assign(globalThis, { farUnits });
const proxy = await CutProxy.start(await ownDatabase());
const service = await startServiceOn(proxy.connection, { functionsDir: folder.path, authRateLimit: false });
const project = await withMembers(await service.project());
await ok(project.post('/kind/unit', { id: 'city', label: 'City', parameters: [{ id: 'name', kind_id: 'string' }] }));
await ok(project.post('/kind/unit', { id: 'hooked', label: 'Hooked', parameters: ['name'] }));
const open = project.as(undefined);

const cities = async (name: string): Promise<number> =>
  (await project.get(`/city/unit?filter=eq(name,${name})`)).body.content.count as number;
const city = async (name: string): Promise<string> => await createdId(project.post('/city/unit', { name }));

/** A write, with what of its messages to the database has only it, and whether it is stored. */
interface Write {
  readonly name: string;
  /** One statement, which stores at once; else the transaction is stored by its COMMIT. */
  readonly single?: true;
  readonly prepare?: (key: string) => Promise<string>;
  readonly send: (key: string, made: string) => Promise<Reply>;
  /** In a message of it; the key where it is left out. */
  readonly message?: (key: string, made: string) => string;
  readonly isStored: (key: string, made: string) => Promise<boolean>;
}

const signUpBody = (username: string) => {
  const own = { username, password: `secret of ${username}` };
  return { ...own, kind_system_user: { ...own, email: `${username}@example.com` } };
};
const canSignIn = async (username: string, password = `secret of ${username}`) =>
  (await open.post('/auth/signin', { username, password })).status === 200;

const WRITES: readonly Write[] = [
  {
    name: 'a create',
    single: true,
    send: (key) => project.post('/city/unit', { name: key }),
    isStored: async (key) => (await cities(key)) === 1,
  },
  {
    name: 'a create of many',
    single: true,
    send: (key) => project.post('/city/unit', [{ name: key }, { name: key }]),
    isStored: async (key) => (await cities(key)) === 2,
  },
  {
    name: 'an edit',
    single: true,
    prepare: () => city('before'),
    send: (key, id) => project.put(`/city/unit/${id}`, { name: key }),
    isStored: async (key) => (await cities(key)) === 1,
  },
  {
    name: 'a deletion',
    prepare: city,
    send: (_, id) => project.delete(`/city/unit/${id}`),
    message: (_, id) => id,
    isStored: async (key) => (await cities(key)) === 0,
  },
  {
    name: 'a link',
    single: true,
    prepare: city,
    send: (_, id) => project.post(`/city/unit/${id}/link/link/city/unit/${id}`),
    message: (_, id) => id,
    isStored: async (_, id) => (await project.get(`/city/unit/${id}/link/child`)).body.content.count === 1,
  },
  {
    name: 'a create with hooks',
    send: (key) => project.post('/hooked/unit', { name: key }),
    isStored: async (key) => (await project.get(`/hooked/unit?filter=eq(name,${key})`)).body.content.count === 1,
  },
  {
    name: 'a function',
    send: (key) => project.post('/hooked/function/add', { name: key }),
    isStored: async (key) => (await cities(key)) === 1,
  },
  {
    name: 'a function that is got',
    send: (key) => project.get(`/hooked/function/add?name=${key}`),
    isStored: async (key) => (await cities(key)) === 1,
  },
  {
    name: 'a definition',
    send: (key) => project.post('/kind/unit', { id: key, label: 'New' }),
    isStored: async (key) => (await project.get(`/kind/unit/${key}`)).status === 200,
  },
  {
    name: 'a kind that joins a group',
    prepare: async (key) => {
      await ok(project.post('/group/unit', { id: key, label: 'Group' }));
      return key;
    },
    send: (key) => project.post(`/group/unit/${key}/link/group/kind/unit/city`),
    isStored: async (key) => (await project.get(`/group/${key}/kind`)).body.content.count === 1,
  },
  {
    name: 'a sign-up',
    send: (key) => open.post('/auth/person/signup', signUpBody(key)),
    isStored: (key) => canSignIn(key),
  },
  {
    name: 'a change of password',
    prepare: async (key) => (await signUp(project, key)).accessToken,
    send: (key, token) => {
      const body = { current_password: `secret of ${key}`, new_password: `secret of ${key} 2` };
      return open.post('/auth/change_password', body, { token });
    },
    // The hash that it was.
    message: () => '$argon2',
    isStored: (key) => canSignIn(key, `secret of ${key} 2`),
  },
];

let count = 0;
const escaped = (text: string) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

/** Sends a write whose connection is cut at a message; answers what the client hears, and whether it was stored. */
async function cutAt(write: Write, when: Cut, at: 'statement' | 'commit') {
  const key = `cut${(count += 1)}`;
  const made = (await write.prepare?.(key)) ?? '';
  const own = escaped(write.message?.(key, made) ?? key);
  const cut = proxy.cut(when, at === 'commit' ? /\bCOMMIT\b/ : own, own);
  const reply = await write.send(key, made);
  await cut;
  expectWellFormed(reply);
  expect(reply).toMatchObject({ status: 503, body: { messages: [{ code: 'database.unavailable' }] } });
  return { reply, stored: await write.isStored(key, made) };
}

function expectUnknown({ headers, body }: Reply): void {
  expect(body.messages[0]?.text).toBe(
    'The database does not answer: whether it was stored is not known; look before you send it again',
  );
  expect(headers.get('retry-after')).toBeNull();
}

function expectNotStored({ headers, body }: Reply, method = 'POST'): void {
  const advice = method === 'GET' ? '; try again shortly' : ': not stored; try again shortly';
  expect(body.messages[0]?.text).toBe(`The database does not answer${advice}`);
  expect(headers.get('retry-after')).toBe('1');
}

describe.each(WRITES.map((write) => [write.name, write] as const))('%s', (name, write) => {
  const stores = write.single ? 'statement' : 'commit';

  it('whose last message was received and not answered is stored, and the answer says unknown', async () => {
    const { reply, stored } = await cutAt(write, 'unheard', stores);
    expectUnknown(reply);
    expect(stored).toBe(true);
  });

  it('whose last message was not received is not stored, and the answer says unknown', async () => {
    const { reply, stored } = await cutAt(write, 'unsent', stores);
    expectUnknown(reply);
    expect(stored).toBe(false);
  });

  it.runIf(!write.single).each(['unsent', 'unheard'] as const)(
    'whose connection broke before COMMIT is not stored, and said to be so: %s',
    async (when) => {
      const { reply, stored } = await cutAt(write, when, 'statement');
      expectNotStored(reply, name.includes('got') ? 'GET' : 'POST');
      expect(stored).toBe(false);
    },
  );
});

it('of a remote kind is unknown once its source was called', async () => {
  const code = { id: 'code', kind_id: 'string', is_primary: true };
  await ok(project.post('/kind/unit', { id: 'far', label: 'Far', remote: true, parameters: [code] }));
  const cut = proxy.cut('unsent', /cut-far/);
  const reply = await project.post('/far/unit', { code: 'cut-far' });
  await cut;
  expect(reply.body.messages[0]?.text).toMatch(/: whether it was stored is not known; /);
  expect(farUnits).toEqual(['cut-far']);
  expect(await cities('cut-far')).toBe(0);
});

it('a read says nothing about storage', async () => {
  const id = await city('read');
  const cut = proxy.cut('unheard', new RegExp(id));
  const reply = await project.get(`/city/unit/${id}`);
  await cut;
  expectNotStored(reply, 'GET');
});

it('a write that the service is too busy for is not stored', async () => {
  service.service.app.get(OpenRequests).enter('refusing');
  const [written, read] = [await project.post('/city/unit', {}), await project.get('/city/unit')];
  expect(written.body.messages[0]?.text).toBe('The service is shutting down: not stored; try again shortly');
  expect(read.body.messages[0]?.text).toBe('The service is shutting down; try again shortly');
});
