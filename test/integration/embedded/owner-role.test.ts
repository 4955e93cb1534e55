/** The embedded database is used with a role that owns it and has no other rights. */
import 'reflect-metadata';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.js';
import type { ServerConnection } from '../../../src/database/connection/connection.js';
import { OWNER, readPassword, SUPERUSER } from '../../../src/database/embedded/data-folder.js';
import { startService } from '../../../src/service.js';
import { ADMIN, TestService } from '../../support/service.js';
import { freshFolder, initialisedFolder, open, query } from './support.js';

async function superuser(dataDir: string, connection: ServerConnection): Promise<ServerConnection> {
  const password = await readPassword(join(dataDir, 'postgres'));
  return { ...connection, user: SUPERUSER, password };
}

async function serve(dataDir: string, connection: ServerConnection) {
  const config = loadConfig({ PORT: '0', DATA_DIR: dataDir, FUNCTIONS_DIR: dataDir, FUNCTIONS_WATCH: 'off' }, dataDir);
  const bootstrap = {
    project: 'boot',
    adminUsername: ADMIN.username,
    adminEmail: ADMIN.email,
    adminPassword: ADMIN.password,
  };
  const secret = 'a secret for tests, at least thirty-two characters';
  const service = await startService({
    config: { ...config, bootstrap },
    secret,
    connection,
    logger: pino({ level: 'fatal' }),
  });
  return { service, project: await new TestService(service).signIn('boot') };
}

const STRANGERS =
  "SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.oid >= 16384 AND n.nspname !~ '^pg_' AND pg_get_userbyid(c.relowner) <> 'kind_owner'";

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

test('has all that a database of an older release has, whose tables were the superuser’s', async () => {
  const dataDir = await initialisedFolder();
  const first = await open(dataDir);
  const connection = first.connection as ServerConnection;
  const old = await superuser(dataDir, connection);
  // As an older release left it.
  await query(old, `ALTER DATABASE kind OWNER TO ${SUPERUSER}; DROP OWNED BY ${OWNER}; DROP ROLE ${OWNER}`);
  rmSync(join(dataDir, 'postgres', `${OWNER}.password`));
  const before = await serve(dataDir, old);
  await before.project.post('/kind/unit', {
    id: 'city',
    parameters: [{ id: 'name', kind_id: 'string', unique: true }],
  });
  await before.project.post('/city/unit', { name: 'Rome' });
  await before.service.stop();
  await query(
    old,
    `CREATE SCHEMA notes; CREATE TYPE notes.sort AS ENUM ('a'); CREATE DOMAIN notes.short AS text; CREATE TYPE notes.pair AS (a int, b int);
     CREATE TABLE notes.note (id int GENERATED ALWAYS AS IDENTITY, n serial, sort notes.sort); CREATE SEQUENCE notes.free;
     CREATE VIEW notes.seen AS SELECT * FROM notes.note; CREATE MATERIALIZED VIEW notes.kept AS SELECT 1 AS one;
     CREATE FUNCTION notes.one(int) RETURNS int LANGUAGE sql RETURN 1; CREATE TABLE public.loose (n int)`,
  );
  expect((await query(old, STRANGERS)).length).toBeGreaterThan(20);
  await first.stop();
  const again = (await open(dataDir)).connection as ServerConnection;
  expect(again.user).toBe(OWNER);
  expect(await query(again, STRANGERS)).toEqual([]);
  await query(
    again,
    "INSERT INTO notes.note (sort) SELECT 'a' FROM notes.seen; REFRESH MATERIALIZED VIEW notes.kept; ALTER TYPE notes.sort ADD VALUE 'b'; DROP FUNCTION notes.one; DROP DOMAIN notes.short; DROP TABLE public.loose; DROP SCHEMA notes CASCADE",
  );
  const after = await serve(dataDir, again);
  expect((await after.project.get('/city/unit')).body.content).toMatchObject({ count: 1, items: [{ name: 'Rome' }] });
  expect((await after.project.post('/city/unit', { name: 'Rome' })).status).toBe(409);
  expect((await after.project.put('/string/unit/name', { max_length: 10, indexed: true })).status).toBe(200);
  expect((await after.project.delete('/kind/unit/city?cascade=true')).status).toBe(200);
  await after.service.stop();
});
