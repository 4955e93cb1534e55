/** Plain walks are planned, and their texts made, once for all units that they start from; nothing that matters is taken for another. */
import { describe, expect, it } from 'vitest';
import { parseListQuery, urlQueryParameters } from '../../../src/http/route/parse-list-query.js';
import { WALK_QUERY } from '../../../src/http/route/query-names.js';
import { planWalk } from '../../../src/link/walk/walk.plan.js';
import type { KindRecord } from '../../../src/model/build/definition-records.js';
import type { Model } from '../../../src/model/model.js';
import { walkStatement } from '../../../src/sql/walk/walk.sql.js';
import { ANONYMOUS, memberCaller, SYSTEM, type Caller } from '../../../src/tenancy/caller.js';
import type { Session } from '../../../src/catalog/session/session.js';
import { traversableKinds, type TraversableKinds } from '../../../src/unit/query/reachable-kinds.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const PARAMETERS = [
  parameter('name', 'string'),
  parameter('mayor', 'string', { read_access: 'admin' }),
  parameter('secret', 'string', { hidden: true }),
];
const OPEN = { access: { read: 'anyone' } } as const;

function modelOf(city: Partial<KindRecord> = OPEN, person: Partial<KindRecord> = OPEN): Model {
  const built = modelWith({
    kinds: [
      kind('city', ['name', 'mayor', 'secret'], city),
      kind('land', ['name'], OPEN),
      kind('person', ['name'], person),
    ],
    parameters: PARAMETERS,
    members: ['person'],
  });
  // By default members read files of their own alone.
  const file = { ...kindIn(built, 'file'), ...OPEN };
  return { ...built, kinds: new Map([...built.kinds, ['file', file]]) };
}

const model = modelOf();
const ann = memberCaller('0198c0de-0000-7000-8000-00000000000a', 'person');
const bob = memberCaller('0198c0de-0000-7000-8000-00000000000b', 'person');
const admin = memberCaller('0198c0de-0000-7000-8000-00000000000c', 'kind_admin');
const function_ = { ...admin, seesHidden: true } as const;

interface Asked {
  readonly caller?: Caller;
  readonly from?: string;
  readonly key?: string;
  readonly direction?: 'parent' | 'child';
  readonly search?: string;
  readonly met?: readonly string[];
  readonly of?: typeof model;
  readonly schema?: string;
}

const METS = new Map<string, Set<string>>();

async function statementOf({
  caller = ann,
  from = 'city',
  key = 'a',
  direction = 'child',
  search = '',
  met,
  of = model,
  schema = 'project_x',
}: Asked) {
  const project = { id: 'x', schema } as Session['project'];
  const session = { project, caller, model: of } as Session;
  const ground: TraversableKinds = await traversableKinds(session);
  const id = met?.join() ?? '';
  METS.set(id, METS.get(id) ?? new Set(met));
  const expected = { seen: METS.get(id) as Set<string>, narrow: met !== undefined };
  const start = { kind: kindIn(of, from), key, access: undefined };
  const { plan } = planWalk(
    parseListQuery(urlQueryParameters(search), WALK_QUERY),
    session,
    { start, direction },
    ground,
    expected,
  );
  return { statement: walkStatement(plan), plan, ground };
}

/** Everything by which two plain walks differ in their text. */
const OTHERS: Asked[] = [
  { schema: 'project_y' },
  { direction: 'parent' },
  { from: 'land' },
  { caller: admin },
  { caller: function_ },
  { search: '?depth=1' },
  { search: '?depth=2' },
  { search: '?limit=50' },
  { search: '?count=none' },
  { search: '?link_id=link' },
  { search: '?kind_id=city' },
  { search: '?kind_id=land' },
  { search: '?include=name' },
  { search: '?filter=eq(name,x)' },
  { search: '?order=name;asc' },
  { met: [] },
  { met: ['city'] },
  { met: ['city', 'land'] },
  { of: modelOf({ access: { read: 'nobody' } }) },
  { of: modelOf({ access: { read: ['eq(name,x)'] } }), from: 'land' },
  { of: modelOf({ ...OPEN, parameters: [] }) },
];

describe('a plain walk', () => {
  it('is planned once for all starts and all members alike, and brings its values', async () => {
    const one = await statementOf({ search: '?link_id=link' });
    const other = await statementOf({ search: '?link_id=link', key: 'b', caller: bob });
    expect(other.plan.templateOwner).toBeDefined();
    expect(other.plan.templateOwner).toBe(one.plan.templateOwner);
    expect(other.statement.text).toBe(one.statement.text);
    expect([one, other].map(({ statement }) => statement.values)).toEqual([
      ['a', 'link'],
      ['b', 'link'],
    ]);
  });

  it('is planned for each member where a field has a rule', async () => {
    const parameters = [
      ...PARAMETERS.filter(({ id }) => id !== 'mayor'),
      parameter('mayor', 'string', { read_access: 'eq(name,@member.id)' }),
    ];
    const of = modelWith({
      kinds: [kind('city', ['name', 'mayor'], OPEN), kind('person', [])],
      parameters,
      members: ['person'],
    });
    const [one, other] = [await statementOf({ of }), await statementOf({ of, caller: bob })];
    expect([one, other].map(({ plan }) => plan.templateOwner)).toEqual([undefined, undefined]);
    expect(one.statement.values).toContain(ann.type === 'member' ? ann.id : '');
    expect(other.statement.values).not.toContain(ann.type === 'member' ? ann.id : '');
    expect((await statementOf({ of, caller: admin })).plan.templateOwner).toBeDefined();
  });

  it('has a text of its own by all else, whoever asked before', async () => {
    const texts = async () =>
      Promise.all([{}, ...OTHERS].map(async (asked) => (await statementOf(asked)).statement.text));
    const first = await texts();
    const twice = first.filter((text, at) => first.indexOf(text) !== at);
    expect(twice).toEqual([]);
    expect(await texts()).toEqual(first);
  });

  it('shows to whom it is planned for what that one may read', async () => {
    expect((await statementOf({ caller: ann })).statement.text).not.toContain('"mayor"');
    expect((await statementOf({ caller: admin })).statement.text).toContain('"mayor"');
    expect((await statementOf({ caller: ANONYMOUS })).statement.text).not.toContain('"mayor"');
    expect((await statementOf({ caller: SYSTEM })).statement.text).toContain('"mayor"');
  });

  it('is planned for each caller where a rule has a say, or its own unit alone is open', async () => {
    const ruled = modelOf({ access: { read: ['eq(id,@member.id)'] } });
    const own = modelOf(OPEN, { access: null });
    for (const changed of [ruled, own]) {
      const grounds = [
        await statementOf({ of: changed, from: 'land' }),
        await statementOf({ of: changed, from: 'land', caller: bob }),
      ];
      expect(grounds.map(({ ground, plan }) => [ground.shared, plan.templateOwner])).toEqual([
        [false, undefined],
        [false, undefined],
      ]);
      const values = grounds.map(({ statement }) => JSON.stringify(statement.values));
      expect(values[0]).not.toBe(values[1]);
    }
    expect((await statementOf({ of: ruled, from: 'land', caller: admin })).ground.shared).toBe(true);
  });

  it('is kept in bounds: by the newest queries, and no long ones', async () => {
    const first = await statementOf({ search: '?offset=1' });
    for (let offset = 2; offset < 110; offset += 1) await statementOf({ search: `?offset=${offset}` });
    expect((await statementOf({ search: '?offset=1' })).plan.templateOwner).not.toBe(first.plan.templateOwner);
    const long = `?link_id=${'x'.repeat(200)}`;
    await expect(statementOf({ search: long })).rejects.toThrow('no link type');
  });
});
