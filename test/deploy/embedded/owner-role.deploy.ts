/** The embedded database is used with a role that owns it and has no other rights. */
import 'reflect-metadata';
import { expect, test } from 'vitest';
import type { ServerConnection } from '../../../src/database/connection/connection.js';
import { OWNER } from '../../../packages/embedded-postgres/data-folder.js';
import { freshFolder, open, query } from './support.js';

test('has no further rights', async () => {
  const dataDir = await freshFolder();
  const connection = (await open(dataDir)).connection as ServerConnection;
  expect(connection).toMatchObject({ user: OWNER, database: 'kind' });
  const [role] = await query(
    connection,
    'SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user',
  );
  expect(Object.values(role ?? {})).toEqual([false, false, false, false, false]);
  for (const database of ['postgres', 'template1']) {
    await expect(query({ ...connection, database }, 'SELECT 1')).rejects.toThrow(/permission denied for database/);
  }
  for (const statement of [
    'CREATE DATABASE other',
    'CREATE ROLE other',
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('postgresql.conf')",
    'ALTER SYSTEM SET fsync = off',
    `ALTER ROLE ${OWNER} SUPERUSER`,
  ]) {
    await expect(query(connection, statement), statement).rejects.toMatchObject({ code: '42501' });
  }
  // What an owner needs, and an extension that PostgreSQL trusts.
  await query(connection, 'CREATE SCHEMA mine; CREATE TABLE mine.t (n int); DROP SCHEMA mine CASCADE');
});
