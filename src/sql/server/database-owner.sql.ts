/** The embedded database, and the role that owns it. */
import { ident, join, literal, param, render, sql, type Statement } from '../fragment.js';

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

/** One row if the database exists. */
export function findDatabaseStatement(database: string): Statement {
  return render(sql`SELECT FROM pg_catalog.pg_database WHERE datname = ${param(database)}`);
}

export function createDatabaseStatement(database: string, role: string): Statement {
  return render(sql`CREATE DATABASE ${ident(database)} OWNER ${ident(role)}`);
}
