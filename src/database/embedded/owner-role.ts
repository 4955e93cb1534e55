/**
 * The role that the embedded database belongs to, and as which the service, commands and people use it: it may do
 * nothing beyond that database. The superuser is for looking after the server alone.
 */
import type { Client } from 'pg';
import type { Statement } from '../../sql/fragment.js';
import {
  revokePublicAccessStatement,
  createDatabaseStatement,
  createRoleStatement,
  databaseOwnerStatement,
  findRoleStatement,
  changeDatabaseOwnerStatement,
  changeSchemaOwnerStatement,
  schemasOfRoleStatement,
  setRolePasswordStatement,
} from '../../sql/database-owner.sql.js';
import { OWNER, SUPERUSER } from './data-folder.js';
import { DATABASE } from './owner-lock.js';

/** Databases that every server has. */
const OTHERS = ['postgres', 'template1'];

export interface OwnerRoleOptions {
  readonly password: string;
  /** A session of the superuser in the database; ended by whoever asked for it. */
  readonly connect: () => Promise<Client>;
  readonly log: (line: string) => void;
}

/**
 * Makes role and database, or gives a database of an older release to the role: schema by schema, so that it never holds
 * many locks, and goes on where it was interrupted. @param client a session of the superuser
 */
export async function prepareOwner(client: Client, { password, connect, log }: OwnerRoleOptions): Promise<void> {
  const known = await run(client, findRoleStatement(OWNER));
  if (known.length > 0) await run(client, setRolePasswordStatement(OWNER, password));
  else {
    await run(client, revokePublicAccessStatement(OTHERS));
    await run(client, createRoleStatement(OWNER, password));
  }
  const [database] = await run<{ owner: string }>(client, databaseOwnerStatement(DATABASE));
  if (!database) {
    await run(client, createDatabaseStatement(DATABASE, OWNER));
    return;
  }
  if (database.owner !== OWNER) await run(client, changeDatabaseOwnerStatement(DATABASE, OWNER));
  const session = await connect();
  try {
    const schemas = await run<{ schema: string }>(session, schemasOfRoleStatement(SUPERUSER));
    if (schemas.length > 0) {
      log(`giving the database to the role ${OWNER}, which has no rights beyond it: ${schemas.length} schemas`);
    }
    for (const { schema } of schemas) await run(session, changeSchemaOwnerStatement(schema, SUPERUSER, OWNER));
  } finally {
    await session.end().catch(() => undefined);
  }
}

async function run<Row>(client: Client, { text, values }: Statement): Promise<Row[]> {
  return (await client.query(text, [...values])).rows as Row[];
}
