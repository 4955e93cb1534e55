/**
 * Brings the keys by which members are found to what `foldName` makes of their names today. Where two members have one
 * name by now, it stays with the one who had it, else goes to the older one; the other keeps its old key and is told of.
 */
import type { Executor } from '../../database/database.js';
import { foldName } from '../../shared/member-names.js';
import {
  updateCredentialKeysStatement,
  findUnfoldedCredentialsStatement,
  type NamedCredential,
} from '../../sql/credential.sql.js';

/** Credentials that are read at once. */
const SLICE = 1000;
/** Members that are told of by id. */
const TOLD = 20;

export interface Rekeyed {
  readonly count: number;
  /** Members that keep their old keys, as text; empty where there are none. */
  readonly leftAlone: readonly string[];
}

/** To be called with the project's lock held, and its built-in tables up to date. */
export async function rekeyMembers(executor: Executor, schema: string): Promise<Rekeyed> {
  let count = 0;
  const namesakes: string[] = [];
  for (let after: NamedCredential | undefined; ;) {
    const slice: NamedCredential[] = await executor.run(findUnfoldedCredentialsStatement(schema, after, SLICE));
    for (const { id, username, email, member_kind, member_id } of slice) {
      const keys = { id, username: foldName(username), email: foldName(email) };
      const { length } = await executor.run(updateCredentialKeysStatement(schema, keys));
      count += length;
      if (length === 0) namesakes.push(`${member_kind} ${member_id}`);
    }
    after = slice.at(-1);
    if (slice.length < SLICE) break;
  }
  return { count, leftAlone: told(namesakes) };
}

function told(namesakes: readonly string[]): string[] {
  if (namesakes.length === 0) return [];
  const shown = namesakes.slice(0, TOLD).join(', ') + (namesakes.length > TOLD ? ', …' : '');
  return [
    `names of ${namesakes.length} members, which differ from those of others only in what is not seen (${shown})`,
  ];
}
