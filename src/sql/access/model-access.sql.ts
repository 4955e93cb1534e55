/** Statements of access in definitions: what kinds, link types and parameters allow, and the default of a project. */
import type { KIND_KIND, LINK_KIND } from '../../model/built-in-traits.js';
import { PARAMETER_TABLE } from '../../model/built-in/built-in.js';
import type { AccessDefault } from '../../model/parameter-type/parameter-settings.js';
import { ident, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { MODEL_TABLE } from '../model-version.sql.js';

/** The setting `access_default` in the row of `MODEL_TABLE`; tables of versions without it have no such column. */
export function accessDefault(row: Fragment): Fragment {
  return sql`coalesce(to_jsonb(${row}) ->> 'access_default', 'open')`;
}

export function setAccessDefaultStatement(schema: string, value: AccessDefault): Statement {
  return render(sql`UPDATE ${ident(schema, MODEL_TABLE)} SET "access_default" = ${param(value)}`);
}

/** Replaces the access of a kind or link type. */
export function setAccessStatement(
  schema: string,
  of: typeof KIND_KIND | typeof LINK_KIND,
  id: string,
  access: unknown,
): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, of)}
      SET "access" = ${param(JSON.stringify(access))}::jsonb
      WHERE "id" = ${param(id)}
    `,
  );
}

/** Sets fields of a parameter, which had rules, to `nobody`. */
export function closeFieldAccessStatement(
  schema: string,
  id: string,
  fields: readonly ('read_access' | 'write_access')[],
): Statement {
  const changes = join(fields.map((field) => sql`${ident(field)} = 'nobody'`));
  return render(sql`UPDATE ${ident(schema, PARAMETER_TABLE)} SET ${changes} WHERE "id" = ${param(id)}`);
}
