/** Every step of a dotted path is subject to the rules and field access of its kind, in queries and in rules. */
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, expectNoDrift, ok } from '../../support/definitions.js';
import { scenarios } from '../../support/scenario.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
const nobody = anonymous(project);
const reference = (id: string, kind = id, more: object = {}) => ({
  id,
  kind_id: 'unit',
  reference_kind: kind,
  ...more,
});
const text = (id: string, more: object = {}) => ({ id, kind_id: 'string', ...more });
const { items: people } = (await ok(project.get('/person/unit?limit=1'))) as { items: { id: string }[] };
const ann = people[0]?.id ?? '';

await defineKinds(
  project,
  { id: 'vault', access: { read: 'admin' }, parameters: [text('name'), text('hint')] },
  { id: 'asleep', parameters: ['name'] },
  { id: 'continent', parameters: ['name'], access: { read: 'anyone' } },
  {
    id: 'country',
    access: { read: 'eq(keeper,@member.id)' },
    parameters: [
      'name',
      text('plan', { hidden: true }),
      text('budget', { read_access: 'admin' }),
      text('notes', { read_access: 'nobody' }),
      reference('keeper', 'person'),
      reference('continent'),
      reference('store', 'vault'),
      reference('rival', 'continent', { read_access: 'admin' }),
      { id: 'extra', kind_id: 'json' },
    ],
  },
  {
    id: 'city',
    access: { read: 'anyone' },
    parameters: [
      'name',
      reference('country'),
      'store',
      reference('nap', 'asleep'),
      'rival',
      'continent',
      reference('twin', 'city'),
    ],
  },
);
await ok(project.put('/kind/unit/asleep', { active: false }));

const make = async (kind: string, body: object = {}): Promise<string> =>
  await createdId(project.post(`/${kind}/unit`, body));
const africa = await make('continent', { name: 'Africa' });
const europe = await make('continent', { name: 'Europe' });
const open = await make('country', {
  name: 'Open',
  keeper: ann,
  continent: europe,
  budget: 'b',
  plan: 'p',
  extra: { k: 1 },
});
const closed = await make('country', { name: 'Closed', continent: africa, extra: { k: 2 } });
const store = await make('vault', { name: 'gold', hint: 'x' });
await ok(
  project.post('/city/unit', [
    { name: 'a', country: open, store },
    { name: 'b', country: closed },
    { name: 'c' },
    { name: 'd', country: closed, rival: africa, continent: europe },
  ]),
);

it('with nest has the id of a unit that the caller may not read, as its own unit has, and no value of it', async () => {
  const query = 'nest=true&include=name,country.name,country.continent.name,country.extra.k&order=name';
  const { items } = (await ok(member.get(`/city/unit?${query}`))) as { items: unknown[] };
  const extra = (k: number | null) => ({ extra: { k } });
  expect(items).toEqual([
    { name: 'a', country: { id: open, name: 'Open', continent: { id: europe, name: 'Europe' }, ...extra(1) } },
    { name: 'b', country: { id: closed, name: null, continent: null, ...extra(null) } },
    { name: 'c', country: null },
    { name: 'd', country: { id: closed, name: null, continent: null, ...extra(null) } },
  ]);
  for (const path of ['country.budget', 'country.notes', 'store.name', 'rival.name', 'nap.name'])
    expect((await member.get(`/city/unit?nest=true&include=${path}`)).status, path).toBeGreaterThanOrEqual(400);
});

describe('what the caller may not name', () => {
  scenarios(
    { member, project, nobody },
    ['filter=eq(PATH,x)', 'order=PATH;asc', 'include=PATH', 'filter=isnull(PATH)&cursor='].flatMap((query) => {
      const row = (path: string, as: 'member' | 'project' | 'nobody', status: number, code?: string) => ({
        name: `${query.replace('PATH', path)} as ${as}`,
        request: `GET /city/unit?${query.replace('PATH', path)}`,
        as,
        expect: { status, ...(code !== undefined && { code: code as 'access.denied' }) },
      });
      return [
        // A kind that is not to be read: 403, whatever it has.
        row('store.name', 'member', 403, 'access.denied'),
        row('store.nope', 'member', 403, 'access.denied'),
        row('country.store.name', 'member', 403, 'access.denied'),
        row('store.name', 'nobody', 401, 'token.missing'),
        row('store.nope', 'nobody', 401, 'token.missing'),
        row('country.name', 'nobody', 401, 'token.missing'),
        row('continent.name', 'nobody', 200),
        row('store.name', 'project', 200),
        row('nap.name', 'member', 403, 'kind.inactive'),
        // Fields: hidden ones are not there, of protected ones it is told that they are not to be read.
        row('country.plan', 'member', 400),
        row('country.plan', 'project', 400),
        row('country.budget', 'member', 403, 'access.denied'),
        row('country.budget.x', 'member', 403, 'access.denied'),
        row('country.budget', 'project', 200),
        row('country.notes', 'project', 403, 'access.denied'),
        row('country.rival.name', 'member', 403, 'access.denied'),
        row('rival.name', 'member', 403, 'access.denied'),
        row('rival.name', 'nobody', 400),
        row('country.name', 'member', 200),
      ];
    }),
  );

  it.each(['plan', 'zzzz'])('a hidden field is rejected like an unknown one: %s', async (name) => {
    const answers = ['filter=eq(country.NAME,x)', 'order=country.NAME;asc', 'include=country.NAME'].map(
      async (query) => {
        const { status, body } = await member.get(`/city/unit?${query.replace('NAME', name)}`);
        return { status, messages: JSON.stringify(body.messages).replaceAll(name, 'NAME') };
      },
    );
    expect(await Promise.all(answers)).toEqual([
      expect.objectContaining({ status: 400 }),
      expect.objectContaining({ status: 400 }),
      expect.objectContaining({ status: 400 }),
    ]);
    expect((await answers[0])?.messages).toContain("no parameter 'NAME' in 'country', at character 4");
  });

  it('access is checked before other faults of the query', async () => {
    const reply = await member.get('/city/unit?filter=eq(store.name,x)&order=nope;asc&include=nope');
    expect(reply).toMatchObject({ status: 403, body: { messages: [{ code: 'access.denied' }] } });
    expect(reply.body.messages).toHaveLength(1);
  });
});

/** Everything that a member can ask over these references. */
const QUESTIONS = [
  'country.name',
  'country.continent.name',
  'country.extra.k',
  'country.id',
  'country.kind_id',
].flatMap((path) => [
  ...['Closed', 'Africa', 'Europe', 'Zed', '2', '3', 'country']
    .flatMap((value) => [
      `filter=eq(${path},${value})`,
      `filter=ne(${path},${value})`,
      `filter=not(in(${path},${value},Open))`,
    ])
    .filter((query) => !/country\.id,[A-Z0-9c]/.test(query)),
  `filter=isnull(${path})`,
  `filter=isnull(${path},false)`,
  ...['asc', 'desc'].flatMap((way) => [
    `order=${path};${way}`,
    `order=${path};${way}&cursor=&limit=2`,
    `order=${path};${way}&limit=1&include=name,${path}`,
  ]),
  `include=name,country,${path}`,
  `limit=0&filter=isnull(${path})`,
]);

const answersTo = (caller: TestProject) =>
  Promise.all(
    QUESTIONS.map(async (query) => {
      const { status, text: answer } = await caller.get(`/city/unit?${query}`);
      expect([status, query]).toEqual([200, query]);
      return `${query} ${answer}`;
    }),
  );

describe('a unit that the caller may not read', () => {
  it('counts as a null reference; its id in the referring unit remains', async () => {
    const names = async (query: string) => {
      const { items } = (await ok(member.get(`/city/unit?${query}`))) as { items: Record<string, unknown>[] };
      return items;
    };
    expect(await names('filter=isnull(country.name)&include=name')).toEqual([
      { name: 'b' },
      { name: 'c' },
      { name: 'd' },
    ]);
    expect(await names('filter=eq(country.name,Closed)')).toEqual([]);
    expect(await names('filter=eq(country.continent.name,Africa)')).toEqual([]);
    expect(await names('filter=ne(country.name,Closed)&include=name')).toHaveLength(4);
    expect(await names('order=country.name;asc&include=country,country.name,country.id')).toEqual([
      { country: open, 'country.name': 'Open', 'country.id': open },
      { country: closed, 'country.name': null, 'country.id': null },
      { country: null, 'country.name': null, 'country.id': null },
      { country: closed, 'country.name': null, 'country.id': null },
    ]);
    expect((await project.get('/city/unit?filter=eq(country.name,Closed)')).body.content.count).toBe(2);
  });

  it('has no effect on any answer: not one byte', async () => {
    const before = await answersTo(member);
    await ok(
      project.put(`/country/unit/${closed}`, {
        name: 'Zed',
        continent: europe,
        extra: { k: 3 },
        plan: 'q',
        budget: 'z',
      }),
    );
    expect(await answersTo(member)).toEqual(before);
    await ok(project.put(`/country/unit/${closed}`, { name: null, continent: null, extra: null }));
    expect(await answersTo(member)).toEqual(before);
    await ok(project.put(`/country/unit/${closed}`, { keeper: ann, name: 'Closed' }));
    expect(await answersTo(member)).not.toEqual(before);
    await ok(project.put(`/country/unit/${closed}`, { keeper: null }));
    expect(await answersTo(member)).toEqual(before);
  });

  it('is not visible through a cursor of another caller', async () => {
    const { next } = (await ok(project.get('/city/unit?order=country.name;asc&cursor=&limit=2'))) as { next: string };
    const page = (await ok(member.get(`/city/unit?order=country.name;asc&cursor=${next}&include=country.name`))) as {
      items: Record<string, unknown>[];
    };
    expect(page.items.map((item) => item['country.name'])).not.toContain('Closed');
  });
});

describe('a rule', () => {
  let own: TestProject;
  let caller: TestProject;
  let me: string;
  const units = async (as: TestProject, kind = 'task') => {
    const { items } = (await ok(as.get(`/${kind}/unit?include=title`))) as { items: { title: string }[] };
    return items.map(({ title }) => title).join(' ');
  };
  const add = (kind: string, body: object) => createdId(own.post(`/${kind}/unit`, body));

  beforeEach(async () => {
    own = await service.project();
    caller = await asMember(own);
    me = ((await ok(own.get('/person/unit'))) as { items: { id: string }[] }).items[0]?.id ?? '';
    await defineKinds(
      own,
      // Members may read neither, but a rule is evaluated with the rights of the owner.
      {
        id: 'team',
        access: { read: 'admin' },
        parameters: [reference('lead', 'person'), text('title'), text('word', { hidden: true })],
      },
      { id: 'project_', access: { read: 'admin' }, parameters: [reference('team')] },
    );
  });

  const define = (access: object) =>
    own.post('/kind/unit', { id: 'task', access, parameters: ['title', reference('job', 'project_')] });

  it('may follow references, whatever the member may read there', async () => {
    await ok(define({ read: 'eq(job.team.lead,@member.id)', create: 'or(isnull(job),eq(job.team.lead,@member.id))' }));
    const mine = await add('project_', { team: await add('team', { lead: me }) });
    const other = await add('project_', { team: await add('team', {}) });
    await ok(own.post('/task/unit', [{ title: 'a', job: mine }, { title: 'b', job: other }, { title: 'c' }]));
    expect(await units(caller)).toBe('a');
    expect(await units(own)).toBe('a b c');
    expect((await caller.get('/task/unit?limit=0')).body.content.count).toBe(1);
    const creating = await Promise.all(
      [{ job: other }, { job: null }].map((body) => caller.post('/task/unit', { title: 'd', ...body })),
    );
    expect(creating.map(({ status }) => status)).toEqual([400, 200]);
    await expectNoDrift(own);
  });

  it('may name hidden parameters, and is rejected for unknown ones', async () => {
    expect((await define({ read: 'eq(job.team.word,sesame)' })).status).toBe(200);
    for (const [rule, told] of [
      ['eq(job.team.wrd,x)', "no parameter 'wrd' in 'team' (did you mean 'word'?), at character 4"],
      ['eq(title.word,x)', "'title' leads no further"],
      ['eq(job.team.lead,@member.email)', 'of different types'],
    ]) {
      const reply = await own.put('/kind/unit/task', { access: { read: rule } });
      expect(reply).toMatchObject({ status: 400, body: { messages: [{ parameter: 'access' }] } });
      expect(reply.body.messages[0]?.text).toContain(told);
    }
  });

  it('becomes nobody when a parameter on its path is deleted, and a new one inherits nothing', async () => {
    await ok(define({ read: 'eq(job.team.word,sesame)', update: 'isnull(title)' }));
    await ok(own.delete('/string/unit/word?cascade=true'));
    const { access } = (await ok(own.get('/kind/unit/task'))) as { access: unknown };
    expect(access).toEqual({ read: 'nobody', update: 'isnull(title)' });
    await ok(own.post('/string/unit', { id: 'word' }));
    await ok(own.post('/kind/unit/team/link/parameter/string/unit/word'));
    expect(await caller.get('/task/unit')).toMatchObject({ status: 403 });
    await expectNoDrift(own);
  });

  it('becomes nobody when a reference on its path is removed from its kind', async () => {
    await ok(define({ read: 'not(isnull(job.team.title))' }));
    await ok(own.put('/kind/unit/project_', { parameters: [] }));
    expect(((await ok(own.get('/kind/unit/task'))) as { access: unknown }).access).toEqual({ read: 'nobody' });
  });

  it('is stored together with the parameters that it names', async () => {
    await ok(
      own.post('/kind/unit', {
        id: 'note',
        parameters: [{ id: 'about', kind_id: 'unit', reference_kind: 'team' }, 'title'],
        access: { read: 'eq(about.lead,@member.id)' },
      }),
    );
    await ok(own.put('/kind/unit/team', { parameters: ['lead', 'title', 'word', { id: 'flag', kind_id: 'boolean' }] }));
    await ok(own.put('/kind/unit/note', { access: { read: 'eq(about.flag,true)' } }));
    await ok(own.post('/note/unit', [{ title: 'x', about: await add('team', { flag: true }) }, { title: 'y' }]));
    expect(await units(caller, 'note')).toBe('x');
    await expectNoDrift(own);
  });
});
