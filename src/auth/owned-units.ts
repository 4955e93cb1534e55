/** The units of a member by which it comes in: they are made one after the other, and there are not too many. */
import type { Executor } from '../database/database.js';
import { trackContention } from '../database/transaction/contention.js';
import { API_KEY_KIND, CREDENTIAL_KIND, IDENTITY_KIND, PASSKEY_KIND } from '../model/built-in-traits.js';
import { refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { countOwnedStatement, lockOwnerStatement } from '../sql/member/owned.sql.js';

const LIMITED = {
  [API_KEY_KIND]: { limit: 'keysPerMember', code: 'key.too_many', name: 'API keys' },
  [PASSKEY_KIND]: { limit: 'passkeysPerMember', code: 'passkey.too_many', name: 'passkeys' },
  [IDENTITY_KIND]: { limit: 'identitiesPerMember', code: 'identity.too_many', name: 'accounts at identity providers' },
} as const;

/**
 * Locks a member until the transaction ends, so that it is not deleted, and does not get another unit, at the same time.
 * @returns whether it is there
 */
export async function lockOwner(executor: Executor, schema: string, memberId: string): Promise<boolean> {
  const locked = await trackContention(
    () => ({ schema, table: CREDENTIAL_KIND }),
    () => executor.run(lockOwnerStatement(schema, memberId)),
  );
  return locked.length > 0;
}

/**
 * Exact for a member that is locked. @param made how many of them this transaction has made
 * @throws KindError 409 if it has as many other units of the kind as it may
 */
export async function refuseTooMany(
  executor: Executor,
  schema: string,
  kind: keyof typeof LIMITED,
  memberId: string,
  made = 0,
): Promise<void> {
  const { limit, code, name } = LIMITED[kind];
  const [row] = await executor.run<{ count: number }>(countOwnedStatement(schema, kind, memberId));
  if ((row?.count ?? 0) - made < LIMITS[limit]) return;
  throw refusal(code, `A member has at most ${LIMITS[limit]} ${name}: delete those that are not used`);
}
