/** Runs a statement on a connection that is not from the pool. Errors of `pg` are not converted. */
import type { Client } from 'pg';
import type { Statement } from '../../sql/fragment.js';

export async function runOnClient<Row>(client: Client, { text, values }: Statement): Promise<Row[]> {
  return (await client.query(text, [...values])).rows as Row[];
}
