/**
 * The database has a value that only the keys of its stored secrets open, so that a service with another key does not
 * start, rather than find out one secret after the other.
 */
import { ConfigError, type Config } from '../../config/config.js';
import type { SecretBox } from '../../shared/secret-box.js';
import {
  noteSecretsCheckStatement,
  READ_SECRETS_CHECK,
  renewSecretsCheckStatement,
} from '../../sql/server/registry.sql.js';
import type { Executor } from '../database.js';

/** No secret of a project has this place. */
const PLACE = ['check value'];

interface Keys {
  readonly box: SecretBox;
  readonly config: Pick<Config, 'secretsKey'>;
}

/** The first start, of however many processes, notes its key. @throws ConfigError of one line if it opens nothing here */
export async function checkSecretsKey(executor: Executor, { box, config }: Keys): Promise<void> {
  const sealed = (await read(executor)) ?? (await note(executor, box));
  if (box.open(sealed, PLACE) === undefined) throw new ConfigError(otherKeyText(config));
}

/** Call it when all is encrypted with the current key of the box: from then on no other one opens the database. */
export async function renewSecretsCheck(executor: Executor, box: SecretBox): Promise<void> {
  await executor.run(renewSecretsCheckStatement(seal(box)));
}

async function note(executor: Executor, box: SecretBox): Promise<string> {
  await executor.run(noteSecretsCheckStatement(seal(box)));
  const noted = await read(executor);
  if (noted === undefined) throw new Error('the registry has no row for the keys of services');
  return noted;
}

async function read(executor: Executor): Promise<string | undefined> {
  const [row] = await executor.run<{ sealed: string | null }>(READ_SECRETS_CHECK);
  return row?.sealed ?? undefined;
}

function seal(box: SecretBox): string {
  return box.seal('', PLACE);
}

function otherKeyText({ secretsKey }: Keys['config']): string {
  const lost = 'if it is lost, "secrets rotate --drop-secrets" removes what it has encrypted';
  return secretsKey === undefined
    ? `SECRETS_KEY: is not set, and the key that is derived from JWT_SECRET does not open the stored secrets of this database: set SECRETS_KEY_OLD=jwt:<the former JWT_SECRET>, or SECRETS_KEY as it was, then run "secrets rotate"; ${lost}`
    : `SECRETS_KEY: does not open the stored secrets of this database: set the former key as SECRETS_KEY_OLD, then run "secrets rotate"; ${lost}`;
}
