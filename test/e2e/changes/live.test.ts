/** `POST /live`: what readers of lists are sent. */
import { expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, tokensOf } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { follow, type LiveReader } from '../../support/live.js';
import { makeKey } from '../../support/keys.js';
import { lowerLimit } from '../../support/limits.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sharedService, startTestService, TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const me = (await ok(ann.get('/auth/me'))) as { id: string };
const open = { create: 'member', update: 'member', read: 'member', delete: 'member', link: 'member' };
await project.post('/link/unit', { id: 'about' });
await ok(project.put('/kind/unit/person', { parameters: [{ id: 'city', kind_id: 'string' }] }));
await defineKinds(
  project,
  {
    id: 'task',
    changes: 'feed',
    access: open,
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'count', kind_id: 'integer' },
      { id: 'price', kind_id: 'decimal' },
      { id: 'size', kind_id: 'float' },
      { id: 'done', kind_id: 'boolean' },
      { id: 'due', kind_id: 'date' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'more', kind_id: 'json' },
    ],
  },
  { id: 'team', changes: 'feed', access: open, parameters: [{ id: 'open', kind_id: 'boolean' }] },
  {
    id: 'note',
    changes: 'feed',
    access: {
      ...open,
      read: ['eq(owner,@member.id)', 'eq(shared,true)', 'eq(team.open,true)', 'eq(place,@member.city)'],
    },
    parameters: [
      { id: 'owner', kind_id: 'string' },
      { id: 'shared', kind_id: 'boolean' },
      { id: 'level', kind_id: 'integer' },
      { id: 'place', kind_id: 'string' },
      { id: 'team', kind_id: 'unit', reference_kind: 'team' },
    ],
  },
  { id: 'off', parameters: ['title'], access: open },
);

const create = async (kind: string, body: object, caller: TestProject = project) =>
  (await ok(caller.post(`/${kind}/unit`, body))) as { id: string };
const member = async (name: string, body: object = {}): Promise<TestProject & { readonly memberId: string }> => {
  const { id } = await create('person', { username: name, email: `${name}@person.example`, ...body });
  const { access_token } = await tokensOf(project, 'person', id);
  return Object.assign(project.as(access_token), { memberId: id });
};
/** The list has what a request for it answers now, at the latest a while later. */
async function expectSame(
  live: LiveReader,
  caller: TestProject,
  lists: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [as, path] of Object.entries(lists)) {
    const list = async () =>
      ((await ok(caller.get(`${path}${path.includes('?') ? '&' : '?'}limit=1000`))) as { items: { id: string }[] })
        .items;
    const byId = (units: Iterable<{ readonly id: string }>) => [...units].sort((a, b) => (a.id < b.id ? -1 : 1));
    const same = async () =>
      JSON.stringify(byId(await list())) === JSON.stringify(byId(live.lists.get(as)?.values() ?? []));
    for (const end = performance.now() + 8000; !(await same()) && performance.now() < end;) {
      await live.until(() => false, 100).catch(() => undefined);
    }
    expect(byId(live.lists.get(as)?.values() ?? []), `${as} ${path}`).toEqual(byId(await list()));
  }
}

it('begins with the page, and tells what changes', async () => {
  const one = await create('task', { title: 'one', count: 1 });
  const live = await follow(ann, {
    tasks: '/task/unit?order=title&filter=gt(count,0)',
    unit: `/task/unit/${one.id}?include=[title]`,
  });
  const page = await live.next('page');
  expect(page).toMatchObject({ as: 'tasks', count: 1, items: [{ id: one.id }] });
  expect(page.versions).toHaveLength(1);
  expect(live.events[1]).toMatchObject({ event: 'page', as: 'unit', count: 1, items: [{ title: 'one' }] });
  expect(live.retry).toBeGreaterThanOrEqual(1000);
  expect(live.retry).toBeLessThanOrEqual(10_000);
  expect(live.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  const two = await create('task', { title: 'two', count: 1 });
  expect(await live.next('insert')).toMatchObject({ as: 'tasks', unit: { id: two.id, title: 'two' } });
  const edited = await project.put(`/task/unit/${one.id}`, { title: 'uno' });
  const update = await live.next('update');
  expect(update).toMatchObject({ as: 'tasks', unit: { id: one.id, title: 'uno' } });
  const [, version = ''] = /^"(\w+)-/.exec(edited.headers.get('etag') ?? '') ?? [];
  expect(update.version).toBe(parseInt(version, 36));
  await ok(project.put(`/task/unit/${one.id}`, { count: 0 }));
  expect(await live.next('leave')).toMatchObject({ as: 'tasks', id: one.id });
  await ok(project.delete(`/task/unit/${two.id}`));
  expect(await live.next('delete')).toMatchObject({ as: 'tasks', id: two.id });
  expect(live.events.filter(({ as }) => as === 'tasks').map(({ event }) => event)).toEqual([
    'page',
    'insert',
    'update',
    'leave',
    'delete',
  ]);
  expect(live.events.filter(({ as }) => as === 'unit').map(({ event }) => event)).toEqual(['page', 'update', 'update']);
  live.close();
});

it('sends every text on one line, whatever ends a line elsewhere', async () => {
  const live = await follow(ann, { a: '/task/unit' });
  const odd = [
    'a\nb\r\nc\rd\n\nevent: end\ndata: {}\n\n',
    ': no comment\u0085\u2028\u2029\u000b\u000c\ufeff\u001e',
    'data: \\u0000 \\n \\ud83d \u{1f469}\u200d\u{1f680} e\u0301 \u{10ffff}',
    `${'\u{1f680}\n'.repeat(40_000)}`,
  ];
  for (const title of odd) {
    const { id } = await create('task', { title, tags: odd, more: { [odd[0] ?? '']: odd } });
    await live.until(() => live.lists.get('a')?.has(id) === true);
    expect(live.lists.get('a')?.get(id)).toMatchObject({ title, tags: odd, more: { [odd[0] ?? '']: odd } });
  }
  // What is stored as it was written has its line ends too.
  const laidOut = '{"title": "laid out", "more":\r\n {"a":\n\n [1,\r 2]}}';
  const { id } = (await ok(project.post('/task/unit', laidOut))) as { id: string };
  await live.until(() => live.lists.get('a')?.has(id) === true);
  const page = await (await follow(ann, { b: '/task/unit' })).next('page');
  expect(new Map(page.items?.map((unit) => [unit.id, unit]))).toEqual(live.lists.get('a'));
  live.close();
  await ok(project.delete('/task/unit?filter=ne(title,null)'));
});

it('judges filters of every type as lists do, for several readers with values of their own', async () => {
  const values = {
    title: 'it',
    count: 3,
    price: '1.50',
    size: 0.1,
    done: true,
    due: '2026-01-02',
    tags: ['a', 'b'],
    more: { a: [1] },
  };
  const others = {
    title: 'no',
    count: 7,
    price: '2',
    size: 0.2,
    done: false,
    due: '2026-03-02',
    tags: ['c'],
    more: { a: 2 },
  };
  const filters = [
    ['eq(title,it)', 'eq(title,no)'],
    ['in(title,[it,x])', 'in(title,[no,"a\\"b"])'],
    ['eq(count,3)', 'eq(count,7)'],
    ['gt(count,5)', 'gt(count,1)'],
    ['eq(price,1.5)', 'eq(price,2.0)'],
    ['lt(size,0.15)', 'lt(size,9)'],
    ['eq(done,true)', 'eq(done,false)'],
    ['gte(due,2026-02-01)', 'gte(due,2026-01-01)'],
    ['contains(tags,a)', 'contains(tags,c)'],
    ['eq(more.a,2)', 'eq(more.a,3)'],
    ['icontains(title,I)', 'startswith(title,n)'],
    ['not(eq(title,it))', 'not(eq(title,no))'],
    ['isnull(title)', 'isnull(count)'],
  ];
  const readers = await Promise.all(
    [ann, project, await member('cas')].map(async (caller, at) => {
      const lists = Object.fromEntries(
        filters.map((pair, n) => [`l${n}`, `/task/unit?filter=${encodeURIComponent(pair[at % 2] ?? '')}`]),
      );
      return { caller, lists, live: await follow(caller, lists) };
    }),
  );
  const units = [await create('task', values), await create('task', others), await create('task', {})];
  await ok(project.put(`/task/unit/${units[0]?.id ?? ''}`, others));
  await ok(project.put(`/task/unit/${units[1]?.id ?? ''}`, values));
  for (const { caller, lists, live } of readers) await expectSame(live, caller, lists);
  await ok(project.delete(`/task/unit/${units[1]?.id ?? ''}`));
  for (const { caller, lists, live } of readers) {
    await expectSame(live, caller, lists);
    expect(live.events.filter(({ event }) => event === 'page')).toHaveLength(filters.length);
    live.close();
  }
});

it('lists begun at any moment among writers are the later lists, each change once', async () => {
  const teams = [await create('team', { open: true }), await create('team', { open: false })];
  const callers = [project, ...(await Promise.all(['lia', 'max', 'noa'].map((name) => member(name, { city: name }))))];
  const ids = callers.slice(1).map((caller) => (caller as unknown as { memberId: string }).memberId);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
  const until = performance.now() + 4000;
  const writer = async (): Promise<void> => {
    const own: string[] = [];
    while (performance.now() < until) {
      const body = {
        owner: pick(ids),
        shared: Math.random() < 0.3,
        level: Math.floor(Math.random() * 4),
        team: pick([null, ...teams])?.id ?? null,
        place: pick(['lia', 'x', 'y']),
      };
      const chance = Math.random();
      if (own.length < 3 || chance < 0.3) own.push((await create('note', body)).id);
      else if (chance < 0.85) await ok(project.put(`/note/unit/${pick(own)}`, body));
      else await ok(project.delete(`/note/unit/${own.shift() ?? ''}`));
    }
  };
  const writers = Promise.all(Array.from({ length: 5 }, writer));
  const paths = [
    '/note/unit?limit=1000',
    '/note/unit?filter=gt(level,1)&limit=1000',
    '/note/unit?filter=eq(team.open,true)&limit=1000',
    '/note/unit?filter=eq(shared,false)&order=-level&limit=1000',
  ];
  const begin = async (at: number) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3000));
    const caller = callers[at % callers.length] as TestProject;
    const lists = { one: pick(paths), two: pick(paths) };
    return { caller, lists, live: await follow(caller, lists) };
  };
  const begun = await Promise.all(Array.from({ length: 20 }, (_, at) => begin(at)));
  await writers;
  for (const { caller, lists, live } of begun) {
    const plain = Object.fromEntries(
      Object.entries(lists).map(([as, path]) => [as, path.replace(/[?&]limit=1000/, '')]),
    );
    await expectSame(live, caller, plain);
    for (const as of Object.keys(lists)) {
      const seen = new Map<string, number>();
      for (const { event, items = [], versions = [], unit, id = unit?.id ?? '', version = 0 } of live.events.filter(
        (each) => each.as === as,
      )) {
        if (event === 'page') {
          seen.clear();
          items.forEach((item, n) => seen.set(item.id, versions[n] ?? 0));
        } else {
          expect(version, 'no change comes twice').toBeGreaterThan(seen.get(id) ?? 0);
          seen.set(id, version);
        }
      }
    }
    live.close();
  }
});

it('what changes through a reference, a link, the member or the model comes as a page', async () => {
  const team = await create('team', { open: false });
  const [note, task] = [
    await create('note', { owner: 'bob', team: team.id, place: 'rome' }),
    await create('task', { title: 'linked' }),
  ];
  const bea = await member('bea');
  const lists = {
    notes: `/note/unit?filter=eq(id,${note.id})`,
    linked: `/task/unit?filter=linked(about,child,note,eq(id,${note.id}))`,
  };
  const live = await follow(bea, { notes: lists.notes });
  const links = await follow(project, { linked: lists.linked });
  expect(live.ids('notes')).toEqual([]);
  const pages = async (reader: LiveReader, number: number) => {
    await reader.until(() => reader.events.filter(({ event }) => event === 'page').length === number);
    return performance.now();
  };
  const started = performance.now();
  await ok(project.put(`/team/unit/${team.id}`, { open: true }));
  expect((await pages(live, 2)) - started).toBeLessThan(3000);
  expect(live.ids('notes')).toEqual([note.id]);
  await ok(project.put(`/team/unit/${team.id}`, { open: false }));
  await pages(live, 3);
  expect(live.ids('notes')).toEqual([]);
  await ok(project.put(`/person/unit/${bea.memberId}`, { city: 'rome' }));
  await pages(live, 4);
  expect(live.ids('notes')).toEqual([note.id]);
  await ok(project.put(`/person/unit/${me.id}`, { city: 'pisa' }));
  await ok(project.post(`/task/unit/${task.id}/link/about/note/unit/${note.id}`));
  await pages(links, 2);
  expect(links.ids('linked')).toEqual([task.id]);
  await ok(
    project.put('/kind/unit/note', {
      parameters: [
        'owner',
        'shared',
        'level',
        'place',
        'team',
        { id: 'extra', kind_id: 'string', default_string: 'new' },
      ],
    }),
  );
  await pages(live, 5);
  expect(live.events.at(-1)?.items).toMatchObject([{ extra: 'new' }]);
  expect(live.events.map(({ event }) => event)).toEqual(Array.from({ length: 5 }, () => 'page'));
  for (const each of [live, links]) each.close();
});

it('is read again where a rule has the time of now', async () => {
  lowerLimit('liveReadSeconds', 1);
  await defineKinds(project, {
    id: 'slot',
    changes: 'feed',
    access: { ...open, read: 'lt(begins,@now)' },
    parameters: [{ id: 'begins', kind_id: 'datetime' }],
  });
  const live = await follow(await member('moe'), { a: '/slot/unit' });
  const { id } = await create('slot', { begins: new Date(Date.now() + 1000).toISOString() });
  await live.until(() => live.lists.get('a')?.has(id) === true);
  expect(live.events.map(({ event, count }) => [event, count])).toEqual([
    ['page', 0],
    ['page', 1],
  ]);
});

it('ends, and says why', async () => {
  await defineKinds(project, { id: 'short', changes: 'feed', access: open, parameters: ['title'] });
  const [dan, eve] = [await member('dan'), await member('eve')];
  const [one, two, three] = [
    await follow(dan, { a: '/short/unit' }),
    await follow(eve, { a: '/task/unit', b: '/short/unit' }),
    await follow(project, { a: '/short/unit' }),
  ];
  const started = performance.now();
  await ok(dan.post('/auth/signout'));
  expect(await one.next('end')).toMatchObject({ code: 'token.revoked' });
  expect(performance.now() - started).toBeLessThan(2000);
  await one.until(() => one.ended);
  await ok(project.put('/kind/unit/short', { access: { ...open, read: 'admin' } }));
  expect(await two.next('end')).toMatchObject({ as: 'b', code: 'access.denied' });
  await ok(project.put('/kind/unit/short', { active: false }));
  expect(await three.next('end')).toMatchObject({ as: 'a', code: 'kind.inactive' });
  await ok(project.put('/kind/unit/short', { active: true }));
  const four = await follow(project, { a: '/short/unit' });
  await ok(project.delete('/kind/unit/short?cascade=true'));
  expect(await four.next('end')).toMatchObject({ as: 'a', code: 'kind.unknown' });
  lowerLimit('liveSeconds', 0.2);
  const five = await follow(project, { a: '/task/unit' });
  expect(await five.next('end')).toEqual({ event: 'end', code: 'stream.old', text: expect.any(String) as string });
  await five.until(() => five.ended);
});

it('each reader is sent the parameters that it may read', async () => {
  await defineKinds(project, {
    id: 'pay',
    changes: 'feed',
    access: open,
    parameters: [
      { id: 'who', kind_id: 'string' },
      { id: 'sum', kind_id: 'integer', read_access: 'eq(who,@member.id)' },
      { id: 'inner', kind_id: 'string', hidden: true },
    ],
  });
  const readers = await Promise.all(['gus', 'hal', 'ida'].map((name) => member(name)));
  const lives = await Promise.all([...readers, project].map((reader) => follow(reader, { pays: '/pay/unit' })));
  const { id } = await create('pay', { who: readers[1]?.memberId, sum: 41, inner: 'canary' });
  const told = await Promise.all(lives.map((live) => live.next('insert')));
  expect(told.map(({ unit }) => unit?.['sum'])).toEqual([undefined, 41, undefined, 41]);
  await ok(project.put(`/pay/unit/${id}`, { who: readers[2]?.memberId, sum: 42 }));
  const edits = await Promise.all(lives.map((live) => live.next('update')));
  expect(edits.map(({ unit }) => unit?.['sum'])).toEqual([undefined, undefined, 42, 42]);
  expect(JSON.stringify(lives.map(({ events }) => events))).not.toContain('canary');
  for (const live of lives) live.close();
});

it('follows with an API key as far as its scope goes, and no longer than the key is there', async () => {
  const read = (kinds: string[]) => ({ scope: [{ kinds, operations: ['read'] }] });
  const [narrow, whole] = [await makeKey(project, read(['task', 'note'])), await makeKey(project)];
  const one = await follow(project.as(narrow.secret), { tasks: '/task/unit?limit=1', notes: '/note/unit?limit=1' });
  const two = await follow(project.as(whole.secret), { tasks: '/task/unit?limit=1' });
  const { body } = await project.as(narrow.secret).post('/live', { queries: [{ as: 'a', path: '/team/unit' }] });
  expect(body.messages[0]?.code).toBe('access.denied');
  const started = performance.now();
  await ok(project.put(`/api_key/unit/${narrow.id}`, read(['note'])));
  await ok(project.delete(`/api_key/unit/${whole.id}`));
  expect(await two.next('end')).toMatchObject({ code: 'token.revoked' });
  expect(await one.next('end')).toMatchObject({ as: 'tasks', code: 'access.denied' });
  expect(performance.now() - started).toBeLessThan(4000);
});

it('a reader that does not read is sent nothing more, and a page when it reads on', async () => {
  const live = await follow(project, { tasks: '/task/unit?filter=eq(title,large)' });
  await live.next('page');
  live.response.pause();
  const text = 'x'.repeat(200_000);
  for (let n = 0; n < 60; n++) await create('task', { title: 'large', more: { text } });
  await new Promise((resolve) => setTimeout(resolve, 500));
  live.response.resume();
  await expectSame(live, project, { tasks: '/task/unit?filter=eq(title,large)' });
  expect(live.events.filter(({ event }) => event === 'page').length).toBeGreaterThan(1);
  expect(live.events.filter(({ event }) => event === 'insert').length).toBeLessThan(60);
  live.close();
  await ok(project.delete('/task/unit?filter=eq(title,large)'));
});

it('more changes than are worth sending come as a page', async () => {
  const live = await follow(project, { tasks: '/task/unit?filter=eq(title,many)&limit=1&include=[id]' });
  await live.next('page');
  for (let n = 0; n < 3; n++)
    await ok(
      project.post(
        '/task/unit',
        Array.from({ length: 1000 }, () => ({ title: 'many' })),
      ),
    );
  await live.until(() => live.events.at(-1)?.count === 3000);
  expect(live.events.at(-1)?.event).toBe('page');
  live.close();
  await ok(project.delete('/task/unit?filter=eq(title,many)&max_affected=5000'));
});

it('refuses what cannot be followed, with the query', async () => {
  const refusals: Record<string, [object, number, string, TestProject?]> = {
    'no queries': [{ queries: [] }, 400, 'live.bad_query'],
    'another path': [{ queries: [{ as: 'a', path: '/task/aggregate' }] }, 400, 'live.bad_query'],
    'a name twice': [
      {
        queries: [
          { as: 'a', path: '/task/unit' },
          { as: 'a', path: '/task/unit' },
        ],
      },
      400,
      'live.bad_query',
    ],
    'a cursor': [{ queries: [{ as: 'a', path: '/task/unit?cursor=' }] }, 400, 'query.unknown'],
    'a search': [{ queries: [{ as: 'a', path: '/task/unit?search=a' }] }, 400, 'query.unknown'],
    'a kind that is not there': [
      {
        queries: [
          { as: 'a', path: '/task/unit' },
          { as: 'b', path: '/no/unit' },
        ],
      },
      404,
      'kind.unknown',
    ],
    'a kind that is not recorded': [{ queries: [{ as: 'a', path: '/off/unit' }] }, 400, 'changes.off'],
    'time in a filter': [
      { queries: [{ as: 'a', path: '/task/unit?filter=gt(updated_at,@now-7d)' }] },
      400,
      'filter.bad_value',
    ],
    'related units': [
      { queries: [{ as: 'a', path: '/team/unit?include=a:related(note.team)' }] },
      400,
      'query.bad_value',
    ],
    'a unit that is not there': [{ queries: [{ as: 'a', path: `/task/unit/${me.id}` }] }, 404, 'unit.unknown'],
    'no token': [{ queries: [{ as: 'a', path: '/task/unit' }] }, 401, 'token.missing', anonymous(project)],
  };
  for (const [what, [body, status, code, caller = ann]] of Object.entries(refusals)) {
    const { status: found, body: answer } = await caller.post('/live', body);
    expect([found, answer.messages[0]?.code], what).toEqual([status, code]);
  }
  const second = await ann.post('/live', {
    queries: [
      { as: 'a', path: '/task/unit' },
      { as: 'b', path: '/no/unit' },
    ],
  });
  expect(second.body.messages[0]?.operation).toBe(1);
  const keyed = await ann.post('/live', { queries: [] }, { headers: { 'idempotency-key': '"a"' } });
  expect(keyed.body.messages[0]?.code).toBe('idempotency.not_here');
  await defineKinds(project, {
    id: 'looks',
    changes: 'feed',
    access: open,
    parameters: [{ id: 'off', kind_id: 'unit', reference_kind: 'off' }],
  });
  const beyond = await ann.post('/live', { queries: [{ as: 'a', path: '/looks/unit?filter=eq(off.title,a)' }] });
  expect(beyond.body.messages).toMatchObject([
    { code: 'changes.off', text: expect.stringContaining("'off'") as string },
  ]);
});

it('six streams of a caller, and others of the project go on', async () => {
  const fay = await member('fay');
  const live = await Promise.all(Array.from({ length: 6 }, () => follow(fay, { a: '/task/unit?limit=0' })));
  const { status, body, headers } = await fay.post('/live', { queries: [{ as: 'a', path: '/task/unit' }] });
  expect([status, body.messages[0]?.code, headers.get('retry-after')]).toEqual([429, 'stream.too_many', '5']);
  const besides = await follow(ann, { a: '/task/unit?limit=0' });
  const heard = () => Promise.all([...live, besides].map((each) => each.next('insert', each.events.length)));
  const judged: string[] = [];
  for (let n = 0; n < 2; n++) {
    const stop = observeStatements(service.service.database, ({ text }) => {
      if (n === 1 && text.includes('_live')) judged.push(text);
    });
    const hearing = heard();
    await create('task', { title: 'for all' });
    await hearing;
    stop();
  }
  expect(judged, 'one statement for all, once they were told together').toHaveLength(1);
  besides.close();
  for (const each of live) each.close();
});

it('tells what another process has written, and ends when its own stops', async () => {
  const other = await startTestService({ accessTokenTtl: 4000 });
  const there = new TestProject(other.service, project.id, project.token);
  const token = (await tokensOf(there, 'person', me.id)).access_token;
  const short = await follow(there.as(token), { tasks: '/task/unit?limit=1' });
  const live = await follow(there, { tasks: '/task/unit?filter=eq(title,elsewhere)' });
  await live.next('page');
  const started = performance.now();
  const { id } = await create('task', { title: 'elsewhere' });
  expect(await live.next('insert')).toMatchObject({ unit: { id } });
  expect(performance.now() - started).toBeLessThan(1500);
  expect(await short.next('end')).toMatchObject({ code: 'token.expired' });
  await other.service.stop();
  expect(await live.next('end')).toMatchObject({ code: 'server.stopping' });
  expect(await query(project, 'SELECT 1 FROM $schema._feed')).toHaveLength(1);
});
