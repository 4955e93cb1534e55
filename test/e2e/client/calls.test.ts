/** What the runtime of the client sends, and what it makes of the answers, with the service behind it. */
import { describe, expect, it } from 'vitest';
import { CODES } from '../../../packages/client/codes.js';
import {
  createClient,
  KindError,
  type ClientOptions,
  type Filters,
  type Page,
} from '../../../packages/client/index.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { makeKey } from '../../support/keys.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { ADMIN } from '../../support/service.js';
import { ERRORS } from '../../../src/shared/errors.js';

interface Kinds {
  readonly person: {
    readonly unit: { readonly id: string; readonly username: string };
    readonly refs: object;
    readonly from: 'task.owner';
    readonly create: object;
    readonly edit: object;
    readonly all: true;
    readonly can: 'list' | 'get' | 'signup';
    readonly functions: object;
    readonly links: { readonly link: object; readonly pair: { readonly weight?: number } };
  };
  readonly task: {
    readonly unit: {
      readonly id: string;
      readonly kind_id: 'task';
      readonly title: string;
      readonly size: number | null;
      readonly owner: string | null;
    };
    readonly refs: { readonly owner: 'person' };
    readonly from: never;
    readonly create: { readonly title?: string; readonly size?: number; readonly owner?: string };
    readonly edit: { readonly size: { readonly $inc: number } };
    readonly all: true;
    readonly can: keyof typeof CODES | 'each' | 'live' | 'update_link' | 'unlink' | 'link_many';
    readonly functions: {
      readonly double: {
        readonly unit: true;
        readonly parameters: { readonly by?: number };
        readonly returns: { readonly size: number };
      };
    };
    readonly links: { readonly link: object; readonly pair: { readonly weight?: number } };
  };
}

const folder = new FunctionsFolder({
  'task.ts': `
    import { kind } from 'kind';
    const task = kind('task');
    export default task.module({
      unitFunctions: {
        double: task.unitFunction({
          description: 'Double',
          parameters: { by: { type: 'integer', default: 2 } },
          run: ({ unit, parameters }) => ({ size: unit.size * parameters.by }),
        }),
      },
    });`,
});
const root = await (await sharedServiceWith(folder)).project();
await asMember(root);
await defineKinds(root, {
  id: 'task',
  changes: 'history',
  parameters: [
    { id: 'title', kind_id: 'string', nullable: false, unique: true, max_length: 20 },
    { id: 'size', kind_id: 'integer' },
    { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
  ],
});
await ok(root.post('/link/unit', { id: 'pair', parameters: [{ id: 'weight', kind_id: 'integer' }] }));
const { secret } = await makeKey(root);
const { url } = root.service;
const client = (options: Partial<ClientOptions> = {}) => createClient<Kinds>({ url, project: root.id, ...options });
const admin = client({ token: async () => secret });

const credentials = { username: ADMIN.username, password: ADMIN.password };

type Task = { readonly id: string; readonly kind_id: 'task' };

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
}

/** A `fetch` that keeps what is sent, and answers in place of the service where `instead` does. */
function recorded(instead: (sent: Sent, at: number) => Response | Error | undefined = () => undefined) {
  const sent: Sent[] = [];
  const send = (async (input: string, init: RequestInit) => {
    const one = { url: input, method: init.method ?? '', headers: new Headers(init.headers) };
    sent.push(one);
    const answer = instead(one, sent.length);
    if (answer instanceof Error) throw answer;
    return answer ?? fetch(input, init);
  }) as typeof fetch;
  return { sent, fetch: send };
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ content: null, messages: [{ code, text: 'no' }] }), { status, headers });
const caught = async (call: PromiseLike<unknown>): Promise<KindError> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof KindError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

describe('units', () => {
  it('are made, read, changed and removed', async () => {
    const made = await admin.task.create({ title: 'one', size: 1 });
    expect(Object.keys(made)).not.toContain('etag');
    const read = await admin.task.get(made.id);
    expect([read.title, read.etag]).toEqual(['one', made.etag]);
    const changed = await admin.task.update(made.id, { size: { $inc: 2 } }, { ifMatch: read.etag });
    expect(changed.size).toBe(3);
    expect(await caught(admin.task.update(made.id, { size: 1 }, { ifMatch: read.etag }))).toMatchObject({
      status: 412,
      code: 'unit.changed',
      requestId: expect.any(String),
    });
    expect((await admin.task.history(made.id)).items.map(({ operation }) => operation)).toEqual(['update', 'create']);
    expect(await admin.task.remove(made.id, { dryRun: true })).toBeNull();
    expect(await admin.task.remove(made.id)).toBeNull();
    expect(await caught(admin.task.get(made.id))).toMatchObject({ status: 404, code: 'unit.unknown' });
  });

  it('are many', async () => {
    const titles = Array.from({ length: 25 }, (_, at) => ({ title: `many ${at}`, size: at }));
    expect((await admin.task.create(titles)).count).toBe(25);
    const page = await admin.task.list({
      filter: (f) => f.and(f.startswith('title', 'many'), f.gte('size', 20)),
      include: ['title', { owner: ['username'] }],
      order: ['-size'],
      limit: 2,
    });
    expect(page).toMatchObject({
      count: 5,
      items: [
        { title: 'many 24', owner: null },
        { title: 'many 23', owner: null },
      ],
    });
    const seen: string[] = [];
    for await (const { title } of admin.task.each({ filter: (f) => f.startswith('title', 'many'), limit: 10 })) {
      seen.push(title);
    }
    expect(seen).toHaveLength(25);
    expect(await admin.task.updateAll((f) => f.in('size', [1, 2]), { size: 100 })).toMatchObject({ count: 2 });
    expect(await caught(admin.task.removeAll((f) => f.all(), { max_affected: 3 }))).toMatchObject({
      code: 'unit.too_many',
    });
    const groups = await admin.task.aggregate({
      filter: (f) => f.startswith('title', 'many'),
      group: (g) => ({ large: g.bucket('size', 100), of: g.value('owner') }),
      select: (s) => ({
        count: s.count(),
        most: s.max('size'),
        odd: s.count((f) => f.in('size', [3, 5])),
        sum: s.sum(s.mul('size', 2)),
      }),
      compute: (c) => ({ mean: c.div('sum', 'count') }),
      having: (h) => h.gt('most', 30),
      order: ['-count'],
    });
    expect(groups.items).toEqual([{ large: 100, of: null, count: 2, most: 100, odd: 0, sum: 400, mean: '200' }]);
    const all = await admin.task.aggregate({ select: (s) => ({ n: s.count_distinct('size') }) });
    const n: number | undefined = all.items[0]?.n;
    expect(n).toBe(24);
    const up = await admin.task.upsert({ title: 'many 3', size: 7 }, { by: ['title'] });
    expect(up).toMatchObject({ result: 'updated', unit: { size: 7 } });
    const both = await admin.task.upsert([{ title: 'many 3' }, { title: 'new' }], {
      by: ['title'],
      on_conflict: 'ignore',
    });
    expect(both.results).toEqual(['ignored', 'created']);
    expect(await admin.task.links(up.unit.id, 'child')).toMatchObject({ count: 0 });
    expect((await admin.task.removeAll((f) => f.all())).count).toBe(26);
  });

  it('are read with what is computed of others, and with the rights on them', async () => {
    const me = await admin.auth.me();
    await admin.task.create([
      { title: 'related 1', size: 1 },
      { title: 'related 2', size: 2 },
    ]);
    const filter = (f: Filters<Kinds, 'task'>) => f.startswith('title', 'related');
    await ok(root.as(undefined).post('/auth/person/signup', signUp('owner')));
    const owner = (await admin.person.list({ filter: (f) => f.eq('username', 'owner') })).items[0]!;
    await admin.task.updateAll(filter, { owner: owner.id });
    const { items } = await admin.person.list({
      filter: (f) =>
        f.and(
          f.eq(f.sum_related('task.owner', 'size'), 3),
          f.gte(
            f.sum_related(
              'task.owner',
              (e) => e.mul('size', e.add('size', 1)),
              (t) => t.gt('size', 1),
            ),
            6,
          ),
          f.referred('task.owner', (t) => t.eq('title', 'related 2')),
        ),
      include: [
        'username',
        (t) => ({
          tasks: t.count_related('task.owner'),
          last: t.related('task.owner', { filter: (f) => f.gt('size', 1), order: ['-size'], limit: 1 }),
          mine: t.can(),
        }),
      ],
    });
    const title: string | undefined = items[0]?.last[0]?.title;
    expect([items, title]).toMatchObject([
      [{ username: 'owner', tasks: 2, last: [{ title: 'related 2' }], mine: { update: true } }],
      'related 2',
    ]);
    expect(Object.keys(items[0] ?? {})).toEqual(['username', 'tasks', 'last', 'mine']);
    expect(me.id).not.toBe(owner.id);
    const one = await admin.person.get(owner.id, { include: [(t) => ({ tasks: t.count_related('task.owner') })] });
    expect(one).toEqual({ tasks: 2 });
    await admin.task.removeAll(filter);
  });

  it('are linked', async () => {
    const titles = ['link 1', 'link 2', 'link 3'];
    const { items } = await admin.task.create(titles.map((title, at) => ({ title, size: at })));
    const [first, second, third] = items as readonly Task[] as [Task, Task, Task];
    const made = await admin.task.link(first.id, 'pair', second, { weight: 4 });
    expect(made).toMatchObject({ link_id: 'pair', parent_id: first.id, child_id: second.id, weight: 4 });
    expect(await admin.task.link(first.id, 'pair', second, { weight: 5 }).result()).toMatchObject({
      code: 'link.differs',
    });
    expect(await admin.task.update_link(first.id, 'pair', second, { weight: 5 })).toMatchObject({ weight: 5 });
    const [to, instead] = [second, third].map(({ kind_id, id }) => ({ kind_id, id })) as [Task, Task];
    expect(await admin.task.link_many(first.id, 'link', 'child', [to])).toMatchObject({ count: 1 });
    const one = { ...instead, weight: 1 };
    expect(await admin.task.link_many(first.id, 'pair', 'child', [one], { replace: true })).toMatchObject({
      count: 1,
      items: [{ child_id: third.id, weight: 1 }],
    });
    expect((await admin.task.links(first.id, 'child', { link_id: ['pair'] })).items).toMatchObject([
      { id: third.id, link: { weight: 1 } },
    ]);
    const found = async (filter: Parameters<typeof admin.task.removeAll>[0]) =>
      (await admin.task.list({ filter, order: ['title'] })).items.map(({ title }) => title);
    expect(await found((f) => f.linked('pair', 'child', 'task', (t) => t.gt('link.weight', 0)))).toEqual(['link 1']);
    expect(await found((f) => f.linked('link', 'parent', ['task'], (t) => t.eq('size', 0)))).toEqual(['link 2']);
    expect(await found((f) => f.linked('pair', 'parent', (t) => t.eq('link.weight', 1)))).toEqual(['link 3']);
    expect(await found((f) => f.gt(f.count_linked('link', 'child'), 0))).toEqual(['link 1']);
    expect(await admin.task.unlink(first.id, 'link', second)).toBeNull();
    expect(await admin.task.unlink(first.id, 'link', second).result()).toMatchObject({ code: 'link.unknown' });
    await admin.task.removeAll((f) => f.startswith('title', 'link'));
  });

  it('have ids that lead nowhere else', () => {
    for (const id of ['', '.', '..']) {
      expect(() => admin.task.get(id)).toThrow(TypeError);
      expect(() => admin.task.remove(id)).toThrow(TypeError);
    }
    expect(() => admin.of('' as 'task').list()).toThrow(TypeError);
  });
});

describe('a call', () => {
  it('is sent once, when it is awaited', async () => {
    const { sent, fetch } = recorded();
    const call = client({ token: secret, fetch }).task.list();
    expect(sent).toEqual([]);
    expect(await Promise.all([call, call, call.then((page: Page<unknown>) => page)])).toHaveLength(3);
    await call.result();
    expect(sent).toHaveLength(1);
    expect([...sent[0]!.headers.keys()].sort()).toEqual(['authorization', 'kind-project-key']);
  });

  it('tells its refusal by a code that it has, or other', async () => {
    const long = { title: 'x'.repeat(21) };
    expect(await admin.task.create(long).result()).toMatchObject({
      ok: false,
      code: 'parameter.too_long',
      messages: [{ parameter: 'title' }],
    });
    const odd = recorded(() => refusal(418, 'tea.pot'));
    const call = client({ token: secret, fetch: odd.fetch }).task.list();
    expect(await call.result()).toMatchObject({ ok: false, code: 'other', messages: [{ code: 'tea.pot' }] });
    const refused = await caught(call);
    expect(refused).toMatchObject({ status: 418, code: 'tea.pot' });
    expect([refused.has('tea.pot'), refused.has('tea.cup')]).toEqual([true, false]);
    expect(refused.headers?.get('retry-after')).toBeNull();
    const proxy = recorded(() => new Response('<html>', { status: 502 }));
    expect(await caught(client({ token: secret, fetch: proxy.fetch }).task.list())).toMatchObject({
      status: 502,
      code: 'other',
      message: 'The answer is not one of this service (502)',
    });
    for (const text of ['<html>', 'null', '[]', '{"messages": "none"}']) {
      const page = recorded(() => new Response(text));
      expect(await caught(client({ token: secret, fetch: page.fetch }).task.list())).toMatchObject({
        status: 200,
        code: 'other',
      });
      const refusing = recorded(() => new Response(text, { status: 400 }));
      expect(await client({ token: secret, fetch: refusing.fetch }).task.list().result()).toMatchObject({
        code: 'other',
        messages: [{ code: 'other', text: 'The answer is not one of this service (400)' }],
      });
    }
    const away = recorded(() => new TypeError('away'));
    const write = client({ fetch: away.fetch }).task.create({ title: 'away' });
    expect(await caught(write)).toMatchObject({ status: 0, code: 'network', message: 'The service cannot be reached' });
  });

  it('ends with its signal', async () => {
    const stop = new AbortController();
    const { fetch } = recorded(() => {
      stop.abort();
      return new TypeError('broken');
    });
    const call = client({ token: secret, fetch }).task.list({}, { signal: stop.signal });
    await expect(call.result()).rejects.toThrow();
  });

  it('has a key for caches', async () => {
    const call = admin.task.list({ limit: 3 });
    expect(call.key).toEqual([root.id, expect.any(String), 'GET', '/task/unit?limit=3']);
    expect(admin.task.create({ title: 'a' }).key.at(-1)).toEqual({ title: 'a' });
  });

  it('knows only codes that there are', () => {
    const unknown = Object.values(CODES).flatMap((codes) => codes.filter((code) => !(code in ERRORS)));
    expect(unknown).toEqual([]);
  });
});

describe('another try', () => {
  const busy = () => refusal(503, 'server.busy', { 'retry-after': '0' });
  const away = () => refusal(503, 'database.unavailable', { 'retry-after': '0' });

  it('is made of reads, and of writes with a key, which it keeps', async () => {
    for (const fault of [busy, away, () => refusal(429, 'project.limit', { 'retry-after': '0' })]) {
      const { sent, fetch } = recorded((_, at) => (at < 3 ? fault() : undefined));
      expect(await client({ token: secret, fetch }).task.list()).toMatchObject({ items: expect.anything() });
      expect(sent).toHaveLength(3);
    }
    const { sent, fetch } = recorded((_, at) => (at === 1 ? away() : undefined));
    const kind = client({ token: secret, fetch });
    await kind.task.create({ title: 'again' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([expect.stringMatching(/^[a-z0-9]{20,}$/), keys[0]]);
    await kind.task.removeAll((f) => f.all());
    expect(sent.at(-1)?.headers.get('idempotency-key')).not.toBe(keys[0]);
  });

  it('is not made of what may have been done', async () => {
    const { sent, fetch } = recorded((_, at) => (at === 1 ? away() : undefined));
    const kind = client({ fetch });
    // Without a token there are no keys.
    expect(await caught(kind.auth.signin({ username: 'nobody', password: 'wrong wrong' }))).toMatchObject({
      status: 503,
    });
    const first = recorded((_, at) => (at === 1 ? busy() : undefined));
    const signin = client({ fetch: first.fetch }).auth.signin({ username: 'nobody', password: 'wrong wrong' });
    expect(await caught(signin)).toMatchObject({ code: 'signin.failed' });
    expect([sent.length, first.sent.length]).toEqual([1, 2]);
  });

  it('is not made for longer than the service asks', async () => {
    const { sent, fetch } = recorded(() => refusal(429, 'project.limit', { 'retry-after': '3600' }));
    expect(await caught(client({ token: secret, fetch }).task.list())).toMatchObject({ code: 'project.limit' });
    expect(sent).toHaveLength(1);
  });
});

describe('a session', () => {
  it('begins, is renewed once for all, and ends', async () => {
    let expired = false;
    const { sent, fetch } = recorded(({ url: at, headers }) =>
      expired && !at.includes('/auth/') && headers.get('authorization') === `Bearer ${old}`
        ? refusal(401, 'token.invalid')
        : undefined,
    );
    const kept = new Map<string, string>();
    const storage = {
      get: (name: string) => kept.get(name),
      set: (name: string, value: string) => kept.set(name, value),
      remove: (name: string) => kept.delete(name),
    };
    const kind = client({ fetch, storage });
    const seen: (string | null)[] = [];
    kind.auth.onChange((member) => seen.push(member?.id ?? null));
    const member = await kind.auth.signin(credentials);
    expect(member).toMatchObject({ username: 'admin' });
    expect(Object.keys(member ?? {})).not.toContain('access_token');
    expect(await kind.auth.me()).toMatchObject({ id: member?.id, administrator: true });
    const old = sent.at(-1)?.headers.get('authorization')?.slice(7);
    expired = true;
    const before = sent.length;
    await Promise.all([kind.task.list(), kind.task.list(), kind.person.list()]);
    const after = sent.slice(before).map(({ url: at }) => at.replace(/.*\/api\/lib/, ''));
    expect(after.filter((at) => at === '/auth/refresh')).toHaveLength(1);
    expect(kind.task.list().key.slice(0, 2)).toEqual([root.id, member?.id]);
    // Another visit.
    const later = client({ storage });
    expect(await later.auth.me()).toMatchObject({ id: member?.id });
    await later.auth.signout();
    expect(kept.size).toBe(0);
    expired = true;
    expect(await caught(kind.task.list())).toMatchObject({ status: 401 });
    expect(seen).toEqual([member?.id, null]);
    expect(kind.auth.member).toBeNull();
  });

  it('of somebody else ends this one', async () => {
    const ann = await ok(root.as(undefined).post('/auth/person/signup', signUp('ann')));
    const kept = new Map<string, string>();
    const storage = {
      get: (name: string) => kept.get(name),
      set: (name: string, value: string) => kept.set(name, value),
      remove: (name: string) => kept.delete(name),
    };
    let expired = false;
    const { fetch } = recorded(({ url: at }) =>
      expired && !at.includes('/auth/') ? refusal(401, 'token.invalid') : undefined,
    );
    const kind = client({ storage, fetch });
    const seen: (string | null)[] = [];
    await kind.auth.signin(credentials);
    kind.auth.onChange((member) => seen.push(member?.id ?? null));
    kept.set(`kind.${root.id}`, ann.refresh_token as string);
    expired = true;
    expect(await caught(kind.task.list())).toMatchObject({ status: 401, code: 'token.invalid' });
    expect(seen).toEqual([null]);
    expect(kept.size).toBe(1);
  });

  it('begins with a sign-up', async () => {
    const kind = client();
    const member = await kind.auth.signup('person', {
      username: 'bob',
      password: 'correct horse 3',
      email: 'bob@example.com',
    });
    expect(member).toMatchObject({ kind_id: 'person', username: 'bob' });
    await kind.auth.change_password({ current_password: 'correct horse 3', new_password: 'correct horse 4' });
    expect(await kind.auth.signin({ username: 'bob', password: 'correct horse 3' }).result()).toMatchObject({
      code: 'signin.failed',
    });
  });

  it('in a cookie is for pages of the service', () => {
    expect(() => client({ storage: 'cookie' })).toThrow(/is for pages of http/);
  });

  it('goes nowhere else', async () => {
    const { fetch } = recorded();
    const seen: RequestInit[] = [];
    const watching = ((input: string, init: RequestInit) => {
      seen.push(init);
      return fetch(input, init);
    }) as typeof globalThis.fetch;
    await client({ token: secret, fetch: watching }).task.list();
    expect(seen[0]).toMatchObject({ redirect: 'error', credentials: 'omit' });
  });
});

describe('a batch', () => {
  it('does all in one transaction, and hands on what was answered', async () => {
    const [made, changed, read, listed] = await admin.batch((kinds) => {
      const first = kinds.task.create({ title: 'batch 1', size: 1 });
      const second = kinds.task.update(first.id, { size: { $inc: 4 } });
      kinds.task.create([{ title: 'batch 2' }, { title: 'batch 3' }]);
      return [
        first,
        second,
        kinds.task.get(first.id),
        kinds.task.list({ filter: (f) => f.startswith('title', 'batch') }),
      ];
    });
    expect([made.title, changed.size, read.size, listed.count]).toEqual(['batch 1', 5, 5, 3]);
    expect(changed.id).toBe(made.id);
    const refused = await admin
      .batch((kinds) => [
        kinds.task.removeAll((f) => f.startswith('title', 'batch')),
        kinds.task.create({ title: 'x'.repeat(21) }),
      ])
      .result();
    expect(refused).toMatchObject({ ok: false, code: 'parameter.too_long', messages: [{ operation: 1 }] });
    const dry = await admin.batch((kinds) => [kinds.task.removeAll((f) => f.startswith('title', 'batch'))], {
      dryRun: true,
    });
    expect(dry).toEqual([{ count: 3 }]);
    expect(await admin.batch((kinds) => [kinds.task.remove(made.id)])).toEqual([null]);
  });

  it('takes upserts, links and functions, and filters by what was answered', async () => {
    const [first, both, , walked, doubled, found] = await admin.batch((kinds) => {
      const one = kinds.task.upsert({ title: '{o0.id}', size: 3 }, { by: ['title'] });
      const two = kinds.task.upsert([{ title: '{o0.id}' }, { title: 'other' }], { by: ['title'] });
      const pair = kinds.task.link(one.id, 'pair', one, { weight: 2 });
      return [
        one,
        two,
        pair,
        kinds.task.links(one.id, 'child'),
        kinds.task.call.double(one.id, { by: 3 }),
        kinds.task.list({ filter: (f) => f.and(f.in('id', [one.id]), f.eq('title', '{o0.id}')) }),
      ];
    });
    expect(first).toMatchObject({ title: '{o0.id}', size: 3 });
    expect(both.results).toEqual(['unchanged', 'created']);
    expect(walked.items.map(({ id }) => id)).toEqual([first.id]);
    expect(doubled.size).toBe(9);
    expect(found.items.map(({ id }) => id)).toEqual([first.id]);
    await admin.batch((kinds) => [
      kinds.task.unlink(first.id, 'pair', first),
      kinds.task.link_many(first.id, 'link', 'parent', [{ kind_id: 'task', id: first.id }], { replace: true }),
      kinds.task.removeAll((f) => f.in('title', ['{o0.id}', 'other'])),
    ]);
  });
});

describe('changes', () => {
  it('are read from a cursor on', async () => {
    const { next } = await admin.changes({ kinds: ['task'] });
    const { id } = await admin.task.create({ title: 'changed', size: 5 });
    const page = await admin.changes({ kinds: ['task'], since: next, filter: (f) => f.gt('size', 4), wait: 5 });
    expect(page.items).toMatchObject([{ operation: 'create', unit_id: id, unit: { title: 'changed' } }]);
    const none = await admin.changes({ kinds: ['*'], operations: ['delete'], since: next, limit: 5 }).result();
    expect(none).toMatchObject({ ok: true, value: { items: [], more: false } });
    const old = admin.changes({ kinds: ['task'], since: 'no cursor' });
    expect(await old.result()).toMatchObject({ ok: false, code: 'query.bad_value' });
  });
});

describe('files', () => {
  it('are uploaded, and have addresses', async () => {
    const seen: number[] = [];
    const content = new File(['hello'], 'a.txt', { type: 'text/plain' });
    const onProgress = ({ sent, total }: { sent: number; total: number }) => seen.push(sent / total);
    const file = await admin.file.upload(content, { onProgress });
    expect(file).toMatchObject({ name: 'a.txt', media_type: 'text/plain', bytes: 5 });
    expect(seen).toEqual([0, 1]);
    const address = await admin.file.url(file.id, 60);
    expect(await (await fetch(address.url)).text()).toBe('hello');
  });

  it('above 8 MB are sent in parts, from where they were', async () => {
    const bytes = new Uint8Array(20 * 1024 * 1024).map((_, at) => at >> 16);
    const { sent, fetch } = recorded(({ method }, at) =>
      method === 'PATCH' && at % 3 === 0 ? new TypeError('lost') : undefined,
    );
    const seen: number[] = [];
    const kind = client({ token: secret, fetch });
    const file = await kind.file.upload(new Blob([bytes]), {
      name: 'Ä.bin',
      onProgress: ({ sent: now }) => seen.push(now),
    });
    expect(file).toMatchObject({ name: 'Ä.bin', bytes: bytes.length });
    expect(sent.filter(({ method }) => method === 'HEAD').length).toBeGreaterThan(0);
    expect([seen[0], seen.at(-1)]).toEqual([0, bytes.length]);
    const { url: address } = await kind.file.url(file.id);
    expect(Buffer.from(await (await globalThis.fetch(address)).arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('of which nothing stays where the upload is stopped', async () => {
    const stop = new AbortController();
    const { sent, fetch } = recorded(({ method }) => {
      if (method === 'PATCH') stop.abort();
      return undefined;
    });
    const kind = client({ token: secret, fetch });
    const upload = kind.file.upload(new Blob([new Uint8Array(9 * 1024 * 1024)]), { signal: stop.signal });
    await expect(upload.result()).rejects.toThrow(/abort/);
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'HEAD', 'PATCH', 'DELETE']);
    const { url: address, headers } = sent.at(-1)!;
    expect((await globalThis.fetch(address, { method: 'HEAD', headers })).status).toBe(404);
  });
});

describe('a live list', () => {
  const settled = (pages: readonly Page<{ readonly title: string }>[]) => pages.at(-1)?.items.map(({ title }) => title);

  it('stays right, with and without an order', async () => {
    const [plain, ordered]: [Page<{ readonly title: string }>[], Page<{ readonly title: string }>[]] = [[], []];
    const filter = { filter: (f) => f.startswith('title', 'live'), include: ['title', 'size'] } satisfies Parameters<
      typeof admin.task.live
    >[0];
    const ends = [
      admin.task.live(filter, (page) => plain.push(page)),
      admin.task.live({ ...filter, order: ['-size'], limit: 2 }, (page) => ordered.push(page)),
    ];
    const both = () => [settled(plain), settled(ordered)];
    await expect.poll(both).toEqual([[], []]);
    const one = await admin.task.create({ title: 'live 1', size: 1 });
    await admin.task.create([
      { title: 'live 2', size: 2 },
      { title: 'live 3', size: 3 },
    ]);
    await expect.poll(both).toEqual([
      ['live 1', 'live 2', 'live 3'],
      ['live 3', 'live 2'],
    ]);
    await admin.task.update(one.id, { size: { $inc: 8 } });
    await expect.poll(both).toEqual([
      ['live 1', 'live 2', 'live 3'],
      ['live 1', 'live 3'],
    ]);
    await admin.task.remove(one.id);
    await expect.poll(both).toEqual([
      ['live 2', 'live 3'],
      ['live 3', 'live 2'],
    ]);
    for (const end of ends) end();
    const told = [plain.length, ordered.length];
    await admin.task.removeAll((f) => f.startswith('title', 'live'));
    expect([plain.length, ordered.length]).toEqual(told);
  });

  it('is opened again after a break, and ends with a refusal', async () => {
    const pages: Page<unknown>[] = [];
    const { sent, fetch } = recorded(({ url: at }, count) =>
      at.endsWith('/live') && count === 1 ? new Response('retry: 1\n\n') : undefined,
    );
    const end = client({ token: secret, fetch }).task.live({}, (page) => pages.push(page));
    await expect.poll(() => pages.length).toBe(1);
    expect(sent).toHaveLength(2);
    end();
    const errors: unknown[] = [];
    client().task.live({}, () => undefined, { onError: (error) => errors.push(error) });
    await expect.poll(() => errors).toMatchObject([{ status: 401, code: 'token.missing' }]);
  });
});

function signUp(username: string): object {
  const credentials = { username, password: 'correct horse 2' };
  return { ...credentials, kind_system_user: { ...credentials, email: `${username}@example.com` } };
}
