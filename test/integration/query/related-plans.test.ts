/** Plans of filters and orders over related units, with 100,000 of them: each unit reads the index of its relation. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sharedService } from '../../support/service.js';
import { planOf } from '../../support/plans.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { nodesOf } from '../../../src/unit/tuning/query-plan.js';

const ARTICLES = 2000;
const COMMENTS = 100_000;

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  { id: 'article', parameters: [{ id: 'title', kind_id: 'string' }] },
  {
    id: 'comment',
    parameters: [
      { id: 'article', kind_id: 'unit', reference_kind: 'article' },
      { id: 'n', kind_id: 'integer' },
    ],
  },
);
const uuid = (number: string) => `('0190163d-8694-739b-aea5-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
await query(
  project,
  `INSERT INTO $schema."article" ("id", "title", "metadata", "inserted_at", "updated_at")
    SELECT ${uuid('i')}, i::text, '{}', now(), now() FROM generate_series(1, ${ARTICLES}) AS i`,
);
await query(
  project,
  `INSERT INTO $schema."comment" ("id", "article", "n", "metadata", "inserted_at", "updated_at")
    SELECT ${uuid('1000000 + i')}, ${uuid(`1 + i % ${ARTICLES}`)}, i % 10, '{}', now(), now()
    FROM generate_series(1, ${COMMENTS}) AS i`,
);
await query(
  project,
  `INSERT INTO $schema."_link" ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at")
    SELECT 'article', ${uuid(`1 + i % ${ARTICLES}`)}::text, 'comment', ${uuid('1000000 + i')}::text, 'link', now()
    FROM generate_series(1, ${COMMENTS}) AS i`,
);
for (const table of ['article', 'comment', '_link']) await query(project, `ANALYZE $schema."${table}"`);

/** The scans of whole tables that a request repeats. */
async function repeatedScans(path: string): Promise<string[]> {
  const statements: Statement[] = [];
  const stop = observeStatements(project.service.database, (statement) => statements.push(statement));
  await ok(project.get(path));
  stop();
  const [statement, ...others] = statements.filter(({ text }) => text.includes('"article"'));
  expect(others).toEqual([]);
  const nodes = [...nodesOf(await planOf(project.service.database, statement as Statement))];
  expect(nodes.length).toBeGreaterThan(3);
  const repeated = nodes.filter((node) => node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 2);
  return repeated.map((node) => node['Relation Name'] ?? '').filter((name) => ['comment', '_link'].includes(name));
}

it.each([
  'limit=50&filter=exists(comment.article)',
  'limit=50&filter=exists(comment.article,eq(n,3))',
  'limit=50&filter=not(exists(comment.article,gt(n,3)))',
  'limit=50&filter=gt(count_related(comment.article,eq(n,3)),2)',
  'limit=50&order=-count_related(comment.article)',
  'limit=50&include=title,comments:count_related(comment.article)',
  'limit=50&include=title,latest:related(comment.article,order=-inserted_at,limit=3)',
  'limit=50&filter=linked(link,child)',
  'limit=50&filter=linked(link,child,comment,eq(n,3))',
  'limit=50&filter=linked(link,child,gt(link.inserted_at,2020-01-01))',
  'limit=50&filter=linked(link,child,comment,or(gt(link.inserted_at,2020-01-01),eq(n,3)))',
  'limit=50&order=-count_linked(link,child,gt(link.inserted_at,2020-01-01))',
  'limit=50&include=title,comments:count_linked(link,child,comment,eq(n,3))',
])('%s', async (search) => {
  expect(await repeatedScans(`/article/unit?${search}`)).toEqual([]);
});
