/** Random rules against the naive evaluator: who sees, counts, makes, changes and deletes which units. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BeforeRef, Comparator, Filter, MemberRef, Path, Scalar } from '../../../src/filter/filter.ast.js';
import { printFilter } from '../../../src/filter/filter.printer.js';
import { combinedFilters } from '../../support/combined-filters.js';
import { defineKinds, tokensOf } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import type { Json, NaiveKind, NaiveParameter, UnitRecord } from '../../support/naive-filter.js';
import { may, namesIn, type NaiveAccess, type NaiveCaller } from '../../support/naive-rules.js';
import { runs } from '../../support/runs.js';
import { sharedService, type Reply, type TestProject } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const TEXTS = ['', 'a', 'b', 'red', '@member.id', '1'];
const LISTS = [[], ['a'], ['a', 'b'], ['b', 'red'], ['']];
const parameter = (id: string, kind_id: string, more: object = {}) => ({ id, kind_id, ...more });
const reference = (id: string, kind: string) => parameter(id, 'unit', { reference_kind: kind });

await defineKinds(
  root,
  {
    id: 'person',
    parameters: [
      parameter('p_text', 'string'),
      parameter('p_num', 'integer'),
      parameter('p_flag', 'boolean'),
      parameter('p_list', 'string', { multiple: true }),
    ],
  },
  { id: 'guest' },
);
await ok(root.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person', 'guest'] }));
await defineKinds(
  root,
  {
    id: 'team',
    public: true,
    parameters: [parameter('word', 'string', { hidden: true }), reference('lead', 'person')],
  },
  {
    id: 'note',
    public: true,
    parameters: [
      parameter('text', 'string'),
      parameter('num', 'integer'),
      parameter('flag', 'boolean'),
      parameter('list', 'string', { multiple: true }),
      reference('owner', 'person'),
      reference('team', 'team'),
    ],
  },
);
await ok(
  root.put('/kind/unit/person', { parameters: ['p_text', 'p_num', 'p_flag', 'p_list', reference('p_team', 'team')] }),
);

interface Caller extends NaiveCaller {
  readonly name: string;
  readonly as: TestProject;
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const idOf = (reply: unknown) => (reply as { id: string }).id;
async function makeMember(name: string, kind: string, values: Record<string, Json>): Promise<Caller> {
  const id = idOf(await ok(root.post(`/${kind}/unit`, { username: name, email: `${name}@example.com`, ...values })));
  const { access_token } = await tokensOf(root, kind, id);
  return { name, as: root.as(access_token), member: { id, kind_id: kind, ...values } };
}

const first = await makeMember('ann', 'person', { p_text: 'a', p_num: 1, p_flag: true, p_list: ['a', 'b'] });
const annId = textOf(first.member?.['id']);
const teams: Record<string, UnitRecord> = {};
for (const [word, lead] of [
  ['red', annId],
  ['a', null],
  [null, annId],
] as const) {
  const id = idOf(await ok(root.post('/team/unit', { word, lead })));
  teams[id] = { word, lead };
}
const [teamA = '', teamB = ''] = Object.keys(teams);
const second = await makeMember('bob', 'person', { p_text: '', p_num: 0, p_flag: false, p_list: [], p_team: teamA });
const CALLERS: readonly Caller[] = [
  { ...first, member: { ...first.member, p_team: null } },
  second,
  await makeMember('cyd', 'person', { p_text: null, p_num: null, p_flag: null, p_list: null, p_team: teamB }),
  await makeMember('dan', 'person', { p_text: 'red', p_num: 2, p_flag: null, p_list: ['b', 'red'], p_team: null }),
  await makeMember('eve', 'guest', {}),
  { name: 'nobody', as: root.as(undefined) },
  { name: 'root', as: root, admin: true, member: {} },
];
const people = CALLERS.slice(0, 4).map(({ member }) => String(member?.['id'] as string));

const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 4 });
const body = fc.record({
  text: orNull(TEXTS),
  num: orNull([0, 1, 2]),
  flag: orNull([true, false]),
  list: orNull(LISTS),
  owner: orNull(people),
  team: orNull(Object.keys(teams)),
});

/** What stands in a unit, by type: paths, operators, texts, and the values of a member that compare. */
const FIELDS = [
  {
    paths: [['text'], ['team', 'word']],
    ops: ['eq', 'ne', 'lt', 'gte', 'contains', 'istartswith'],
    texts: TEXTS,
    member: ['p_text', 'p_num', 'kind_id', 'id'],
  },
  { paths: [['num']], ops: ['eq', 'ne', 'lt', 'gte'], texts: ['0', '1', '2'], member: ['p_num'] },
  { paths: [['flag']], ops: ['eq', 'ne'], texts: ['true', 'false'], member: ['p_flag'] },
  { paths: [['owner'], ['team', 'lead']], ops: ['eq', 'ne'], texts: people, member: ['id', 'p_team'] },
  { paths: [['team'], ['team', 'id']], ops: ['eq', 'ne'], texts: Object.keys(teams), member: ['p_team', 'id'] },
] as const;
const NO_MEMBER = new Set(['contains', 'istartswith']);
const memberRef = (names: readonly string[]) =>
  fc.constantFrom(...names).map((name): MemberRef => ({ type: 'member', name, at: 0 }));
const literal = (texts: readonly string[]) =>
  fc.constantFrom(...texts).map((text): Scalar => ({ type: 'quoted', text, at: 0 }));

const scalarTest: fc.Arbitrary<Filter> = fc.constantFrom(...FIELDS).chain(({ paths, ops, texts, member }) => {
  const path = fc.constantFrom(...paths).map((segments) => ({ segments, at: 0 }));
  const named = memberRef(member);
  const lists =
    member[0] === 'p_text' ? fc.oneof(named, literal(texts), memberRef(['p_list'])) : fc.oneof(named, literal(texts));
  const items = fc.array(lists, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(path, fc.constantFrom(...ops), named, literal(texts)).map(([at, op, one, plain]): Filter => ({
        op: op as Comparator,
        path: at,
        value: NO_MEMBER.has(op) ? plain : one,
        at: 0,
      })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(path, fc.constantFrom(...ops), literal(texts))
        .map(([at, op, value]): Filter => ({ op: op as Comparator, path: at, value, at: 0 })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(path, items)
        .map(([at, all]): Filter => ({ op: 'in', path: at, value: { type: 'list', items: all, at: 0 }, at: 0 })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(path, fc.boolean()).map(([at, value]): Filter => ({ op: 'isnull', path: at, value, at: 0 })),
    },
  );
});
const listPath = { segments: ['list'], at: 0 };
const listTest: fc.Arbitrary<Filter> = fc.oneof(
  fc
    .tuple(fc.constantFrom('eq' as const, 'ne' as const), memberRef(['p_list']))
    .map(([op, value]): Filter => ({ op, path: listPath, value, at: 0 })),
  fc
    .oneof(memberRef(['p_list', 'p_text', 'kind_id']), literal(TEXTS))
    .map((value): Filter => ({ op: 'contains', path: listPath, value, at: 0 })),
  fc
    .array(fc.oneof(memberRef(['p_list', 'p_text']), literal(TEXTS)), { minLength: 1, maxLength: 3 })
    .map((items): Filter => ({ op: 'in', path: listPath, value: { type: 'list', items, at: 0 }, at: 0 })),
);
const rule = combinedFilters(
  [
    { weight: 4, arbitrary: scalarTest },
    { weight: 1, arbitrary: listTest },
  ],
  { maxDepth: 3, maxLength: 3, not: 2 },
);
const rules = fc.array(rule, { minLength: 1, maxLength: 3 });
const ofBefore = (segments: readonly string[]): Path => ({ segments, before: true, at: 0 });
const beforeTest: fc.Arbitrary<Filter> = fc.constantFrom(...FIELDS).chain(({ paths: [[name]], ops, texts }) => {
  const before: BeforeRef = { type: 'before', path: ofBefore([name]), at: 0 };
  const own = { segments: [name], at: 0 };
  const op = fc.constantFrom(...ops.filter((each) => !NO_MEMBER.has(each))).map((each) => each as Comparator);
  return fc.oneof(
    op.map((each): Filter => ({ op: each, path: own, value: before, at: 0 })),
    fc.tuple(op, literal(texts)).map(([each, value]): Filter => ({ op: each, path: before.path, value, at: 0 })),
    fc.boolean().map((value): Filter => ({ op: 'isnull', path: before.path, value, at: 0 })),
    literal(texts).map((other): Filter => {
      return { op: 'in', path: own, value: { type: 'list', items: [before, other], at: 0 }, at: 0 };
    }),
  );
});
/** Rules that compare the unit with the unit before the edit. */
const editRules = fc.array(
  combinedFilters(
    [
      { weight: 3, arbitrary: scalarTest },
      { weight: 3, arbitrary: beforeTest },
      { weight: 1, arbitrary: listTest },
    ],
    { maxDepth: 3, maxLength: 3, not: 2 },
  ),
  { minLength: 1, maxLength: 3 },
);
const level = fc.constantFrom('anyone' as const, 'member' as const, 'admin' as const, 'nobody' as const);
const accessOf = (weight: number, arbitrary = rules): fc.Arbitrary<NaiveAccess> =>
  fc.oneof({ weight: 1, arbitrary: level }, { weight, arbitrary });
const access = fc.record({
  read: accessOf(12),
  create: accessOf(4),
  update: accessOf(8, editRules),
  delete: accessOf(4),
});

const PARAMETERS: NaiveKind = new Map<string, NaiveParameter>(
  Object.entries({
    text: 'string',
    num: 'integer',
    flag: 'boolean',
    owner: 'unit',
    team: 'unit',
    'team.word': 'string',
    'team.lead': 'unit',
    'team.id': 'unit',
    id: 'unit',
  }).map(([id, type]) => [id, { type }]),
).set('list', { type: 'string', multiple: true });

/** The units as they should be, with what their references lead to. */
const units = new Map<string, UnitRecord>();
function whole(id: string, unit: UnitRecord): UnitRecord {
  const team = typeof unit['team'] === 'string' ? teams[unit['team']] : undefined;
  return {
    ...unit,
    id,
    'team.word': team?.['word'] ?? null,
    'team.lead': team?.['lead'] ?? null,
    'team.id': team ? (unit['team'] ?? null) : null,
  };
}
const stored = (said: NaiveAccess) => (typeof said === 'string' ? said : said.map(printFilter));

async function refill(count: number): Promise<void> {
  if (units.size > 12) return;
  await ok(root.put('/kind/unit/note', { access: {} }));
  const bodies = fc.sample(body, { numRuns: count, seed: 7 });
  const { items } = (await ok(root.post('/note/unit', bodies))) as { items: UnitRecord[] };
  for (const [at, each] of bodies.entries()) {
    const id = textOf(items[at]?.['id']);
    units.set(id, whole(id, each));
  }
}

function judged(allowed: boolean, { status, text }: Reply, shown: string): void {
  if (allowed) expect(status, `${shown} ${text}`).toBe(200);
  else expect([401, 403, 404], `${shown} ${text}`).toContain(status);
}

const seen = { allowed: 0, refused: 0 };
function counted(allowed: boolean): boolean {
  seen[allowed ? 'allowed' : 'refused'] += 1;
  return allowed;
}

it('admit exactly the callers that the naive evaluator admits', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(access, fc.array(body, { minLength: 3, maxLength: 3 }), fc.nat(), async (said, bodies, pick) => {
      await refill(30);
      const texts = Object.fromEntries(Object.entries(said).map(([operation, each]) => [operation, stored(each)]));
      await ok(root.put('/kind/unit/note', { access: texts }));
      for (const caller of CALLERS) {
        const shown = `${caller.name} ${JSON.stringify(texts)}`;
        const can = (operation: keyof typeof said, unit: UnitRecord, before = unit) =>
          may(said[operation], caller, unit, PARAMETERS, before);
        const visible = () => [...units].flatMap(([id, unit]) => (can('read', unit) ? [id] : [])).sort();

        const list = await caller.as.get('/note/unit?limit=1000&include=id');
        if (list.status === 200) {
          const { count, items } = list.body.content as { count: number; items: { id: string }[] };
          expect(items.map(({ id }) => id).sort(), shown).toEqual(visible());
          expect(count, shown).toBe(visible().length);
          expect((await caller.as.get('/note/unit?limit=0')).body.content.count, shown).toBe(count);
        } else {
          judged(false, list, shown);
          expect(visible(), shown).toEqual([]);
        }

        const ids = [...units.keys()];
        const [got = '', edited = '', gone = ''] = [0, 1, 2].map((more) => ids[(pick + more * 7) % ids.length] ?? '');
        const unitOf = (id: string) => units.get(id) ?? {};
        judged(counted(can('read', unitOf(got))), await caller.as.get(`/note/unit/${got}`), shown);

        // Who has no token cannot refer to members.
        const owned = (each: object) =>
          ({ ...each, ...(caller.member === undefined && { owner: null }) }) as UnitRecord;
        const made = owned(bodies[0] ?? {});
        const create = await caller.as.post('/note/unit', made);
        judged(counted(can('create', whole('', made))), create, shown);
        if (create.status === 200) units.set(idOf(create.body.content), whole(idOf(create.body.content), made));

        for (const change of [
          owned({ text: bodies[1]?.text, num: bodies[1]?.num, list: bodies[1]?.list }),
          owned(bodies[2] ?? {}),
        ]) {
          const before = unitOf(edited);
          const after = whole(edited, { ...before, ...change });
          const allowed = can('read', before) && can('update', before) && can('update', after, before);
          const reply = await caller.as.put(`/note/unit/${edited}`, change);
          judged(counted(allowed), reply, `${shown} ${JSON.stringify(before)} → ${JSON.stringify(change)}`);
          if (reply.status === 200) units.set(edited, after);
        }

        const allowed = can('read', unitOf(gone)) && can('delete', unitOf(gone));
        const removed = await caller.as.delete(`/note/unit/${gone}`);
        judged(counted(allowed), removed, shown);
        if (removed.status === 200) units.delete(gone);
      }
    }),
    { numRuns: runs(12) },
  );
  // The rules are no use where they let in nearly all or nobody.
  expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(runs(100));
});

it('of parameters hide and protect fields of exactly the units of which the naive evaluator says so', async () => {
  await refill(30);
  const note = (await ok(root.get('/kind/unit/note'))) as { parameters: string[] };
  const parameters = [
    ...note.parameters,
    parameter('seen', 'string', { default_string: 'seen' }),
    parameter('kept', 'integer'),
  ];
  await ok(root.put('/kind/unit/note', { parameters, access: { read: 'anyone', update: 'anyone' } }));
  const counts = { shown: 0, hidden: 0, written: 0, refused: 0 };
  let next = 0;
  await fc.assert(
    fc.asyncProperty(rules, editRules, body, fc.nat(), async (reads, writes, values, pick) => {
      await ok(root.put('/string/unit/seen', { read_access: stored(reads) }));
      await ok(root.put('/integer/unit/kept', { write_access: stored(writes) }));
      const ids = [...units.keys()];
      for (const caller of CALLERS) {
        const shown = `${caller.name} ${JSON.stringify([stored(reads), stored(writes)])}`;
        const sees = (id: string) => may(reads, caller, units.get(id) ?? {}, PARAMETERS);
        const { items } = (await ok(caller.as.get('/note/unit?limit=1000&include=[id,seen]'))) as {
          items: UnitRecord[];
        };
        for (const item of items) {
          expect(Object.hasOwn(item, 'seen'), `${shown} ${JSON.stringify(item)}`).toBe(sees(textOf(item['id'])));
          counts[Object.hasOwn(item, 'seen') ? 'shown' : 'hidden'] += 1;
        }
        const id = ids[pick % ids.length] ?? '';
        const got = (await ok(caller.as.get(`/note/unit/${id}`))) as UnitRecord;
        expect(Object.hasOwn(got, 'seen'), shown).toBe(sees(id));

        const before = units.get(id) ?? {};
        const change = { text: values.text, num: values.num, list: values.list };
        const after = whole(id, { ...before, ...change });
        const allowed = may(writes, caller, before, PARAMETERS) && may(writes, caller, after, PARAMETERS, before);
        const reply = await caller.as.put(`/note/unit/${id}`, { ...change, kept: (next += 1) });
        expect(reply.status === 200, `${shown} ${JSON.stringify(before)} ${reply.text}`).toBe(allowed);
        counts[allowed ? 'written' : 'refused'] += 1;
        if (allowed) units.set(id, after);
      }
    }),
    { numRuns: runs(10) },
  );
  expect(Math.min(counts.shown, counts.hidden)).toBeGreaterThan(runs(100));
  expect(Math.min(counts.written, counts.refused)).toBeGreaterThan(runs(10));
  await ok(root.put('/string/unit/seen', { read_access: null }));
  await ok(root.put('/integer/unit/kept', { write_access: null }));
});

it('never admit callers without the member value that a rule names', async () => {
  await refill(30);
  const [guest, nobody] = [CALLERS[4], CALLERS[5]];
  await fc.assert(
    fc.asyncProperty(rule, async (tree) => {
      const names = namesIn(tree);
      fc.pre(names.length > 0);
      await ok(root.put('/kind/unit/note', { access: { read: printFilter(tree) } }));
      expect((await nobody?.as.get('/note/unit'))?.body.content ?? { count: 0 }, printFilter(tree)).toMatchObject({
        count: 0,
      });
      if (!names.some((name) => name.startsWith('p_'))) return;
      expect((await guest?.as.get('/note/unit'))?.body.content, printFilter(tree)).toMatchObject({ count: 0 });
    }),
    { numRuns: 15 },
  );
});

it.each([
  'eq(num,@member.p_list)',
  'eq(text,@member.p_list)',
  'ne(list,@member.p_text)',
  'eq(list,@member.p_text)',
  'lt(text,@member.p_list)',
])('one that compares a list with one value is refused: %s', async (text) => {
  const reply = await root.put('/kind/unit/note', { access: { read: text } });
  expect(reply).toMatchObject({ status: 400, body: { messages: [{ parameter: 'access' }] } });
});
