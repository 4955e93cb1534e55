/**
 * An index serves a filter for one value together with the order of the page, so a page reads no more rows than it has,
 * also where many rows that do not match come first.
 */
import { describe, expect, it } from 'vitest';
import { ModelStore } from '../../../src/catalog/model/model-store.js';
import { listStatement } from '../../../src/sql/list/select.sql.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { planList } from '../../../src/unit/query/list.plan.js';
import type { PlanNode } from '../../../src/unit/tuning/query-plan.js';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { listQueryOf } from '../../support/list-query.js';
import { sharedService } from '../../support/service.js';
import { planOf } from '../../support/plans.js';

const UNITS = 100_000;
/** The units at the end that match. */
const MATCHING = 300;
const LIMIT = 10;

const service = await sharedService();
const project = await service.project();
await defineKinds(project, { id: 'stop', parameters: [{ id: 'title', kind_id: 'string' }] });
for (const [id, key] of [
  ['visit', []],
  ['coded', [{ id: 'code', kind_id: 'string', is_primary: true }]],
] as const) {
  await defineKinds(project, {
    id,
    parameters: [
      ...key,
      { id: 'place', kind_id: 'string', indexed: true },
      { id: 'state', kind_id: 'string', indexed: true },
      { id: 'stop', kind_id: 'unit', reference_kind: 'stop' },
      { id: 'nights', kind_id: 'integer' },
      { id: 'year', kind_id: 'integer' },
    ],
    indexes: [['nights', 'year']],
  });
}
const [common, rare] = [
  await createdId(project.post('/stop/unit', { title: 'common' })),
  await createdId(project.post('/stop/unit', { title: 'rare' })),
];
for (const [table, id] of [
  ['visit', `(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid`],
  ['coded', `'code ' || lpad(n::text, 6, '0')`],
] as const) {
  const insert = (first: number, last: number, [place, nights]: readonly [string, string], stop: string) =>
    query(
      project,
      `INSERT INTO $schema."${table}" ("id", "place", "state", "stop", "nights", "year", "metadata", "inserted_at", "updated_at")
       SELECT ${id}, ${place}, 'open', $1, ${nights}, 2000 + n % 20, '{}', now() + n * interval '1 ms', now()
       FROM generate_series(${first}, ${last}) AS n`,
      [stop],
    );
  await insert(1, UNITS, [`'place ' || n % 1000`, 'n % 5'], common);
  // The units that match are the last ones.
  await insert(UNITS + 1, UNITS + MATCHING, [`'rare'`, '7'], rare);
  await query(project, `VACUUM ANALYZE $schema."${table}"`);
}

/** The most rows that a step of the plan of a list reads. */
async function rowsRead(kindId: string, search: string): Promise<number> {
  const { app, database } = service.service;
  const tenant = await app.get(ProjectStore).find(project.id);
  const model = tenant && (await app.get(ModelStore).get(tenant));
  const kind = model?.kinds.get(kindId);
  if (!tenant || !kind) throw new Error('no kind');
  const plan = planList(listQueryOf(`/?count=none&limit=${LIMIT}&${search}`), {
    ...{ schema: tenant.schema, kind, access: undefined, visible: kind.fields },
  });
  const most = (node: PlanNode): number =>
    Math.max(
      node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      ...(node.Plans ?? []).map(most),
    );
  return most(await planOf(database, listStatement(plan)));
}

describe.each(['visit', 'coded'])('a page of %s', (kind) => {
  it.each([
    ['a parameter', 'filter=eq(place,rare)'],
    ['a reference', `filter=eq(stop,${rare})`],
    ['a list of indexes', 'filter=and(eq(nights,7),eq(year,2004))'],
    ['a value that most units have', 'filter=eq(state,open)'],
  ])('with one value of %s, in the default order, reads no others', async (_, search) => {
    expect(await rowsRead(kind, search)).toBeLessThanOrEqual(LIMIT + 1);
    const { items } = (await ok(project.get(`/${kind}/unit?limit=1&include=place&${search}`))) as {
      items: { place: string }[];
    };
    expect(items).toEqual([{ place: search.includes('open') ? 'place 1' : 'rare' }]);
  });
});

describe('the order by an indexed parameter', () => {
  it('reads the page alone, also where many units have the first value', async () => {
    expect(await rowsRead('visit', 'order=state;asc')).toBeLessThanOrEqual(LIMIT);
    expect(await rowsRead('visit', 'order=place;asc')).toBeLessThanOrEqual(LIMIT);
  });

  it('by cursor continues amid the units with one value', async () => {
    let cursor = '';
    for (let seen = 0; seen < 40_000; seen += 1000) {
      const { next } = (await ok(
        project.get(`/visit/unit?include=id&count=none&limit=1000&order=state;asc&cursor=${cursor}`),
      )) as { next: string };
      cursor = next;
    }
    expect(await rowsRead('visit', `order=state;asc&cursor=${cursor}`)).toBeLessThanOrEqual(LIMIT + 1);
    expect(await rowsRead('visit', `filter=eq(state,open)&cursor=`)).toBeLessThanOrEqual(LIMIT + 1);
  });
});
