/**
 * A query as `pg` runs it, made without the copy that it makes of a configuration, descriptors and all: that took a
 * twentieth of a small request.
 */
import { Query } from 'pg';
import type { Statement } from '../../sql/fragment.js';

/** What it came to: rows, or an error. */
export type QueryCallback = (error: Error | null | undefined, result: { readonly rows: unknown[] } | undefined) => void;

/** `name`: under which it is prepared; undefined where it is not. */
export function preparedQuery({ text, values }: Statement, name: string | undefined, settled: QueryCallback): Query {
  const query = new Query(text, values as unknown[], settled);
  if (name !== undefined) Object.assign(query, { name });
  return query;
}
