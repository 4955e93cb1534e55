/**
 * Recomputes the lookup keys of members with the current `foldName`. If two members now have the same name, the one
 * whose key it was keeps it, else the older one; the other keeps its old key and is reported.
 */
import type { Executor } from '../../database/database.js';
import { foldName } from '../../shared/member-names.js';
import {
  updateCredentialKeysStatement,
  findUnfoldedCredentialsStatement,
  type NamedCredential,
} from '../../sql/member/credential.sql.js';

/** Credentials that are read at a time. */
const CREDENTIALS_PER_READ = 1000;
/** Maximum of members that are reported by id. */
const MAX_REPORTED = 20;

interface RefoldResult {
  readonly count: number;
  /** A message about members that keep their old keys; empty if there are none. */
  readonly leftAlone: readonly string[];
}

/** Requires the project's lock and current built-in tables. */
export async function refoldMemberKeys(executor: Executor, schema: string): Promise<RefoldResult> {
  let count = 0;
  const conflicts: string[] = [];
  for (let after: NamedCredential | undefined; ;) {
    const credentials: NamedCredential[] = await executor.run(
      findUnfoldedCredentialsStatement(schema, after, CREDENTIALS_PER_READ),
    );
    for (const { id, username, email, member_kind, member_id } of credentials) {
      const keys = { id, username: foldName(username), email: foldName(email) };
      const { length } = await executor.run(updateCredentialKeysStatement(schema, keys));
      count += length;
      if (length === 0) conflicts.push(`${member_kind} ${member_id}`);
    }
    after = credentials.at(-1);
    if (credentials.length < CREDENTIALS_PER_READ) break;
  }
  return { count, leftAlone: conflictText(conflicts) };
}

function conflictText(conflicts: readonly string[]): string[] {
  if (conflicts.length === 0) return [];
  const shown = conflicts.slice(0, MAX_REPORTED).join(', ') + (conflicts.length > MAX_REPORTED ? ', …' : '');
  return [
    `names of ${conflicts.length} members, which differ from those of others only in what is not seen (${shown})`,
  ];
}
