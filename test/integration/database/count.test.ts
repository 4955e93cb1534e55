/** Query plans of lists: a short first page is not counted, and indexes are used. */
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

const service = await sharedService();
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  label: 'Note',
  parameters: [
    { id: 'name', kind_id: 'string', indexed: true },
    { id: 'size', kind_id: 'integer' },
  ],
});
for (let round = 0; round < 3; round += 1)
  await project.post(
    '/note/unit',
    Array.from({ length: 1000 }, (_, at) => ({ name: `n${round}-${at}`, size: at })),
  );

/** The nodes of the plan that were run, of a list as the service asks for it. */
async function nodes(query: string): Promise<string[]> {
  const { app, database } = service.service;
  const tenant = await app.get(ProjectStore).find(project.id);
  if (!tenant) throw new Error('no project');
  const model = await app.get(ModelStore).get(tenant);
  const kind = model.kinds.get('note');
  if (!kind) throw new Error('no kind');
  const statement = listStatement(
    planList(listQueryOf(`/?${query}`), { schema: tenant.schema, kind, access: undefined, visible: kind.fields }),
  );
  await database.run({ text: ['ANALYZE "project_', project.id, '".note'].join(''), values: [] });
  const walk = (node: PlanNode): string[] =>
    node['Actual Loops'] === 0
      ? []
      : [
          `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`,
          ...(node.Plans ?? []).flatMap(walk),
        ];
  return walk(await planOf(database, statement));
}

/** Of the table itself; that of the model is read once by every statement. */
const scans = (run: readonly string[]) => run.filter((node) => / Scan (?:note$|_note_)/.test(node));

describe('a list', () => {
  it('whose first page is not full reads the table once', async () => {
    const short = await nodes('filter=eq(size,5)');
    const full = await nodes('filter=eq(size,5)&limit=2');
    expect(scans(short).length).toBe(scans(full).length - 1);
  });

  it('without a count reads it once', async () => {
    const filter = 'filter=gte(size,0)&limit=2';
    expect(scans(await nodes(`count=none&${filter}`)).length).toBe(scans(await nodes(filter)).length - 1);
  });

  it.each([
    ['filter=eq(name,n1-5)', /_note_name/],
    ['filter=in(name,n1-5,n2-5)', /_note_name/],
    ['filter=startswith(name,n1-55)', /_note_name/],
    ['filter=and(gte(name,n1-55),lt(name,n1-56))', /_note_name/],
    ['order=name;asc&limit=10&count=none', /_note_name/],
    ['order=name;desc&limit=10&count=none', /_note_name/],
    ['limit=10&count=none', /_pkey/],
  ])('%s uses an index', async (query, index) => {
    expect((await nodes(query)).join('\n')).toMatch(index);
  });

  it('by cursor costs the same at the end as at the beginning', async () => {
    let next = '';
    for (let page = 0; page < 2; page += 1) {
      const reply = await project.get(`/note/unit?order=name;desc&limit=1000&count=none&cursor=${next}`);
      next = reply.body.content.next as string;
    }
    const run = await nodes(`order=name;desc&limit=10&count=none&cursor=${next}`);
    expect(run.join('\n')).toMatch(/_note_name/);
    expect(run).not.toContain('Seq Scan note');
  });
});
