/**
 * JSON within the size limit of an answer. A larger one fails in PostgreSQL with an error that `sqlstate.ts`
 * recognises. A list that would be too large is not built at all, so that no server process needs the memory for it.
 */
import { LIMITS } from '../shared/limits.js';
import { integer, join, sql, type Fragment } from './fragment.js';

const MAX_ANSWER_BYTES = integer(LIMITS.answerBytes);

/** An expression that fails. Its number comes from a query, so that the planner cannot evaluate it in advance. */
const FAIL_TOO_LARGE = sql`repeat('-', (SELECT 1073741824))`;

/** A text within the limit. It should be a column, because it is evaluated twice. */
export function bounded(text: Fragment): Fragment {
  return sql`CASE WHEN octet_length(${text}) > ${MAX_ANSWER_BYTES} THEN ${FAIL_TOO_LARGE} ELSE ${text} END`;
}

/**
 * A value, where several values of the row together have to be within the limit.
 * @param type of the value
 * @param texts all of them as texts, or as columns of texts, whose size is known without reading them; and how often each
 *   is read
 */
export function boundedTogether(
  value: Fragment,
  type: Fragment,
  texts: readonly { readonly text: Fragment; readonly times: number }[],
): Fragment {
  const sizes = texts.map(({ text, times }) => sql`coalesce(octet_length(${text}), 0)::bigint * ${integer(times)}`);
  const isTooLarge = sql`${join(sizes, ' + ')} > ${MAX_ANSWER_BYTES}`;
  return sql`CASE WHEN ${isTooLarge} THEN ${FAIL_TOO_LARGE}::${type} ELSE ${value} END`;
}

/** The text of each row, where all texts together have to be within the limit. */
export function boundedInTotal(text: Fragment): Fragment {
  return sql`
    CASE
      WHEN sum(octet_length(${text})) OVER (ROWS UNBOUNDED PRECEDING) > ${MAX_ANSWER_BYTES} THEN ${FAIL_TOO_LARGE}
      ELSE ${text}
    END
  `;
}

/**
 * The JSON list of an item per row, in the order of the rows; `from` is what follows FROM.
 * @param shares the number of lists that share the limit
 */
export function boundedList(item: Fragment, from: Fragment, shares = 1): Fragment {
  const most = shares === 1 ? MAX_ANSWER_BYTES : integer(Math.floor(LIMITS.answerBytes / shares));
  const sized = sql`
    SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto
    FROM (SELECT ${item} AS item FROM ${from} OFFSET 0) AS i
  `;
  return sql`(
    SELECT CASE
      WHEN max(s.upto) > ${most} THEN ${FAIL_TOO_LARGE}::json
      ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= ${most}), '[]')
    END
    FROM (${sized}) AS s
  )`;
}

/**
 * The size of stored rows up to which their JSON is built without measuring it: compressed values grow 256-fold at
 * most.
 */
const MAX_UNMEASURED_BYTES = integer(1024 * 1024);

/** The JSON list of the rows of a table, as text. Rows that are small together are not measured one by one. */
export function boundedRows(item: (row: Fragment) => Fragment, table: Fragment): Fragment {
  const measured = boundedList(item(sql`row_to_json(${table})`), table);
  return sql`coalesce(${smallRows(item, table)}, ${measured}::text)`;
}

/**
 * The same, but null if the rows have to be measured: `boundedRows` takes PostgreSQL a fifth longer to plan, executed or
 * not.
 */
export function smallRows(item: (row: Fragment) => Fragment, table: Fragment): Fragment {
  const light = sql`(SELECT coalesce(sum(pg_column_size(${table})), 0) FROM ${table}) <= ${MAX_UNMEASURED_BYTES}`;
  const list = sql`(
    SELECT ${bounded(sql`l.items`)}
    FROM (SELECT coalesce(json_agg(${item(table)}), '[]')::text AS items FROM ${table}) AS l
  )`;
  return sql`CASE WHEN ${light} THEN ${list} END`;
}
