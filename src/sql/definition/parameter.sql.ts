/** Statements of the stored parameters, with the definitions in whose bodies they were defined (`defined_in`). */
import { PARAMETER_TABLE } from '../../model/built-in/built-in.js';
import { ident, param, render, sql, type Statement } from '../fragment.js';
import { recordset } from './model.sql.js';

/** Adds to parameters the definition in whose body they were defined. */
export function recordDefinedInStatement(schema: string, kinds: ReadonlyMap<string, string>): Statement {
  const rows = recordset(
    [...kinds].map(([id, kind]) => ({ id, kind })),
    sql`"id" text, "kind" text`,
  );
  return render(
    sql`
      UPDATE ${ident(schema, PARAMETER_TABLE)} AS t
      SET "defined_in" = array_append(array_remove(t."defined_in", i."kind"), i."kind")
      FROM ${rows}
      WHERE t."id" = i."id"
    `,
  );
}

/** Deletes parameters, and removes deleted owners from `defined_in` of the others. */
export function deleteParametersStatement(
  schema: string,
  ids: readonly string[],
  deletedKinds: readonly string[],
): Statement {
  const [table, kinds] = [ident(schema, PARAMETER_TABLE), sql`${param(deletedKinds)}::text[]`];
  const remaining = sql`ARRAY(SELECT e FROM unnest(t."defined_in") AS e WHERE e <> ALL(${kinds}))`;
  const otherParameters = sql`
    UPDATE ${table} AS t
    SET "defined_in" = ${remaining}
    WHERE t."defined_in" && ${kinds} AND t."id" <> ALL(${param(ids)}::text[])
  `;
  return render(sql`
    WITH others AS (${otherParameters})
    DELETE FROM ${table}
    WHERE "id" = ANY(${param(ids)}::text[])
  `);
}
