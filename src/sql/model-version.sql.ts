/** The version of a project's model, which statements return so that a process notices that its model is outdated. */
import { EMPTY_SQL, ident, param, render, sql, type Fragment, type Statement } from './fragment.js';

/** The table that has the version, in its only row. */
export const MODEL_TABLE = '_model';

/** The version, or null where `condition` is false. */
export function modelVersion(schema: string, condition?: Fragment): Fragment {
  const where = condition ? sql` WHERE ${condition}` : EMPTY_SQL;
  return sql`(SELECT "version" FROM ${ident(schema, MODEL_TABLE)}${where})`;
}

/** A number of rows that makes a plan the most expensive one. */
const TOO_MANY = sql`1000000000`;

/** A value that a plan for the values of a statement knows, and a generic plan does not. */
const KNOWN = param(true);

/**
 * A condition of `modelVersion`. It makes PostgreSQL plan a prepared statement for its values each time. From the sixth execution on it may use a generic
 * plan if that seems no more expensive, which treats rare values like common ones. This condition makes a generic plan
 * the most expensive one; in a custom plan `true OR …` is folded away. The setting `plan_cache_mode` does the same, but
 * for all statements of a connection, and a get by id is faster with its generic plan.
 */
export const FORCE_CUSTOM_PLAN = sql`(
  ${KNOWN}::boolean
  OR (SELECT count(*) FROM generate_series(1, ${TOO_MANY})) IS NULL
)`;

/**
 * The opposite: a generic plan expects few rows of the series, a custom plan knows that there would be many. The first
 * half is true, but not when the statement is planned, so that the second half is planned and never executed.
 */
const FORCE_GENERIC_PLAN = sql`(
  now() > '-infinity'
  OR (SELECT count(*) FROM generate_series(1, CASE WHEN ${KNOWN}::boolean THEN ${TOO_MANY} END)) IS NULL
)`;

const [, CUSTOM_END = ''] = render(FORCE_CUSTOM_PLAN).text.split('$1');
const [GENERIC_START = '', GENERIC_END = ''] = render(FORCE_GENERIC_PLAN).text.split('$1');

/**
 * The same statement, of which PostgreSQL makes one plan for all values, from the sixth execution on a connection on.
 * Undefined if the statement does not have `FORCE_CUSTOM_PLAN`. No name or literal contains the text that is replaced.
 */
export function withGenericPlan(statement: Statement): Statement | undefined {
  const [before = '', after, ...more] = statement.text.split(CUSTOM_END);
  const found = /\((\$\d+)$/.exec(before);
  if (!found || after === undefined || more.length > 0) return undefined;
  const start = before.slice(0, found.index);
  return { ...statement, text: `${start}${GENERIC_START}${found[1]}${GENERIC_END}${after}` };
}

/** Whether the model has the version that a plan was made with. */
export function isModelVersion(schema: string, expected: Fragment): Fragment {
  return sql`${modelVersion(schema)} = ${expected}::bigint`;
}

/** One row: the version as `v`, and columns of the row `u` that a query finds; they are null where it finds none. */
export function withModelVersion(schema: string, columns: Fragment, query: Fragment): Fragment {
  return sql`
    SELECT m."version" AS v, ${columns}
    FROM ${ident(schema, MODEL_TABLE)} AS m
    LEFT JOIN LATERAL (${query}) AS u ON true
  `;
}

/** One row `v`: the version. */
export function modelVersionStatement(schema: string): Statement {
  return render(sql`SELECT ${modelVersion(schema)} AS v`, true);
}
