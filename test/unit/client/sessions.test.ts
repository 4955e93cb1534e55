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

/** An answer that the test gives. */
function later() {
  let give: (response: Response) => void = () => undefined;
  const answer = new Promise<Response>((resolve) => (give = resolve));
  return { answer, give: (response: Response) => give(response) };
}

const proof = { username: 'x', password: 'y' };
const expired = () => json(null, 401);

it.each([
  ['of tokens', () => tokensOf('ann', 'ann-late')],
  ['of a refusal', expired],
])('an answer %s to a refresh that comes after the session has ended is not taken', async (_, late) => {
  const { answer, give } = later();
  const members = ['ann', 'bob'];
  const { sent, client } = serviceOf((name, token) => {
    if (name === 'signin') return tokensOf(members.shift() ?? '');
    if (name === 'refresh') return answer;
    return name === 'unit' && token === 'a-ann' ? expired() : undefined;
  });
  const { kept, storage } = storageWith();
  const kind = client({ storage });
  await kind.auth.signin(proof);
  const lost = kind.task.list().result();
  await expect.poll(() => sent.at(-1)).toBe('refresh r-ann');
  await kind.auth.signout();
  expect([kind.auth.member, kept.size]).toEqual([null, 0]);
  await kind.auth.signin(proof);
  give(late());
  expect(await lost).toMatchObject({ ok: false, code: 'other' });
  expect([kind.auth.member?.id, kept.get('kind.p')]).toEqual(['bob', 'r-bob']);
  await kind.task.list();
  // What ann has asked for is not asked for as bob.
  expect(sent.filter((each) => each.startsWith('unit'))).toEqual(['unit a-ann', 'unit a-bob']);
});

it('a late refresh begins no session after a sign-out', async () => {
  const { answer, give } = later();
  const { sent, client } = serviceOf((name, token) => {
    if (name === 'signin') return tokensOf('ann');
    if (name === 'refresh') return answer;
    return name === 'unit' && token !== null ? expired() : undefined;
  });
  const { kept, storage } = storageWith();
  const kind = client({ storage });
  await kind.auth.signin(proof);
  const lost = kind.task.list().result();
  await expect.poll(() => sent.at(-1)).toBe('refresh r-ann');
  await kind.auth.signout();
  give(tokensOf('ann', 'ann-late'));
  expect(await lost).toMatchObject({ ok: false });
  expect([kind.auth.member, kept.size]).toEqual([null, 0]);
});

it('the session of somebody else in a shared storage goes on with its new token', async () => {
  const { client } = serviceOf((name, token) => {
    if (name === 'signin') return tokensOf('ann');
    if (name === 'refresh') return tokensOf('bob', 'bob-2');
    return name === 'unit' && token === 'a-ann' ? expired() : undefined;
  });
  const { kept, storage } = storageWith();
  const kind = client({ storage });
  await kind.auth.signin(proof);
  kept.set('kind.p', 'r-bob');
  expect(await kind.task.list().result()).toMatchObject({ ok: false });
  expect([kind.auth.member, kept.get('kind.p')]).toEqual([null, 'r-bob-2']);
});
