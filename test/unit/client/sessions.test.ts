/** Whose session a call has, when sign-ins, sign-outs and refreshes meet. */
import { expect, it } from 'vitest';
import { createClient, type ClientOptions } from '../../../packages/client/index.js';

interface Kinds {
  readonly task: {
    readonly unit: { readonly id: string };
    readonly refs: object;
    readonly from: never;
    readonly create: object;
    readonly edit: object;
    readonly all: true;
    readonly can: 'list';
    readonly functions: object;
    readonly links: { readonly link: object };
  };
}

const json = (content: unknown, status = 200) => new Response(JSON.stringify({ content, messages: [] }), { status });
const tokensOf = (id: string, of = id) => json({ id, kind_id: 'm', access_token: `a-${of}`, refresh_token: `r-${of}` });

type Answer = Response | Promise<Response>;

/** A service that answers by the last part of the address and the token. */
function serviceOf(answer: (name: string, token: string | null) => Answer | undefined) {
  const sent: string[] = [];
  const send = (async (address: string, init: RequestInit) => {
    const name = new URL(address).pathname.split('/').pop() ?? '';
    const token = new Headers(init.headers).get('authorization')?.slice(7) ?? null;
    sent.push(`${name} ${token}`);
    return (await answer(name, token)) ?? json({ count: 0, items: [] });
  }) as typeof fetch;
  const client = (options: Partial<ClientOptions> = {}) =>
    createClient<Kinds>({ url: 'http://service', project: 'p', fetch: send, ...options });
  return { sent, client };
}

function storageWith(token?: string) {
  const kept = new Map(token === undefined ? [] : [['kind.p', token]]);
  const storage = {
    get: (name: string) => kept.get(name),
    set: (name: string, value: string) => kept.set(name, value),
    remove: (name: string) => kept.delete(name),
  };
  return { kept, storage };
}

const ownerOf = (kind: { readonly task: { list(): { readonly key: readonly unknown[] } } }) => kind.task.list().key[1];

it('with a token no other client has the key of its calls', () => {
  const { client } = serviceOf(() => undefined);
  const [ann, bob] = [client({ token: 'a' }), client({ token: 'b' })];
  expect(ownerOf(ann)).toEqual(expect.any(String));
  expect(ownerOf(ann)).toBe(ownerOf(ann));
  expect(ownerOf(ann)).not.toBe(ownerOf(bob));
});

it('no other client has the key of its calls until the member is known', async () => {
  const { client } = serviceOf((name) => (name === 'refresh' ? tokensOf('ann') : undefined));
  const kind = client({ storage: storageWith('r').storage });
  const before = ownerOf(kind);
  expect(before).toEqual(expect.any(String));
  expect(before).not.toBe(ownerOf(client({ storage: storageWith('r').storage })));
  await kind.task.list();
  expect(ownerOf(kind)).toBe('ann');
  const nobody = client({ storage: storageWith().storage });
  await nobody.task.list();
  expect([ownerOf(nobody), ownerOf(client())]).toEqual([null, null]);
});
