/** Settings of connections, and of roles. */
import { ident, join, literal, param, render, sql, type Statement } from '../fragment.js';

/**
 * A row per setting: `name` in lower case, `value` in PostgreSQL's unit (such as milliseconds), and of the connection
 * `backend` (the number of the server's process), `role`, `database`, `superuser`,
 * `unlimited` (temporary files have no limit), and `limits` (the role may set one).
 */
export function readSettingsStatement(names: readonly string[]): Statement {
  return render(
    sql`
      SELECT
        lower(s.name) AS name,
        s.setting AS value,
        pg_backend_pid() AS backend,
        current_user AS role,
        current_database() AS database,
        (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) AS superuser,
        current_setting('temp_file_limit') = '-1' AS unlimited,
        has_parameter_privilege('temp_file_limit', 'SET') AS limits
      FROM pg_catalog.pg_settings AS s
      WHERE lower(s.name) = ANY(${param(names)}::text[])
    `,
  );
}

/** The text of statements that give a role its settings in one database, for an operator to run. */
export function alterRoleText(role: string, database: string, settings: ReadonlyMap<string, string>): string {
  const statements = [...settings].map(
    ([name, value]) =>
      sql`ALTER ROLE ${ident(role)} IN DATABASE ${ident(database)} SET ${ident(name)} = ${literal(value)};`,
  );
  return render(join(statements, ' ')).text;
}
