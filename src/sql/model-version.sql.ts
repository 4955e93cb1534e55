/** The version of a project's model, which statements return so that a process notices that its model is outdated. */
import { EMPTY_SQL, ident, param, render, sql, type Fragment, type Statement } from './fragment.js';

/** The table that has the version, in its only row. */
export const MODEL_TABLE = '_model';

/** The version, or null where `condition` is false. */
export function modelVersion(schema: string, condition?: Fragment): Fragment {
  const where = condition ? sql` WHERE ${condition}` : EMPTY_SQL;
  return sql`(SELECT "version" FROM ${ident(schema, MODEL_TABLE)}${where})`;
}

/**
 * A condition of `modelVersion`. It makes PostgreSQL plan a prepared statement for its values each time. From the sixth execution on it may use a generic
 * plan if that seems no more expensive, which treats rare values like common ones. This condition makes a generic plan
 * the most expensive one; in a custom plan `true OR …` is folded away. The setting `plan_cache_mode` does the same, but
 * for all statements of a connection, and a get by id is faster with its generic plan.
 */
export const FORCE_CUSTOM_PLAN = sql`(
  ${param(true)}::boolean
  OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL
)`;

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

/** One row `version`: the version of the built-in model that the tables of a project have. */
export function builtInVersionStatement(schema: string): Statement {
  return render(sql`SELECT "built_in" AS version FROM ${ident(schema, MODEL_TABLE)}`);
}
