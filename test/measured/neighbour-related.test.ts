/**
 * One project asks the most expensive questions over related units and searches that it may, many at once, over 25,000
 * units; another one, which reads one unit at a time, does not wait for it.
 */
import { beforeAll, expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { query } from '../support/definitions.js';
import { beside, quietNote } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';

const [ARTICLES, COMMENTS, VOTES] = [500, 5000, 20_000];
const AT_ONCE = 6;
/** Milliseconds: for each request of the quiet project, and for half of them. */
const BOUND = 2000;
const USUAL = 300;

const service = await sharedService();
const quiet = await service.project();
const note = await quietNote(quiet);
const project = await service.project();

beforeAll(async () => {
  await defineKinds(
    project,
    { id: 'article', parameters: [{ id: 'title', kind_id: 'text', search: 'english' }] },
    {
      id: 'comment',
      parameters: [
        { id: 'article', kind_id: 'unit', reference_kind: 'article' },
        { id: 'text', kind_id: 'text', search: 'english' },
      ],
    },
    {
      id: 'vote',
      parameters: [
        { id: 'comment', kind_id: 'unit', reference_kind: 'comment' },
        { id: 'n', kind_id: 'integer' },
      ],
    },
  );
  const uuid = (number: string) => `('0190163d-8694-739b-aea5-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
  const fill = (kind: string, columns: string, values: string, count: number, from: number) =>
    query(
      project,
      `INSERT INTO $schema."${kind}" ("id", ${columns}, "metadata", "inserted_at", "updated_at")
        SELECT ${uuid(`${from} + i`)}, ${values}, '{}', now(), now() FROM generate_series(0, ${count - 1}) AS i`,
    );
  await fill('article', '"title"', `'title ' || i`, ARTICLES, 0);
  const words = `'the common words of comment number ' || i || repeat(' lorem ipsum dolor', 5)`;
  await fill('comment', '"article", "text"', `${uuid(`i % ${ARTICLES}`)}, ${words}`, COMMENTS, 1_000_000);
  await fill('vote', '"comment", "n"', `${uuid(`1000000 + i % ${COMMENTS}`)}, i % 10`, VOTES, 2_000_000);
  await query(
    project,
    `INSERT INTO $schema."_link" ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at")
      SELECT 'vote', ${uuid('2000000 + i')}::text, 'vote', ${uuid(`2000000 + i * 7 % ${VOTES}`)}::text, 'link', now()
      FROM generate_series(0, ${VOTES - 1}) AS i`,
  );
  for (const table of ['article', 'comment', 'vote', '_link']) await query(project, `ANALYZE $schema."${table}"`);
}, 60_000);

/** Twenty functions, three inside one another, none of which an index decides. */
const deep = (n: number) => `exists(comment.article,not(exists(vote.comment,gt(count_linked(link,child,vote),${n}))))`;
const nested = `or(${[7, 8, 9].map((n) => `not(${deep(n)})`).join()},${[4, 5, 6].map(deep).join()})`;
const linked = 'linked(link,child,vote,linked(link,child,vote,not(linked(link,parent,vote,gt(n,9)))))';
const counted = 'count_related(comment.article,exists(vote.comment,gt(n,3)))';

it.each([
  ['lists by related units', `/article/unit?filter=${nested}&order=-${counted}&limit=50`],
  ['counts along links', `/vote/unit?filter=${linked}&limit=1`],
  ['aggregates of related units', `/article/aggregate?group=title&select=s:sum(${counted})&filter=${nested}&limit=50`],
  ['searches by rank', '/comment/unit?search=common lorem&order=rank();desc&include=[id,snippet(text)]&limit=100'],
])('%s keep nobody waiting', { timeout: 120_000 }, async (_, path) => {
  const { waits, held, result } = await beside(quiet, note, () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => project.get(path))),
  );
  // Beyond its share of the connections the project waits, and at last is refused.
  expect(result.map(({ status }) => status).filter((status) => ![200, 503].includes(status))).toEqual([]);
  expect(result[0]?.status).toBe(200);
  expect(held).toBeLessThan(BOUND);
  expect(Math.max(...waits)).toBeLessThan(BOUND);
  expect(waits.toSorted((one, other) => one - other)[waits.length >> 1]).toBeLessThan(USUAL);
});
