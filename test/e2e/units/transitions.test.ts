/** Parameters whose values only go the ways that are written down. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { Reply, TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'task.ts': `
    import { FunctionError, kind } from 'kind';
    const task = kind('task');
    export default task.module({
      hooks: {
        before_create: ({ values }) => values.title === 'skip' ? { step: 'done' } : undefined,
        before_update({ values }) {
          if (values.title === 'throw') throw new FunctionError(409, 'task.thrown', 'thrown');
          if (values.title === 'back') return { step: 'open' };
        },
      },
      unitFunctions: {
        finish: task.unitFunction({
          description: 'Finishes it as the system',
          async run({ unit, system }) { await system.units('task').update(unit.id, { step: 'done' }); },
        }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const ann = await asMember(project);
const STATES = ['open', 'pending', 'solved', 'closed'];
const WAYS = {
  initial: ['open'],
  open: ['pending', 'solved'],
  pending: ['open'],
  solved: ['closed', { to: 'open', when: 'and(eq(owner,@member.id),gte(solved_at,@now-7d))' }],
  closed: [
    { to: 'open', when: 'admin' },
    { to: 'pending', when: 'nobody' },
  ],
};
await defineKinds(
  project,
  {
    id: 'ticket',
    parameters: [
      { id: 'code', kind_id: 'string', unique: true },
      { id: 'state', kind_id: 'string', values: STATES, default_string: 'open', transitions: WAYS },
      { id: 'secret_state', kind_id: 'string', values: ['a', 'b'], hidden: true, transitions: { a: ['b'] } },
      {
        ...{ id: 'stage', kind_id: 'string', values: ['a', 'b', 'c'], transitions: { a: ['b'] } },
        read_access: ['eq(owner,@member.id)', 'eq(code,shown)'],
      },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'solved_at', kind_id: 'datetime' },
    ],
  },
  {
    id: 'task',
    access: { update: 'ne(title,locked)', create: 'member', function: 'member' },
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'step', kind_id: 'string', values: ['open', 'done', 'gone'], transitions: { open: ['done'] } },
    ],
  },
);
const me = ((await ok(ann.get('/auth/me'))) as { id: string }).id;
const WAY_TO: Readonly<Record<string, readonly string[]>> = {
  pending: ['pending'],
  solved: ['solved'],
  closed: ['solved', 'closed'],
};
const make = async (state: string, more: object = {}) => {
  const id = await createdId(project.post('/ticket/unit', more));
  for (const next of WAY_TO[state] ?? []) await ok(project.put(`/ticket/unit/${id}`, { state: next }));
  return id;
};
const edit = async (as: TestProject, id: string, body: object): Promise<string> =>
  said(await as.put(`/ticket/unit/${id}`, body));
function said({ status, body }: Reply): string {
  const texts = body.messages.map(({ code, text, index }) => `${index ?? ''} ${code}: ${text}`.trim());
  return [status, ...texts].join(' ');
}

describe('a new unit', () => {
  it('begins with one of the initial values, or with none', async () => {
    expect(await ok(ann.post('/ticket/unit', {}))).toMatchObject({ state: 'open' });
    expect(await ok(ann.post('/ticket/unit', { state: null }))).toMatchObject({ state: null });
    expect(said(await ann.post('/ticket/unit', { state: 'solved' }))).toBe(
      "409 parameter.transition: state: it begins with 'open'",
    );
    expect(said(await project.post('/ticket/unit', [{}, { state: 'closed' }]))).toContain('409 1 parameter.transition');
    expect(said(await ann.post('/ticket/unit?on_conflict=update&by=code', { code: 'n', state: 'closed' }))).toContain(
      '409',
    );
    expect(await ok(project.get('/ticket/unit?filter=in(state,closed,solved)&limit=0'))).toMatchObject({ count: 0 });
  });

  it('begins with any where there are no initial values', async () => {
    const created = await ok(project.post('/ticket/unit', { secret_state: 'b' }));
    expect(created).toMatchObject({ state: 'open' });
  });

  it('is brought back as it was', async () => {
    const file = JSON.stringify({ id: '0198c0de-0000-7000-8000-000000000001', state: 'closed' });
    const ndjson = { headers: { 'content-type': 'application/x-ndjson' } };
    expect(await ok(project.call('POST', '/ticket/import?ids=keep', file, ndjson))).toMatchObject({ created: 1 });
    expect(said(await project.call('POST', '/ticket/import', JSON.stringify({ state: 'closed' }), ndjson))).toContain(
      'parameter.transition',
    );
  });
});

describe('an edit', () => {
  it('goes the ways that lead from the stored value, and says where they lead', async () => {
    const id = await make('open');
    expect(await edit(ann, id, { state: 'closed' })).toBe(
      "409 parameter.transition: state: it cannot become that; you may change 'open' to 'pending', 'solved'",
    );
    expect(await edit(ann, id, { state: null })).toContain('409');
    expect(await edit(ann, id, { state: 'open' })).toBe('200');
    expect(await edit(ann, id, { state: 'pending' })).toBe('200');
    expect(await edit(ann, id, { state: 'solved' })).toContain("you may change 'pending' to 'open'");
    expect(await edit(project, id, { state: 'solved' })).toContain('409');
    expect(await edit(ann, id, { code: 'other' })).toBe('200');
  });

  it('goes a way with a condition where the unit satisfies it, as administrators always do', async () => {
    const now = new Date().toISOString();
    const [mine, old, others] = [
      await make('solved', { owner: me, solved_at: now }),
      await make('solved', { owner: me, solved_at: '2020-01-01T00:00:00Z' }),
      await make('solved', { solved_at: now }),
    ];
    expect(await edit(ann, old, { state: 'open' })).toContain(
      "409 parameter.transition: state: it cannot become that; you may change 'solved' to 'closed'",
    );
    expect(await edit(ann, others, { state: 'open' })).toContain('409');
    // The condition is of the stored unit.
    expect(await edit(ann, others, { state: 'open', owner: me })).toContain('409');
    expect(await edit(ann, mine, { state: 'open' })).toBe('200');
    expect(await edit(project, old, { state: 'open' })).toBe('200');
    const closed = await make('closed');
    expect(await edit(ann, closed, { state: 'open' })).toContain("you may change 'closed' to nothing else");
    expect(await edit(project, closed, { state: 'pending' })).toContain("you may change 'closed' to 'open'");
  });

  it('from nothing takes an initial value', async () => {
    const id = await createdId(project.post('/ticket/unit', { state: null }));
    expect(await edit(ann, id, { state: 'closed' })).toContain("it begins with 'open'");
    expect(await edit(ann, id, { state: 'open' })).toBe('200');
  });

  it('names no values of a parameter that the caller may not read', async () => {
    const id = await createdId(project.post('/ticket/unit', { secret_state: 'b' }));
    expect(await edit(ann, id, { secret_state: 'a' })).toBe(
      '409 parameter.transition: secret_state: it cannot become that',
    );
  });

  it('names the values of a parameter with a rule in the units that show it', async () => {
    const [mine, others] = [await make('open', { stage: 'a', owner: me }), await make('open', { stage: 'a' })];
    const hidden = '409 parameter.transition: stage: it cannot become that';
    expect(await edit(ann, mine, { stage: 'c' })).toContain("stage: it cannot become that; you may change 'a' to 'b'");
    expect(await edit(ann, others, { stage: 'c' })).toBe(hidden);
    // What the edit would make of the unit does not count.
    expect(await edit(ann, others, { stage: 'c', owner: me })).toBe(hidden);
    expect(await edit(project, others, { stage: 'c' })).toContain("'a' to 'b'");
    await make('open', { code: 'shown', stage: 'a' });
    await make('open', { code: 'not', stage: 'a' });
    const filtered = async (code: string) =>
      said(await ann.put(`/ticket/unit?filter=eq(code,${code})`, { stage: 'c' }));
    expect(await filtered('shown')).toContain("'a' to 'b'");
    expect(await filtered('not')).toBe(hidden);
  });

  it('of several units, by a filter, by a key and by a file is held to them too', async () => {
    for (const code of ['a', 'b']) await make('open', { code });
    await ok(project.put('/ticket/unit?filter=eq(code,b)', { state: 'pending' }));
    const both = (state: string) => ['a', 'b'].map((code) => ({ code, state }));
    const upsert = (body: unknown) => ann.post('/ticket/unit?on_conflict=update&by=code', body);
    expect(said(await upsert(both('solved')))).toBe(
      "409 1 parameter.transition: state: it cannot become that; you may change 'pending' to 'open'",
    );
    const filtered = await ann.put('/ticket/unit?filter=in(code,a,b)', { state: 'solved' });
    expect(said(filtered)).toContain(
      "409 parameter.transition: state: it cannot become that; you may change 'pending' to 'open'",
    );
    expect(said(await upsert(both('solved')[1]))).toContain('409');
    const csv = { headers: { 'content-type': 'text/csv' } };
    const file = 'code,state\na,solved\nb,solved\n';
    const imported = await ann.call('POST', '/ticket/import?on_conflict=update&by=code&errors=skip', file, csv);
    expect(imported.body.content).toMatchObject({
      updated: 1,
      failed: 1,
      errors: [{ code: 'parameter.transition', record: 2 }],
    });
    expect(await ok(ann.get('/ticket/unit?filter=in(code,a,b)&order=code&include=state'))).toMatchObject({
      items: [{ state: 'solved' }, { state: 'pending' }],
    });
    const batch = {
      operations: [{ method: 'PUT', path: '/ticket/unit?filter=eq(code,b)', body: { state: 'closed' } }],
    };
    expect(said(await ann.post('/batch', batch))).toContain('parameter.transition');
  });

  it('of many at once is done by exactly one for each step', async () => {
    const id = await make('open');
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, at) => ann.put(`/ticket/unit/${id}`, { state: at % 2 ? 'pending' : 'solved' })),
    );
    // Of the same ones the later ones change nothing.
    const { state } = (await ok(ann.get(`/ticket/unit/${id}`))) as { state: string };
    const won = all.filter(({ status }) => status === 200);
    expect(won.every(({ body }) => (body.content as { state: string }).state === state)).toBe(true);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(25);
  });
});

describe('a kind with hooks', () => {
  it('is judged before them, and after them by what will be stored', async () => {
    const id = await createdId(project.post('/task/unit', { title: 'a', step: 'open' }));
    const put = async (body: object) => refusalOf(await ann.put(`/task/unit/${id}`, body)).messages;
    expect(await put({ title: 'throw', step: 'gone' })).toEqual(['parameter.transition step']);
    expect(await put({ title: 'throw', step: 'done' })).toEqual(['task.thrown']);
    expect(await put({ title: 'locked', step: 'gone' })).toEqual(['access.denied']);
    expect(await put({ step: 'done' })).toEqual([]);
    expect(await put({ title: 'back' })).toEqual(['parameter.transition step']);
  });

  it('and a function as the system goes the same ways', async () => {
    const id = await createdId(project.post('/task/unit', { title: 'a', step: 'gone' }));
    expect(said(await ann.post(`/task/unit/${id}/function/finish`, {}))).toContain('parameter.transition');
  });
});

describe('a definition', () => {
  const define = (more: object) =>
    project.post('/string/unit', { id: 'phase', values: ['a', 'b'], ...more }).then(said);
  it.each([
    [{ transitions: { c: ['a'] } }, "transitions: 'c' is not among the values"],
    [{ transitions: { a: ['c'] } }, "transitions: 'a'[0]: 'c' is not among the values"],
    [{ transitions: { a: 'b' } }, "transitions: 'a': must be a list"],
    [{ transitions: { a: [{ to: 'b', if: 'x' }] } }, 'must be a value, or'],
    [{ transitions: { a: [{ to: 'b', when: 'sometimes' }] } }, 'must be a value, or'],
    [{ transitions: { a: [{ to: 'b', when: 'eq(x' }] } }, "from 'a' to 'b': expected ',' at character 5"],
    [{ transitions: { initial: [{ to: 'a', when: 'admin' }] } }, 'new units have no condition'],
    [{ transitions: ['a'] }, 'transitions: must be an object'],
    [{ transitions: { a: ['b', { to: 'b', when: 'admin' }] }, values: ['a', 'b'] }, "'b' is there twice"],
    [{ transitions: {}, values: null }, "needs 'values'"],
    [{ transitions: {}, multiple: true }, 'a list has none'],
    [{ transitions: { initial: ['a'] }, default_string: 'b' }, "the default 'b' is not among those of 'initial'"],
    [{ transitions: {}, values: ['initial', 'a'] }, 'can be none of the values'],
    [{ transitions: {}, values: Array.from({ length: 201 }, (_, at) => `v${at}`) }, 'at most 200 values, got 201'],
  ])('is refused: %j', async (more, text) => {
    const refused = await define(more);
    expect(refused).toMatch(/^400 /);
    expect(refused).toContain(text);
  });

  it('of another type has none', async () => {
    expect(said(await project.post('/integer/unit', { id: 'phase', transitions: {} }))).toContain('400');
  });

  it('keeps the values that it names', async () => {
    expect(said(await project.put('/string/unit/state', { values: ['open', 'pending', 'solved'] }))).toContain(
      "400 parameter.bad_definition: transitions: 'closed' is not among the values",
    );
  });

  it('with a condition is of one kind, whose parameters it names', async () => {
    const shared = await project.post('/kind/unit', { id: 'other', parameters: ['state'] });
    expect(said(shared)).toContain(
      "parameter.bad_definition: parameters: 'state' has transitions, whose conditions are over units of one kind",
    );
    const unknown = { transitions: { ...WAYS, open: [{ to: 'pending', when: 'eq(nowhere,1)' }] } };
    const refused = said(await project.put('/string/unit/state', unknown));
    expect(refused).toContain("transitions: from 'open' to 'pending': in 'ticket': no parameter 'nowhere'");
    const tests = (count: number) => `or(${Array.from({ length: count }, (_, at) => `eq(code,c${at})`).join()})`;
    const many = (one: number, other: number) =>
      project.put('/string/unit/state', {
        transitions: {
          ...WAYS,
          open: [{ to: 'pending', when: tests(one) }],
          pending: [{ to: 'open', when: tests(other) }],
        },
      });
    expect(said(await many(130, 131))).toBe(
      '400 filter.too_large: transitions: the conditions have more than 250 tests',
    );
    await ok(many(130, 130));
    const other = { transitions: { a: [{ to: 'b', when: tests(131) }] } };
    expect(said(await project.put('/string/unit/secret_state', other))).toContain(
      "400 filter.too_large: transitions of all parameters of 'ticket': the rules have 263 tests; 250 is the most",
    );
    await ok(project.put('/string/unit/state', { transitions: WAYS }));
    const before = { transitions: { ...WAYS, open: [{ to: 'pending', when: 'eq(code,@before.code)' }] } };
    expect(said(await project.put('/string/unit/state', before))).toContain('400');
  });

  it('whose condition names what was dropped becomes nobody, also where the name comes back', async () => {
    const { parameters } = (await ok(project.get('/kind/unit/ticket'))) as { parameters: string[] };
    const id = await make('solved', { owner: me, solved_at: new Date().toISOString() });
    await ok(
      project.put('/kind/unit/ticket?cascade=true', { parameters: parameters.filter((each) => each !== 'solved_at') }),
    );
    expect(await edit(ann, id, { state: 'open' })).toContain("you may change 'solved' to 'closed'");
    await ok(project.put('/kind/unit/ticket', { parameters }));
    await ok(project.put(`/ticket/unit/${id}`, { solved_at: new Date().toISOString() }));
    expect(await edit(ann, id, { state: 'open' })).toContain("you may change 'solved' to 'closed'");
    const closed = (await ok(project.get('/string/unit/state'))) as { transitions: object };
    expect(closed.transitions).toEqual({ ...WAYS, solved: ['closed', { to: 'open', when: 'nobody' }] });
    await ok(project.put('/string/unit/state', { transitions: WAYS }));
  });

  it('tells the report, and kinds of members, what its condition names of the member', async () => {
    const rank = { id: 'rank', kind_id: 'string', own: true };
    await defineKinds(project, { id: 'chief', parameters: [rank] }, { id: 'guest' });
    const members = ((await ok(project.get('/group/unit/kind_auth_member'))) as { kind_list: string[] }).kind_list;
    await ok(project.put('/group/unit/kind_auth_member', { kind_list: [...members, 'chief', 'guest'] }));
    const ranked = { ...WAYS, open: [{ to: 'pending', when: 'eq(@member.rank,high)' }] };
    await ok(project.put('/string/unit/state', { transitions: ranked }));
    const { access } = (await ok(project.get('/kind/access'))) as { access: { kind: string; parameter?: string }[] };
    expect(JSON.stringify(access.filter((entry) => JSON.stringify(entry).includes('rank')))).toContain('chief');
    const mixed = await project.put('/kind/unit/guest', { parameters: [{ ...rank, kind_id: 'integer' }] });
    expect(said(mixed)).toContain("transitions of 'state' names @member.rank");
    await ok(project.put('/string/unit/state', { transitions: WAYS }));
  });

  it('of a remote kind or a link type has none', async () => {
    const parameters = [{ id: 'level', kind_id: 'string', values: ['a'], transitions: {} }];
    expect(said(await project.post('/kind/unit', { id: 'far', remote: true, parameters }))).toContain('400');
    expect(said(await project.post('/link/unit', { id: 'near', parameters }))).toContain('400');
  });
});
