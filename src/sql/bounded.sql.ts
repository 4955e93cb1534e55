/**
 * JSON that never exceeds what an answer may have. PostgreSQL refuses what would, before it is sent, with an error that
 * `sqlstate.ts` knows; a list is not even put together, so that no server process takes the memory for it.
 */
import { LIMITS } from '../shared/limits.js';
import { integer, sql, type Fragment } from './fragment.js';

const MAX_BYTES = integer(LIMITS.answerBytes);

/** Fails. A number from a query is none that the planner could work out, and fail, where this is not reached. */
const FAIL_TOO_LARGE = sql`repeat('-', (SELECT 1073741824))`;

/** A text, which should be a column: it is named twice. */
export function bounded(text: Fragment): Fragment {
  return sql`CASE WHEN octet_length(${text}) > ${MAX_BYTES} THEN ${FAIL_TOO_LARGE} ELSE ${text} END`;
}

/** The texts of a column `text`, row by row, as long as all so far together are no more than one may be. */
export function boundedInTotal(text: Fragment): Fragment {
  return sql`
    CASE
      WHEN sum(octet_length(${text})) OVER (ROWS UNBOUNDED PRECEDING) > ${MAX_BYTES} THEN ${FAIL_TOO_LARGE}
      ELSE ${text}
    END
  `;
}

/** The JSON list of the items of some rows, in their order; `from` is what follows FROM. */
export function boundedList(item: Fragment, from: Fragment): Fragment {
  const sized = sql`
    SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto
    FROM (SELECT ${item} AS item FROM ${from} OFFSET 0) AS i
  `;
  return sql`(
    SELECT CASE
      WHEN max(s.upto) > ${MAX_BYTES} THEN ${FAIL_TOO_LARGE}::json
      ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= ${MAX_BYTES}), '[]')
    END
    FROM (${sized}) AS s
  )`;
}

/** Bytes of rows, as stored, whose JSON a server process may put together unseen: compressed values grow 256-fold at most. */
const MAX_UNMEASURED_BYTES = integer(1024 * 1024);

/** The same for the whole rows of a table, as a text: what is light is not measured one by one. `json_agg` takes rows as they are. */
export function boundedRows(item: (row: Fragment) => Fragment, table: Fragment): Fragment {
  const light = sql`(SELECT sum(pg_column_size(${table})) FROM ${table}) <= ${MAX_UNMEASURED_BYTES}`;
  const list = sql`(
    SELECT ${bounded(sql`l.items`)}
    FROM (SELECT coalesce(json_agg(${item(table)}), '[]')::text AS items FROM ${table}) AS l
  )`;
  return sql`CASE WHEN ${light} THEN ${list} ELSE ${boundedList(item(sql`row_to_json(${table})`), table)}::text END`;
}
