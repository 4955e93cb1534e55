/** Rules in `read_access` and `write_access` of parameters: which units show a field, and in which it may be written. */
import { describe, expect, it } from 'vitest';
import { defineKinds, signUp, tokensOf, withMembers } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { Reply, TestProject } from '../../support/service.js';

const JOB = `
import { kind } from 'kind';
const job = kind('job');
export default job.module({
  functions: {
    reads: job.function({ description: 'Reads all', run: async ({ units }) => (await units('job').list()).items }),
    filters: job.function({ description: 'Filters', run: async ({ units }) => (await units('job').list({ filter: 'gt(pay,1)' })).count }),
    asSystem: job.function({ description: 'As the system', run: async ({ system }) => (await system.units('job').list({ filter: 'gt(pay,1)' })).count }),
  },
  unitFunctions: { own: job.unitFunction({ description: 'Its unit', run: ({ unit }) => unit }) },
});`;

/** Closes what is closing. */
const FORM = `
import { kind } from 'kind';
const closes = ({ values }) => (values.state === 'closing' ? { state: 'closed' } : undefined);
export default kind('form').module({ hooks: { before_create: closes, before_update: closes } });`;

const functions = new FunctionsFolder({ 'job.ts': JOB, 'form.ts': FORM });
const service = await sharedServiceWith(functions);
const root = await withMembers(await service.project());
const OWN = 'eq(owner,@member.id)';

await defineKinds(
  root,
  {
    id: 'job',
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'pay', kind_id: 'integer', read_access: [OWN, 'eq(title,open)'] },
      { id: 'code', kind_id: 'string', unique: true, read_access: OWN },
      { id: 'notes', kind_id: 'json', read_access: OWN },
      { id: 'words', kind_id: 'text', search: 'simple', read_access: OWN },
      { id: 'stage', kind_id: 'string', default_string: 'new', write_access: 'in(title,[open,draft])' },
      { id: 'sealed', kind_id: 'string', write_once: true, read_access: OWN },
      { id: 'boss', kind_id: 'unit', reference_kind: 'person', read_access: OWN },
    ],
  },
  {
    id: 'task',
    parameters: [{ id: 'job', kind_id: 'unit', reference_kind: 'job' }, 'title'],
  },
);
await ok(root.post('/group/unit', { id: 'work', kind_list: ['job', 'task'] }));
const [ada, bob] = [await signUp(root, 'ada'), await signUp(root, 'bob')];
const [asAda, asBob] = [root.as(ada.accessToken), root.as(bob.accessToken)];

interface Job {
  readonly id: string;
}

async function job(values: object): Promise<string> {
  return ((await ok(root.post('/job/unit', values))) as Job).id;
}

const secret = { pay: 5, code: 'c1', notes: { k: 1 }, words: 'alpha', sealed: 's' };
const adas = await job({ ...secret, title: 'closed', owner: ada.id, boss: bob.id });
const bobs = await job({ ...secret, code: 'c2', title: 'closed', owner: bob.id, boss: ada.id });
const open = await job({ ...secret, code: 'c3', title: 'open', owner: bob.id });
const task = ((await ok(root.post('/task/unit', { title: 'a task', job: bobs }))) as Job).id;
await ok(root.post(`/task/unit/${task}/link/link/job/unit/${bobs}`));

const HIDDEN = ['pay', 'code', 'notes', 'words', 'sealed', 'boss'];
const shown = (unit: object) => HIDDEN.filter((name) => Object.hasOwn(unit, name));

describe('a field with a rule to read', () => {
  it('is left out of units of which the rule does not hold', async () => {
    const unitOf = async (caller: TestProject, id: string) =>
      shown((await ok(caller.get(`/job/unit/${id}`))) as object);
    expect(await unitOf(asAda, adas)).toEqual(HIDDEN);
    expect(await unitOf(asAda, bobs)).toEqual([]);
    expect(await unitOf(asAda, open)).toEqual(['pay']);
    expect(await unitOf(root, bobs)).toEqual(HIDDEN);
  });

  const lists = [
    '/job/unit',
    '/job/unit?include=[*]',
    '/job/unit?include=[id,pay,code,notes,words,sealed,boss]',
    '/job/unit?cursor=&limit=10',
    '/job/unit?limit=500',
    '/job/unit?load_links=true',
    '/group/work/unit?filter=eq(kind_id,job)',
    '/group/work/unit?filter=eq(kind_id,job)&include=[id,pay,code,notes,words,sealed,boss]',
    '/group/work/unit?cursor=&filter=eq(kind_id,job)',
  ];
  it.each(lists)('is left out in %s', async (path) => {
    const { items } = (await ok(asAda.get(path))) as { items: (Job & object)[] };
    const byId = new Map(items.map((item) => [item.id, shown(item)]));
    expect(byId).toEqual(
      new Map([
        [adas, HIDDEN],
        [bobs, []],
        [open, ['pay']],
      ]),
    );
  });

  it('is left out of lists that are asked for again and again, by one member and another', async () => {
    const named = { ada: [] as string[], bob: [] as string[], root: [] as string[] };
    for (let round = 0; round < 4; round++) {
      for (const [name, caller] of [
        ['ada', asAda],
        ['bob', asBob],
        ['root', root],
      ] as const) {
        const { items } = (await ok(caller.get('/job/unit?include=[id,pay]&order=title'))) as {
          items: (Job & object)[];
        };
        named[name].push(
          items
            .flatMap((item) => ('pay' in item ? [item.id] : []))
            .sort()
            .join(),
        );
      }
    }
    const four = (ids: readonly string[]) => Array.from({ length: 4 }, () => [...ids].sort().join());
    expect(named).toEqual({ ada: four([adas, open]), bob: four([bobs, open]), root: four([adas, bobs, open]) });
  });

  it('is left out of single units, however they are got', async () => {
    for (const path of [`/group/work/unit/${bobs}`, `/job/unit/${bobs}?include=pay`, `/job/by/id/${bobs}`]) {
      expect([path, shown((await ok(asAda.get(path))) as object)]).toEqual([path, []]);
    }
    expect(await ok(asAda.get(`/job/unit/${bobs}?include=pay`))).toEqual({});
    expect(await ok(asAda.get(`/job/unit/${bobs}?include=[pay,notes.k]`))).toEqual({});
    expect(await ok(asAda.get(`/job/unit/${adas}?include=[pay,notes.k]`))).toEqual({ pay: 5, 'notes.k': 1 });
    expect(await ok(asAda.get(`/job/unit/${bobs}?exclude=title`))).toMatchObject({ id: bobs });
  });

  it('is left out behind references, with and without nest', async () => {
    const path = `/task/unit/${task}?include=[title,job.title,job.pay,job.boss.username,job.notes.k]`;
    expect(await ok(asAda.get(path))).toEqual({ title: 'a task', 'job.title': 'closed' });
    expect(await ok(asAda.get(`${path}&nest=true`))).toEqual({
      title: 'a task',
      job: { id: bobs, title: 'closed', notes: {} },
    });
    expect(await ok(asBob.get(path))).toMatchObject({ 'job.pay': 5, 'job.notes.k': 1, 'job.boss.username': null });
    expect(await ok(asBob.get(`${path}&nest=true`))).toMatchObject({ job: { pay: 5, boss: { id: ada.id } } });
    const list = (await ok(asAda.get('/task/unit?include=[job.pay,job.title]'))) as { items: object[] };
    expect(list.items).toEqual([{ 'job.title': 'closed' }]);
    // A reference to no unit has no values to hide.
    const empty = ((await ok(root.post('/task/unit', { title: 'none' }))) as Job).id;
    expect(await ok(asAda.get(`/task/unit/${empty}?include=[job.pay,job.title]`))).toEqual({
      'job.pay': null,
      'job.title': null,
    });
    await ok(root.delete(`/task/unit/${empty}`));
  });

  it('is left out of units that links and references lead to', async () => {
    const linked = (await ok(asAda.get(`/task/unit/${task}/link/child`))) as { items: object[] };
    expect(linked.items.map(shown)).toEqual([[]]);
    const walked = (await ok(asAda.get(`/task/unit/${task}/link/child?include=[id,pay]`))) as { items: object[] };
    expect(walked.items).toMatchObject([{ id: bobs }]);
    expect(walked.items.map(shown)).toEqual([[]]);
    const again = (await ok(asBob.get(`/task/unit/${task}/link/child`))) as { items: object[] };
    expect(again.items.map(shown)).toEqual([HIDDEN]);
    const way = (await ok(asAda.get(`/task/unit/${task}/link/path?to_kind=job&to_id=${bobs}`))) as { items: object[] };
    expect(way.items.map(shown)).toEqual([[]]);
    const loaded = (await ok(asAda.get(`/task/unit/${task}?load_links=true`))) as {
      links: { child: { link: object[] } };
    };
    expect(JSON.stringify(loaded.links)).not.toContain('"pay"');
    const related = (await ok(asAda.get('/person/unit?include=[username,jobs:related(job.owner,order=-title)]'))) as {
      items: { jobs: (Job & object)[] }[];
    };
    expect(related.items.flatMap(({ jobs }) => jobs.map((each) => [each.id, shown(each)]))).toEqual([[adas, HIDDEN]]);
    const others = (await ok(root.get('/person/unit?include=[username,jobs:related(job.owner)]'))) as {
      items: { jobs: object[] }[];
    };
    expect(others.items.flatMap(({ jobs }) => jobs.map(shown))).toHaveLength(3);
  });

  it('is left out of answers to writes', async () => {
    const made = (await ok(asAda.post('/job/unit', { ...secret, code: 'c4', title: 'x', owner: bob.id }))) as Job;
    expect(shown(made)).toEqual([]);
    const edited = (await ok(asAda.put(`/job/unit/${made.id}`, { pay: 6 }))) as object;
    expect(shown(edited)).toEqual([]);
    expect(shown((await ok(asAda.put(`/job/unit/${adas}`, { pay: 5 }))) as object)).toEqual(HIDDEN);
    const many = (await ok(
      asAda.post('/job/unit', [
        { title: 'x', owner: ada.id, pay: 1 },
        { title: 'x', owner: bob.id, pay: 1 },
      ]),
    )) as { items: (Job & object)[] };
    expect(many.items.map(shown)).toEqual([HIDDEN, []]);
    for (const { id } of [made, ...many.items]) await ok(root.delete(`/job/unit/${id}`));
  });

  it('is left out of exports: of NDJSON, and empty in CSV', async () => {
    const file = async (query: string) => {
      const { text } = await asAda.get(`/job/export?filter=eq(id,${bobs})&${query}`);
      return text.trim().split(/\r?\n/);
    };
    expect((await file('format=ndjson&include=[title,pay,boss]')).map((line) => JSON.parse(line) as unknown)).toEqual([
      { title: 'closed' },
    ]);
    expect(await file('include=[title,pay,notes,notes.k]')).toEqual(['title,pay,notes,notes.k', 'closed,,,']);
    const own = await asAda.get(`/job/export?filter=eq(id,${adas})&include=[title,pay]`);
    expect(own.text.trim().split(/\r?\n/)).toEqual(['title,pay', 'closed,5']);
    expect((await asAda.get('/job/export?filter=gt(pay,1)')).status).toBe(403);
  });

  it('is written by an import only where its rule holds', async () => {
    const csv = 'title,stage\nclosed,old\nopen,old\n';
    const headers = { 'content-type': 'text/csv' };
    const all = await asAda.call('POST', '/job/import', csv, { headers });
    expect(all).toMatchObject({ status: 400, body: { messages: [{ code: 'access.denied' }] } });
    const some = await asAda.call('POST', '/job/import?errors=skip', csv, { headers });
    expect(some.body.content).toMatchObject({ created: 1, failed: 1 });
    const { items } = (await ok(root.get('/job/unit?filter=eq(stage,old)'))) as { items: Job[] };
    for (const { id } of items) await ok(root.delete(`/job/unit/${id}`));
  });

  it('is left out in functions, unless they act as the system', async () => {
    const read = (await ok(asAda.post('/job/function/reads'))) as (Job & object)[];
    expect(new Map(read.map((item) => [item.id, shown(item)])).get(bobs)).toEqual([]);
    expect(shown((await ok(asAda.post(`/job/unit/${bobs}/function/own`))) as object)).toEqual([]);
    expect(refusalOf(await asAda.post('/job/function/filters'))).toMatchObject({ status: 403 });
    expect(await ok(asAda.post('/job/function/asSystem'))).toBe(3);
  });

  it('is left out of a record of the member itself', async () => {
    await ok(
      root.put('/kind/unit/person', {
        parameters: [{ id: 'grade', kind_id: 'integer', read_access: 'eq(username,bob)' }],
      }),
    );
    for (const id of [ada.id, bob.id]) await ok(root.put(`/person/unit/${id}`, { grade: 3 }));
    expect(await ok(asAda.get('/auth/me'))).not.toHaveProperty('grade');
    expect(await ok(asBob.get('/auth/me'))).toHaveProperty('grade', 3);
    const signIn = (username: string) =>
      ok(root.as(undefined).post('/auth/signin', { username, password: `secret of ${username}` }));
    expect(await signIn('ada')).not.toHaveProperty('grade');
    expect(await signIn('bob')).toHaveProperty('grade', 3);
  });

  it('changes the ETag where the rule changes its mind, though the unit stays as it is', async () => {
    await ok(root.put('/kind/unit/person', { parameters: ['grade', { id: 'role', kind_id: 'string' }] }));
    await ok(root.put('/integer/unit/pay', { read_access: 'eq(@member.role,boss)' }));
    const first = await asAda.get(`/job/unit/${bobs}`);
    const etag = first.headers.get('etag') ?? '';
    expect((await asAda.get(`/job/unit/${bobs}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    await ok(root.put(`/person/unit/${ada.id}`, { role: 'boss' }));
    const second = await asAda.get(`/job/unit/${bobs}`, { headers: { 'if-none-match': etag } });
    expect(second).toMatchObject({ status: 200, body: { content: { pay: 5 } } });
    expect((await asAda.put(`/job/unit/${bobs}`, { title: 'closed' }, { headers: { 'if-match': etag } })).status).toBe(
      200,
    );
    await ok(root.put('/integer/unit/pay', { read_access: [OWN, 'eq(title,open)'] }));
  });

  const queries = [
    'unit?filter=gt(pay,1)',
    'unit?filter=not(isnull(pay))',
    'unit?filter=eq(notes.k,1)',
    'unit?filter=gt_field(pay,pay)',
    'unit?filter=near(pay,pay,1,1,20)',
    'unit?order=pay;asc',
    'unit?order=-distance(pay,pay,1,1)',
    'unit?order=pay;asc&cursor=',
    'unit?filter=eq(boss.username,ada)',
    'unit?order=boss.username',
    'aggregate?group=pay',
    'aggregate?select=[sum(pay)]',
    'aggregate?select=[first(pay)]',
    'aggregate?select=[count(eq(code,c1))]',
    'by/code/c1',
  ];
  it.each(queries)('is named by nobody but administrators in %s', async (query) => {
    expect(refusalOf(await asAda.get(`/job/${query}`))).toMatchObject({
      status: 403,
      messages: [expect.stringMatching(/^access.denied/)],
    });
    expect((await root.get(`/job/${query}`)).status).toBe(200);
  });

  const beyond = [
    '/task/unit?filter=gt(job.pay,1)',
    '/task/unit?order=job.pay',
    '/task/unit?filter=eq(job.boss.username,ada)',
    '/task/aggregate?group=job.pay',
    '/person/unit?filter=exists(job.owner,gt(pay,1))',
    '/person/unit?filter=exists(job.boss)',
    '/person/unit?order=-count_related(job.boss)',
    '/person/unit?include=[jobs:related(job.owner,order=pay)]',
    '/person/unit?include=[jobs:related(job.boss)]',
    '/task/unit?filter=linked(link,child,job,gt(pay,1))',
    '/task/unit?filter=linked(link,child,gt(pay,1))',
    '/group/work/unit?filter=gt(pay,1)',
    '/group/work/unit?order=pay',
    '/group/work/aggregate?group=pay',
    `/task/unit/${task}/link/child?filter=gt(pay,1)`,
    `/task/unit/${task}/link/child?order=pay`,
  ];
  it.each(beyond)('is named by nobody but administrators in %s', async (path) => {
    expect(refusalOf(await asAda.get(path))).toMatchObject({
      status: 403,
      messages: [expect.stringMatching(/^access.denied/)],
    });
    expect((await root.get(path)).status).toBe(200);
  });

  it('is searched by administrators alone', async () => {
    expect(await ok(root.get('/job/unit?search=alpha'))).toMatchObject({ count: 3 });
    expect(refusalOf(await asAda.get('/job/unit?search=alpha'))).toMatchObject({
      status: 400,
      messages: ['query.unknown search'],
    });
    await ok(root.put('/string/unit/title', { search: 'simple' }));
    expect(await ok(asAda.get('/job/unit?search=alpha'))).toMatchObject({ count: 0 });
    expect((await asAda.get('/job/unit?search=open&include=[snippet(words)]')).status).toBe(403);
    expect((await root.get('/job/unit?search=open&include=[snippet(words)]')).status).toBe(200);
    await ok(root.put('/string/unit/title', { search: null }));
  });

  it('is not named in a conflict, and its stored value cannot be found out by writing it once', async () => {
    expect(refusalOf(await asAda.post('/job/unit', { title: 'x', code: 'c2' }))).toMatchObject({
      status: 409,
      messages: ['unit.not_unique'],
    });
    expect(refusalOf(await root.post('/job/unit', { title: 'x', code: 'c2' })).messages).toEqual([
      'parameter.not_unique code',
    ]);
    for (const sealed of ['s', 'other']) {
      expect((await asAda.put(`/job/unit/${bobs}`, { sealed })).status).toBe(409);
    }
    expect((await asAda.put(`/job/unit/${adas}`, { sealed: 's' })).status).toBe(200);
    expect((await asAda.put(`/job/unit/${adas}`, { sealed: 'other' })).status).toBe(409);
  });

  it('is described, as some units show it, without its default; explanations tell of the unit', async () => {
    const { items } = (await ok(asAda.get('/job/struct'))) as { items: { id: string }[] };
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(HIDDEN));
    const told = (id: string) => root.get(`/job/unit/${id}/access?member=${ada.id}`);
    const names = async (id: string) => (await told(id)).body.content.parameters as { read: string[]; write: string[] };
    const [own, others] = [await names(adas), await names(bobs)];
    expect(HIDDEN.filter((id) => own.read.includes(id))).toEqual(HIDDEN);
    expect(HIDDEN.filter((id) => others.read.includes(id))).toEqual([]);
    expect([own.write.includes('stage'), (await names(open)).write.includes('stage')]).toEqual([false, true]);
  });
});

describe('a field whose rules never hold for a caller', () => {
  it('is not described to it', async () => {
    await defineKinds(root, { id: 'clerk', parameters: [{ id: 'desk', kind_id: 'string' }] });
    await ok(root.post('/group/unit/kind_auth_member/link/group/kind/unit/clerk'));
    const remark = { id: 'remark', kind_id: 'string', read_access: 'eq(@member.desk,3)', write_access: 'nobody' };
    await defineKinds(root, { id: 'leaflet', access: { read: 'anyone' }, parameters: [remark, 'title'] });
    const carl = await createdId(root.post('/clerk/unit', { username: 'carl', email: 'carl@example.com' }));
    const clerk = root.as((await tokensOf(root, 'clerk', carl)).access_token);
    const idsFor = async (by: TestProject) =>
      ((await ok(by.get('/leaflet/struct'))) as { items: { id: string }[] }).items.map(({ id }) => id);
    expect(await idsFor(clerk)).toContain('remark');
    expect(await idsFor(root)).toContain('remark');
    expect(await idsFor(asAda)).not.toContain('remark');
    expect(await idsFor(root.as(undefined))).not.toContain('remark');
    const documentFor = async (by: TestProject) =>
      JSON.stringify((await by.get('/doc/openapi.json')).body).includes('"remark"');
    expect([await documentFor(clerk), await documentFor(asAda)]).toEqual([true, false]);
  });
});

describe('a field with a rule to write', () => {
  const refused = (reply: Reply) => refusalOf(reply);

  it('must hold before and after an edit', async () => {
    expect(refused(await asAda.put(`/job/unit/${bobs}`, { stage: 'done' }))).toMatchObject({
      status: 403,
      messages: ['access.denied stage'],
    });
    expect((await asAda.put(`/job/unit/${open}`, { stage: 'done' })).body.content).toMatchObject({ stage: 'done' });
    expect(refused(await asAda.put(`/job/unit/${open}`, { stage: 'old', title: 'closed' }))).toMatchObject({
      status: 403,
      messages: ['access.denied stage'],
    });
    expect((await asAda.put(`/job/unit/${open}`, { stage: 'old', title: 'draft' })).status).toBe(200);
    expect((await asAda.put(`/job/unit/${open}`, { title: 'open' })).status).toBe(200);
    // What is not changed needs no right.
    expect((await asAda.put(`/job/unit/${bobs}`, { stage: 'new', title: 'closed' })).status).toBe(200);
    expect((await root.put(`/job/unit/${bobs}`, { stage: 'new' })).status).toBe(200);
  });

  it('must hold after a create that names it', async () => {
    expect(refused(await asAda.post('/job/unit', { title: 'closed', stage: 'new' }))).toMatchObject({ status: 403 });
    const made = (await ok(asAda.post('/job/unit', { title: 'closed' }))) as Job;
    expect(made).toMatchObject({ stage: 'new' });
    const draft = (await ok(asAda.post('/job/unit', { title: 'draft', stage: 'old' }))) as Job;
    const many = await asAda.post('/job/unit', [{ title: 'closed' }, { title: 'closed', stage: 'new' }]);
    expect(many).toMatchObject({
      status: 403,
      body: { messages: [{ code: 'access.denied', parameter: 'stage', index: 1 }] },
    });
    const some = (await ok(asAda.post('/job/unit', [{ title: 'closed' }, { title: 'open', stage: 'old' }]))) as {
      items: Job[];
    };
    expect(refused(await asAda.post('/task/unit', { job: { title: 'closed', stage: 'old' } }))).toMatchObject({
      status: 403,
    });
    for (const { id } of [made, draft, ...some.items]) await ok(root.delete(`/job/unit/${id}`));
  });
});

describe('edits by filter and upserts', () => {
  const many = (filter: string, body: object) => asAda.put(`/job/unit?filter=${filter}`, body);

  it('name fields with rules only where administrators may, and show them only where the rule holds', async () => {
    expect(refusalOf(await many('gt(pay,1)', { title: 'x' }))).toMatchObject({ status: 403 });
    expect(refusalOf(await asAda.delete('/job/unit?filter=gt(pay,1)'))).toMatchObject({ status: 403 });
    const both = `in(id,[${adas},${bobs}])`;
    const reply = await asAda.put(`/job/unit?filter=${both}&include=[id,pay]`, { title: 'closed' });
    expect(reply.body.content.items).toMatchObject([{ id: adas, pay: 5 }, { id: bobs }]);
    expect(shown((reply.body.content.items as object[])[1] ?? {})).toEqual([]);
    const upsert = await asAda.post('/job/unit?on_conflict=update&by=code', { code: 'c2', title: 'x' });
    expect(refusalOf(upsert)).toMatchObject({ status: 403 });
  });

  it('write fields with rules only where they hold', async () => {
    expect((await many(`in(id,[${open},${bobs}])`, { stage: 'late' })).status).toBe(403);
    expect((await many(`eq(id,${open})`, { stage: 'late', title: 'closed' })).status).toBe(403);
    expect((await many(`eq(id,${open})`, { stage: 'late' })).status).toBe(200);
    const units = (await ok(root.get('/job/unit?include=[id,stage]'))) as { items: (Job & { stage: string })[] };
    expect(new Map(units.items.map(({ id, stage }) => [id, stage === 'late']))).toEqual(
      new Map([
        [adas, false],
        [bobs, false],
        [open, true],
      ]),
    );
  });
});

describe('a rule to write, where hooks run', () => {
  it('must hold for what the body gives, and for what hooks make of it', async () => {
    await defineKinds(root, {
      id: 'form',
      parameters: [
        { id: 'state', kind_id: 'string' },
        { id: 'mark', kind_id: 'integer', write_access: 'in(state,[open,closing])' },
      ],
    });
    const post = async (values: object) => (await asAda.post('/form/unit', values)).status;
    expect(await post({ state: 'shut', mark: 1 })).toBe(403);
    expect(await post({ state: 'closing', mark: 1 })).toBe(403);
    expect(await post({ state: 'closing' })).toBe(200);
    const { id } = (await ok(asAda.post('/form/unit', { state: 'open', mark: 1 }))) as Job;
    const put = async (values: object) => (await asAda.put(`/form/unit/${id}`, values)).status;
    expect(await put({ state: 'closing', mark: 2 })).toBe(403);
    expect(await put({ state: 'open', mark: 2 })).toBe(200);
    expect(await put({ state: 'closing' })).toBe(200);
    expect(await put({ mark: 3 })).toBe(403);
    expect(await ok(root.get(`/form/unit/${id}`))).toMatchObject({ state: 'closed', mark: 2 });
  });
});

describe('a rule of a parameter', () => {
  const put = (read_access: unknown) => root.put('/integer/unit/pay', { read_access });

  it.each([
    ['a word', 'moderator', 'parameter.not_allowed read_access'],
    ['an empty list', [], 'parameter.bad_value read_access'],
    ['a level in a list', ['admin'], 'parameter.bad_value read_access'],
    ['a number', 7, 'parameter.bad_type read_access'],
    ['a syntax error', 'eq(title', 'filter.syntax read_access'],
    ['an unknown parameter', 'eq(nope,1)', 'filter.unknown_parameter read_access'],
    ['an unknown value of the member', 'eq(title,@member.nope)', 'filter.unknown_parameter read_access'],
  ])('is refused: %s', async (_, setting, message) => {
    expect(refusalOf(await put(setting))).toMatchObject({ status: 400, messages: [message] });
  });

  it('is stored as it was sent, and sent back is the same', async () => {
    for (const setting of ['eq(title,open)', ['eq(title,open)', OWN], 'admin', null]) {
      expect(((await ok(put(setting))) as { read_access: unknown }).read_access).toEqual(setting);
      expect(await ok(root.get('/integer/unit/pay'))).toHaveProperty('read_access', setting);
    }
    await ok(put([OWN, 'eq(title,open)']));
  });

  it('fits every kind that uses the parameter', async () => {
    const reply = await root.post('/kind/unit', { id: 'other', parameters: ['title', 'pay'] });
    expect(refusalOf(reply)).toMatchObject({ status: 400, messages: ['filter.unknown_parameter parameters'] });
    expect(reply.body.messages[0]?.text).toContain("read_access[0] of 'pay': in 'other': no parameter 'owner'");
  });

  it('is not possible in links, nor for the key of a unit', async () => {
    await ok(root.post('/integer/unit', { id: 'weight', read_access: 'eq(title,x)' }));
    expect(refusalOf(await root.post('/link/unit', { id: 'tie', parameters: ['weight'] }))).toMatchObject({
      status: 400,
      messages: ['link.bad_definition parameters'],
    });
    const key = { id: 'slug', kind_id: 'string', is_primary: true, read_access: 'eq(slug,x)' };
    expect((await root.post('/kind/unit', { id: 'keyed', parameters: [key] })).status).toBe(400);
  });

  it('becomes nobody when a parameter that it names goes', async () => {
    await defineKinds(root, {
      id: 'memo',
      parameters: [
        { id: 'flag', kind_id: 'boolean' },
        { id: 'inner', kind_id: 'string', read_access: 'eq(flag,true)', write_access: ['eq(flag,true)'] },
      ],
    });
    await ok(root.put('/kind/unit/memo?cascade=true', { parameters: ['inner'] }));
    expect(await ok(root.get('/string/unit/inner'))).toMatchObject({ read_access: 'nobody', write_access: 'nobody' });
    await ok(root.put('/kind/unit/memo', { parameters: ['inner', 'flag'] }));
    expect(await ok(root.get('/string/unit/inner'))).toMatchObject({ read_access: 'nobody', write_access: 'nobody' });
  });

  it('hides everything from requests without a token, unless the kind is public', async () => {
    await defineKinds(root, {
      id: 'flyer',
      parameters: [
        { id: 'state', kind_id: 'string' },
        { id: 'price', kind_id: 'integer', read_access: 'eq(state,out)' },
      ],
      access: { read: 'anyone' },
    });
    const id = ((await ok(root.post('/flyer/unit', { state: 'out', price: 3 }))) as Job).id;
    const read = () => ok(root.as(undefined).get(`/flyer/unit/${id}`));
    expect(await read()).not.toHaveProperty('price');
    await ok(root.put('/kind/unit/flyer', { public: true }));
    expect(await read()).toHaveProperty('price', 3);
    expect((await root.as(undefined).get('/flyer/unit?filter=gt(price,1)')).status).toBe(401);
  });
});
