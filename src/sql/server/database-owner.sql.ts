/** The role that owns the embedded database, and how objects of the superuser become its property. */
import { ident, join, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** One row if the role exists. */
export function findRoleStatement(role: string): Statement {
  return render(sql`SELECT FROM pg_catalog.pg_roles WHERE rolname = ${param(role)}`);
}

const ROLE_ATTRIBUTES = sql`LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`;

export function createRoleStatement(role: string, password: string): Statement {
  return render(sql`CREATE ROLE ${ident(role)} ${ROLE_ATTRIBUTES} PASSWORD ${literal(password)}`);
}

export function setRolePasswordStatement(role: string, password: string): Statement {
  return render(sql`ALTER ROLE ${ident(role)} PASSWORD ${literal(password)}`);
}

/** Lets the role limit the temporary files of its sessions. */
export function grantTemporaryFileLimitStatement(role: string): Statement {
  return render(sql`GRANT SET ON PARAMETER temp_file_limit TO ${ident(role)}`);
}

/** Lets only superusers connect to these databases. */
export function revokePublicAccessStatement(databases: readonly string[]): Statement {
  return render(sql`REVOKE ALL ON DATABASE ${join(databases.map((name) => ident(name)))} FROM PUBLIC`);
}

/** One row `owner` if the database exists. */
export function databaseOwnerStatement(database: string): Statement {
  return render(
    sql`
      SELECT pg_get_userbyid(datdba) AS owner
      FROM pg_catalog.pg_database
      WHERE datname = ${param(database)}
    `,
  );
}

export function createDatabaseStatement(database: string, role: string): Statement {
  return render(sql`CREATE DATABASE ${ident(database)} OWNER ${ident(role)}`);
}

export function changeDatabaseOwnerStatement(database: string, role: string): Statement {
  return render(sql`ALTER DATABASE ${ident(database)} OWNER TO ${ident(role)}`);
}

/**
 * Rows `schema, sort, name`: the objects in the database that a role owns, without those of PostgreSQL and extensions.
 */
function ownedObjects(role: Fragment): Fragment {
  const isOwner = (owner: Fragment) => sql`${owner} = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = ${role})`;
  // Object ids below 16384 are PostgreSQL's own.
  const isUserSchema = sql`n.oid >= 16384 OR n.nspname = 'public'`;
  const isPartOfAnother = (table: Fragment, oid: Fragment) =>
    sql`EXISTS (
      SELECT
      FROM pg_catalog.pg_depend AS d
      WHERE d.classid = ${table}::regclass AND d.objid = ${oid} AND d.deptype IN ('e', 'i', 'a')
    )`;
  const schemas = sql`
    SELECT n.nspname AS schema, 'SCHEMA' AS sort, format('%I', n.nspname) AS name
    FROM pg_catalog.pg_namespace AS n
    WHERE ${isOwner(sql`n.nspowner`)} AND n.oid >= 16384
  `;
  const relations = sql`
    SELECT
      n.nspname,
      CASE c.relkind
        WHEN 'v' THEN 'VIEW'
        WHEN 'm' THEN 'MATERIALIZED VIEW'
        WHEN 'S' THEN 'SEQUENCE'
        WHEN 'f' THEN 'FOREIGN TABLE'
        ELSE 'TABLE'
      END,
      format('%I.%I', n.nspname, c.relname)
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE (${isUserSchema})
      AND ${isOwner(sql`c.relowner`)}
      AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
      AND NOT ${isPartOfAnother(literal('pg_class'), sql`c.oid`)}
  `;
  const types = sql`
    SELECT n.nspname, 'TYPE', format('%I.%I', n.nspname, t.typname)
    FROM pg_catalog.pg_type AS t
    JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
    WHERE (${isUserSchema})
      AND ${isOwner(sql`t.typowner`)}
      AND (
        t.typtype IN ('d', 'e', 'r')
          OR t.typtype = 'c'
          AND (SELECT relkind FROM pg_catalog.pg_class WHERE oid = t.typrelid) = 'c'
      )
      AND NOT ${isPartOfAnother(literal('pg_type'), sql`t.oid`)}
  `;
  const routines = sql`
    SELECT n.nspname, 'ROUTINE', p.oid::regprocedure::text
    FROM pg_catalog.pg_proc AS p
    JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
    WHERE (${isUserSchema}) AND ${isOwner(sql`p.proowner`)} AND NOT ${isPartOfAnother(literal('pg_proc'), sql`p.oid`)}
  `;
  const collations = sql`
    SELECT n.nspname, 'COLLATION', format('%I.%I', n.nspname, c.collname)
    FROM pg_catalog.pg_collation AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.collnamespace
    WHERE (${isUserSchema}) AND ${isOwner(sql`c.collowner`)} AND NOT ${isPartOfAnother(literal('pg_collation'), sql`c.oid`)}
  `;
  return join([schemas, relations, types, routines, collations], ' UNION ALL ');
}

/** Rows `schema`: the schemas in which a role owns objects. */
export function schemasOfRoleStatement(role: string): Statement {
  return render(sql`
    SELECT DISTINCT b.schema
    FROM (${ownedObjects(literal(role))}) AS b
    ORDER BY 1
  `);
}

/** Gives all objects of a role in a schema to another role. */
export function changeSchemaOwnerStatement(schema: string, from: string, to: string): Statement {
  const owned = sql`
    SELECT b.sort, b.name
    FROM (${ownedObjects(literal(from))}) AS b
    WHERE b.schema = ${literal(schema)}
  `;
  const changeOwner = sql`EXECUTE format('ALTER %s %s OWNER TO %I', r.sort, r.name, ${literal(to)})`;
  const body = render(sql`DECLARE r record; BEGIN FOR r IN ${owned} LOOP ${changeOwner}; END LOOP; END`).text;
  return render(sql`DO ${literal(body)}`);
}
