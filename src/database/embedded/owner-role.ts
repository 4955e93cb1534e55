/**
 * The role that owns the embedded database. The service, commands and people use it; it has no rights beyond the
 * database. The superuser is for administration only.
 */
import type { Client } from 'pg';
import {
  revokePublicAccessStatement,
  createDatabaseStatement,
  createRoleStatement,
  databaseOwnerStatement,
  findRoleStatement,
  grantTemporaryFileLimitStatement,
  changeDatabaseOwnerStatement,
  changeSchemaOwnerStatement,
  schemasOfRoleStatement,
  setRolePasswordStatement,
} from '../../sql/server/database-owner.sql.js';
import { runOnClient } from '../statement/run-on-client.js';
import { OWNER, SUPERUSER } from './data-folder.js';
import { DATABASE } from './owner-lock.js';

/** Default databases of every server. */
const DEFAULT_DATABASES = ['postgres', 'template1'];

interface OwnerRoleOptions {
  readonly password: string;
  /** Opens a session of the superuser in the database; the caller ends it. */
  readonly connect: () => Promise<Client>;
  readonly log: (line: string) => void;
}

/**
 * Creates the role and the database, or transfers a database of an older release to the role: schema by schema, so that
 * it holds few locks and can resume.
 * @param client a session of the superuser
 */
export async function prepareOwner(client: Client, { password, connect, log }: OwnerRoleOptions): Promise<void> {
  const known = await runOnClient(client, findRoleStatement(OWNER));
  const [database] = await runOnClient<{ owner: string }>(client, databaseOwnerStatement(DATABASE));
  if (known.length === 0) {
    await runOnClient(client, revokePublicAccessStatement(DEFAULT_DATABASES));
    await runOnClient(client, createRoleStatement(OWNER, password));
  }
  await runOnClient(client, grantTemporaryFileLimitStatement(OWNER));
  await Promise.all([
    known.length > 0 && runOnClient(client, setRolePasswordStatement(OWNER, password)),
    database && transferOwnership(client, database.owner, { connect, log }),
  ]);
  if (!database) await runOnClient(client, createDatabaseStatement(DATABASE, OWNER));
}

/** Gives the owner role what is still the superuser's. */
async function transferOwnership(
  client: Client,
  owner: string,
  { connect, log }: Pick<OwnerRoleOptions, 'connect' | 'log'>,
): Promise<void> {
  if (owner !== OWNER) await runOnClient(client, changeDatabaseOwnerStatement(DATABASE, OWNER));
  const session = await connect();
  try {
    const schemas = await runOnClient<{ schema: string }>(session, schemasOfRoleStatement(SUPERUSER));
    if (schemas.length > 0) {
      log(`giving the database to the role ${OWNER}, which has no rights beyond it: ${schemas.length} schemas`);
    }
    for (const { schema } of schemas) await runOnClient(session, changeSchemaOwnerStatement(schema, SUPERUSER, OWNER));
  } finally {
    await session.end().catch(() => undefined);
  }
}
