/** The ways in are written one by one, at their own address: nothing writes them together with others, or in a function. */
import { describe, expect, it } from 'vitest';
import { BUILT_IN_KINDS } from '../../../src/model/built-in/built-in.js';
import type { Operation } from '../../../src/model/built-in-traits.js';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { makeKey } from '../../support/keys.js';
import type { Reply, TestProject } from '../../support/service.js';

const WRITER = `
import { kind } from 'kind';

const writer = kind('writer');
const json = { type: 'json', required: true } as const;
const string = { type: 'string', required: true } as const;

export default writer.module({
  functions: {
    call: writer.function({
      description: 'Calls a method of units',
      parameters: { kind: { type: 'string', default: 'api_key' }, method: string, args: json, system: { type: 'boolean', default: false } },
      async run({ units, system, parameters }) {
        const of = (parameters.system ? system.units : units)(parameters.kind as never) as never as Record<string, (...args: unknown[]) => unknown>;
        await of[parameters.method]!(...(parameters.args as unknown[]));
      },
    }),
  },
});
`;

const service = await sharedServiceWith(new FunctionsFolder({ 'writer.ts': WRITER }));
const admin = await withMembers(await service.project());
await defineKinds(admin, { id: 'writer' });
const ann = await signUp(admin, 'ann');
const asAnn = admin.as(ann.accessToken);
const { id } = await makeKey(asAnn, { label: 'first' });

const KINDS = BUILT_IN_KINDS.filter(({ traits }) => traits.alone);
const CSV = { headers: { 'content-type': 'text/csv' } };

const inBatch = (method: string, path: string, body?: object) => (caller: TestProject) =>
  caller.post('/batch', { operations: [{ method, path, ...(body && { body }) }] });

/** Each request with the rights of which it asks for one. */
const together = (
  kind: string,
): readonly [name: string, readonly Operation[], (caller: TestProject) => Promise<Reply>][] => [
  ['a list', ['create'], (caller) => caller.post(`/${kind}/unit`, [{ label: 'a' }])],
  [
    'an upsert',
    ['create', 'update'],
    (caller) => caller.post(`/${kind}/unit?on_conflict=update&by=label`, { label: 'first' }),
  ],
  ['an edit by filter', ['update'], (caller) => caller.put(`/${kind}/unit?filter=all()`, { label: 'a' })],
  ['a deletion by filter', ['delete'], (caller) => caller.delete(`/${kind}/unit?filter=all()`)],
  ['an import', ['create'], (caller) => caller.call('POST', `/${kind}/import`, 'label\na\n', CSV)],
  ['a create in a batch', ['create'], inBatch('POST', `/${kind}/unit`, { label: 'a' })],
  ['an edit in a batch', ['update'], inBatch('PUT', `/${kind}/unit/${id}`, { label: 'a' })],
  ['a deletion in a batch', ['delete'], inBatch('DELETE', `/${kind}/unit/${id}`)],
];

describe.each(KINDS)('units of $id', ({ id: kind, traits }) => {
  it.each(together(kind))('are not written by %s', async (_, rights, send) => {
    const code = rights.every((right) => traits.closed?.includes(right)) ? 'access.denied' : 'kind.one_by_one';
    const reply = await send(admin);
    expect(reply.body.messages.map((message) => message.code)).toEqual([code]);
    expect(reply.status).toBe(code === 'access.denied' ? 403 : 400);
  });
});

it('a batch reads them, and one that writes one of them stores nothing', async () => {
  expect((await ok(inBatch('GET', '/api_key/unit')(asAnn))).items[0].content.count).toBe(1);
  const operations = [
    { method: 'POST', path: '/writer/unit', body: {} },
    { method: 'POST', path: '/api_key/unit', body: { label: 'second' } },
  ];
  const reply = await admin.post('/batch', { operations });
  expect(reply.body.messages).toMatchObject([{ code: 'kind.one_by_one', operation: 1 }]);
  expect((await ok(admin.get('/writer/unit'))).count).toBe(0);
  expect((await ok(admin.get('/api_key/unit'))).items).toMatchObject([{ label: 'first' }]);
});

describe('a function', () => {
  const reads = { list: [], get: [id] };
  const makes = {
    create: [{ label: 'made' }],
    createAll: [[{ label: 'made' }]],
    update: [id, { label: 'edited' }],
    upsert: [{ label: 'first' }, { onConflict: 'update', by: ['label'] }],
    upsertAll: [[{ label: 'first' }], { onConflict: 'update', by: ['label'] }],
    updateAll: ['all()', { label: 'edited' }],
  };
  const removes = (unit: string) => ({ remove: [unit], removeAll: [`eq(id,${unit})`] });
  const calls = (...of: readonly object[]): [string, unknown[]][] => of.flatMap((each) => Object.entries(each));
  const call = (method: string, args: unknown[], system: boolean, kind = 'api_key'): Promise<Reply> =>
    asAnn.post('/writer/function/call', { kind, method, args, system });
  const denied = { status: 403, messages: ['access.denied'] };

  it.each(calls(reads))('%s reads them as its caller and as the system', async (method, args) => {
    await ok(call(method, args, false));
    await ok(call(method, args, true));
  });

  it.each(calls(makes, removes(id)))('%s is refused as its caller', async (method, args) => {
    expect(refusalOf(await call(method, args, false))).toEqual(denied);
  });

  it.each(calls(makes))('%s is refused as the system', async (method, args) => {
    expect(refusalOf(await call(method, args, true))).toEqual(denied);
  });

  it('makes and changes no identity provider, and reads and deletes it as the system', async () => {
    const of = { label: 'IdP', issuer: 'https://idp.example.com', client_id: 'a', member_kind: 'person' };
    await ok(admin.post('/identity_provider/unit', { id: 'idp', ...of }));
    for (const [method, args] of calls({ create: [of], update: ['idp', { label: 'x' }], remove: ['idp'] })) {
      expect(refusalOf(await call(method, args, false, 'identity_provider'))).toEqual(denied);
      if (method === 'remove') continue;
      expect(refusalOf(await call(method, args, true, 'identity_provider'))).toEqual(denied);
    }
    for (const [method, args] of calls({ list: [], get: ['idp'], remove: ['idp'] })) {
      await ok(call(method, args, true, 'identity_provider'));
    }
    expect((await ok(admin.get('/identity_provider/unit'))).count).toBe(0);
  });

  it.each(['passkey', 'identity'])(
    'makes and changes no %s, as the system too, and reads and deletes it',
    async (kind) => {
      for (const [method, args] of calls(makes))
        expect(refusalOf(await call(method, args, true, kind))).toEqual(denied);
      await ok(call('list', [], true, kind));
      await ok(call('removeAll', ['all()'], true, kind));
    },
  );

  it.each(Object.keys(removes('')))('%s deletes as the system', async (method) => {
    const made = await makeKey(asAnn);
    const args = calls(removes(made.id)).find(([name]) => name === method)?.[1] ?? [];
    await ok(call(method, args, true));
    expect((await admin.as(made.secret).get('/auth/verify')).status).toBe(401);
  });
});
