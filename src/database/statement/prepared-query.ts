/**
 * Builds a `Query` of `pg` directly. Passing a configuration object instead would copy it with its property
 * descriptors, which took 5 % of a small request.
 */
import { Query } from 'pg';
import type { Statement } from '../../sql/fragment.js';

/** Called with the rows or an error. */
export type QueryCallback = (error: Error | null | undefined, result: { readonly rows: unknown[] } | undefined) => void;

/** @param name the name of the prepared statement; undefined for an unprepared one */
export function preparedQuery({ text, values }: Statement, name: string | undefined, settled: QueryCallback): Query {
  const query = new Query(text, values as unknown[], settled);
  if (name !== undefined) Object.assign(query, { name });
  return query;
}
