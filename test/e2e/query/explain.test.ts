/** `?explain=true` answers administrators what is slow about a list, which index is missing, and PostgreSQL's plan. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const UNITS = 20_000;

interface Explained {
  readonly count: number;
  readonly items: object[];
  readonly explain: {
    readonly milliseconds: number;
    readonly summary: string[];
    readonly missing_indexes: { kind: string; parameters: string[]; why: string }[];
    readonly messages: { parameter: string; text: string }[];
    readonly statements: { milliseconds: number; plan: { 'Node Type': string } }[];
  };
}

const service = await sharedService();
const project = await service.project();
await defineKinds(project, {
  id: 'visit',
  access: { read: 'member' },
  parameters: [
    { id: 'place', kind_id: 'string' },
    { id: 'state', kind_id: 'string', indexed: true },
    { id: 'nights', kind_id: 'integer' },
    { id: 'year', kind_id: 'integer' },
    { id: 'secret', kind_id: 'string', hidden: true },
    { id: 'level', kind_id: 'string', values: ['low', 'high'] },
    { id: 'stage', kind_id: 'string', values: ['planned', 'done'] },
  ],
});
await defineKinds(project, { id: 'play', parameters: [{ id: 'stage', kind_id: 'string', own: true }] });
await ok(project.post('/group/unit', { id: 'travels', kind_list: ['visit'] }));
await query(
  project,
  `INSERT INTO $schema."visit" ("id", "place", "state", "nights", "year", "secret", "metadata", "inserted_at", "updated_at")
   SELECT gen_random_uuid(), 'place ' || n % 2000, CASE WHEN n % 100 = 0 THEN 'open' ELSE 'it''s = done' END, n % 7, 2000 + n % 300, 'hush', '{}', now(), now()
   FROM generate_series(1, ${UNITS}) AS n`,
);
await query(project, 'VACUUM ANALYZE $schema."visit"');

/** Answers are compared with the API document. */
const documented = await project.documented();

const explained = async (path: string, of: TestProject = documented): Promise<Explained> =>
  (await ok(of.get(`${path}${path.includes('?') ? '&' : '?'}explain=true`))) as Explained;
const missing = async (search: string) =>
  (await explained(`/visit/unit?${search}`)).explain.missing_indexes.map(({ kind, parameters }) => [
    kind,
    ...parameters,
  ]);

describe('the explanation of a list', () => {
  it('has the page, sentences, the missing index and the plan', async () => {
    const search = 'filter=eq(place,place 7)&limit=5';
    const { explain, ...page } = await explained(`/visit/unit?${search}`);
    expect(page).toEqual(await ok(project.get(`/visit/unit?${search}`)));
    expect(explain.summary).toContain(
      "20,000 units of 'visit' are read to find the 10 that the filter on place selects.",
    );
    expect(explain.missing_indexes).toEqual([
      {
        kind: 'visit',
        parameters: ['place'],
        why: expect.stringMatching(/^[\d,]+ units are read that do not match$/) as string,
      },
    ]);
    expect(explain.statements).toHaveLength(1);
    expect(explain.statements[0]!.plan['Node Type']).toEqual(expect.any(String));
    expect(explain.milliseconds).toBeGreaterThan(0);
    expect(JSON.stringify(explain)).not.toContain('secret');
  });

  it.each([
    ['filter=icontains(place,LACE 77)', [['visit', 'place']]],
    ['filter=and(eq(nights,3),eq(year,2005))', [['visit', 'nights', 'year']]],
    ['filter=and(eq(nights,3),gt(year,2297))', [['visit', 'nights', 'year']]],
    ['order=year;asc&limit=10', [['visit', 'year']]],
    ['filter=and(eq(state,open),eq(year,2005))', []],
    ['filter=eq(state,open)&limit=10', []],
    ['limit=10', []],
    ['limit=0', []],
    ['order=year;desc;nulls_last&limit=10&cursor=&count=none', [['visit', 'year']]],
    // No index could serve it.
    ['filter=ne(nights,9)&limit=10', []],
    ['order=year;desc;nulls_last&limit=10', []],
    ['order=year;nulls_first&limit=10', []],
    ['order=by_value(level)&limit=10', []],
  ])('%s lacks %j', async (search, indexes) => {
    expect(await missing(search)).toEqual(indexes);
  });

  it('says that nothing is slow, and that counting is', async () => {
    const fast = await explained('/visit/unit?limit=10');
    expect(fast.explain.summary).toEqual(['Nothing is slow: no statement reads, sorts or counts many units in vain.']);
    const counted = await explained(`/visit/unit?limit=10&filter=eq(state,"it's = done")`);
    expect(counted.explain.summary).toEqual([
      'Counting 19,800 units takes more than half of the time: count=none or count=estimated avoids it.',
    ]);
  });

  it('that is proposed and made is used', async () => {
    await ok(project.put('/integer/unit/year', { indexed: true }));
    await service.service.database.run({ text: `ANALYZE "project_${project.id}"."visit"`, values: [] });
    expect(await missing('order=year;asc&limit=10')).toEqual([]);
  });
});

it('units of a group, and traversals, are explained', async () => {
  const group = await explained('/group/travels/unit?filter=eq(place,place 7)');
  expect(group.explain.missing_indexes.map(({ kind, parameters }) => [kind, ...parameters])).toEqual([
    ['visit', 'place'],
  ]);
  const [one, other] = [
    await createdId(project.post('/visit/unit', { place: 'a' })),
    await createdId(project.post('/visit/unit', { place: 'b' })),
  ];
  await ok(project.post(`/visit/unit/${one}/link/link/visit/unit/${other}`));
  const walk = await explained(`/visit/unit/${one}/link/child?include=place`);
  expect(walk).toMatchObject({ count: 1, explain: { missing_indexes: [] } });
  expect(walk.explain.statements.length).toBeGreaterThan(0);
});

describe('an empty page', () => {
  const [none, quoted] = [
    [{ parameter: 'stage', text: "stage: 'plan' is none of its values 'planned', 'done'" }],
    [
      {
        parameter: 'place',
        text: `place: the quotes of 'place 7' are compared too: only " quotes a value, as in "place 7"`,
      },
    ],
  ];

  it.each<[path: string, messages: object[]]>([
    ['/visit/unit?filter=eq(stage,plan)', none],
    ['/visit/unit?filter=eq(stage,plan)&count=none', none],
    ['/visit/aggregate?group=place&select=count()&filter=in(stage,[plan])', none],
    ['/group/travels/unit?filter=eq(stage,plan)', none],
    ['/group/travels/aggregate?select=count()&group=place&filter=eq(stage,plan)', none],
    ['/play/unit?filter=eq(stage,plan)', []],
    [`/visit/unit?filter=eq(place,'place 7')`, quoted],
    ['/visit/unit?filter=eq(stage,done)', []],
    ['/visit/unit?filter=not(all())', []],
    // There are some.
    ['/visit/unit?filter=or(eq(stage,plan),eq(place,place 7))&limit=1', []],
  ])('%s says which values no unit can have: %j', async (path, messages) => {
    expect((await explained(path)).explain.messages).toEqual(messages);
  });
});

describe('refused', () => {
  it('for others than administrators, and for bad values', async () => {
    const member = await asMember(project);
    for (const path of ['/visit/unit', '/group/travels/unit']) {
      expect((await member.get(`${path}?explain=true`)).status).toBe(403);
      expect((await anonymous(project).get(`${path}?explain=true`)).status).toBe(401);
    }
    for (const search of ['explain=yes', 'explain=true&explain=true', 'explain=']) {
      const { status, body } = await project.get(`/visit/unit?${search}`);
      expect([status, body.messages[0]?.parameter]).toEqual([400, 'explain']);
    }
    expect((await project.get('/visit/unit?explain=true&order=nope;asc')).status).toBe(400);
    expect((await project.get('/visit/struct?explain=true')).status).toBe(400);
    expect(await ok(project.get('/visit/unit?explain=false&limit=0'))).not.toHaveProperty('explain');
  });
});
