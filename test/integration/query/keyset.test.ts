/** A page by cursor costs the same wherever it is: in every direction, of parameters that may be null and that may not. */
import { describe, expect, it } from 'vitest';
import { ModelStore } from '../../../src/catalog/model/model-store.js';
import { listQueryOf } from '../../support/list-query.js';
import { listStatement } from '../../../src/sql/list/select.sql.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { planList } from '../../../src/unit/query/list.plan.js';
import type { PlanNode } from '../../../src/unit/tuning/query-plan.js';
import { defineKinds } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';
import { planOf } from '../../support/plans.js';

const UNITS = 20_000;
const LIMIT = 10;
/** One in so many units has no `rank`. */
const NULLS = 4;

const service = await sharedService();
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  label: 'Note',
  parameters: [
    { id: 'rank', kind_id: 'integer', indexed: true },
    { id: 'place', kind_id: 'integer', indexed: true, nullable: false },
  ],
});
/** 7919 has no factor in common with the number of units, so that all numbers come, in no order. */
const scattered = (at: number) => (at * 7919) % UNITS;
for (let start = 0; start < UNITS; start += 1000) {
  const bodies = Array.from({ length: 1000 }, (_, at) => scattered(start + at)).map((place) => ({
    place,
    rank: place % NULLS === 0 ? null : place,
  }));
  const made = await project.post('/note/unit', bodies);
  if (made.status !== 200) throw new Error(made.text);
}
await service.service.database.run({ text: ['VACUUM ANALYZE "project_', project.id, '".note'].join(''), values: [] });

interface Node extends PlanNode {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

interface Cost {
  /** Pages of tables and indexes that were looked at. */
  readonly buffers: number;
  /** Rows that were read, to be dropped or to be given on. */
  readonly rows: number;
}

async function costOf(query: string): Promise<Cost> {
  const { app, database } = service.service;
  const tenant = await app.get(ProjectStore).find(project.id);
  const model = tenant && (await app.get(ModelStore).get(tenant));
  const kind = model?.kinds.get('note');
  if (!tenant || !kind) throw new Error('no kind');
  const statement = listStatement(
    planList(listQueryOf(`/?${query}`), { schema: tenant.schema, kind, access: undefined, visible: kind.fields }),
  );
  const plan = (await planOf(database, statement)) as Node;
  const most = (node: PlanNode): number =>
    Math.max(
      node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      ...(node.Plans ?? []).map(most),
    );
  return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: most(plan) };
}

/** The cursor behind so many units. */
async function cursorBehind(units: number, order: string, limit = 1000): Promise<string> {
  let cursor = '';
  for (let seen = 0; seen < units; seen += limit) {
    const { content } = (
      await project.get(`/note/unit?include=id&count=none&limit=${limit}&order=${order}&cursor=${cursor}`)
    ).body as { content: { next: string } };
    cursor = content.next;
  }
  return cursor;
}

describe('a page by cursor', () => {
  it.each([
    ['place;asc', [1000, 10_000, 18_000]],
    ['place;desc', [1000, 10_000, 18_000]],
    // Numbers first, then the nulls from 15,000 on.
    ['rank;asc', [1000, 10_000, 14_000, 15_000, 16_000, 18_000]],
    // Nulls first, then the numbers from 5,000 on.
    ['rank;desc', [1000, 4000, 5000, 6000, 10_000, 18_000]],
    ['rank;desc;nulls_last', [0, 1000, 10_000, 14_000, 15_000, 16_000, 18_000]],
    ['rank;asc;nulls_first', [0, 1000, 4000, 5000, 6000, 10_000, 18_000]],
  ])('by %s reads no more than it needs, however deep', async (order, depths) => {
    for (const depth of depths) {
      const cursor = await cursorBehind(depth, order);
      const { buffers, rows } = await costOf(`limit=${LIMIT}&count=none&order=${order}&cursor=${cursor}`);
      expect(buffers, `buffers at ${depth}`).toBeLessThan(200);
      expect(rows, `rows at ${depth}`).toBeLessThan(200);
    }
  });

  it.each(['rank;asc', 'rank;desc'])('holds the units on both sides of where nulls begin or end: %s', async (order) => {
    const everything: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { content } = (
        await project.get(`/note/unit?include=rank&count=none&limit=999&order=${order}&cursor=${cursor}`)
      ).body as { content: { items: { rank: number | null }[]; next: string | null } };
      everything.push(...content.items.map(({ rank }) => rank));
      cursor = content.next;
    }
    const ranks = Array.from({ length: UNITS }, (_, at) => at).filter((at) => at % NULLS !== 0);
    const nulls = Array.from({ length: UNITS / NULLS }, () => null);
    expect(everything).toEqual(order.endsWith('asc') ? [...ranks, ...nulls] : [...nulls, ...ranks.reverse()]);
  });
});
