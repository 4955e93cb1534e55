/** What has happened to units, since a cursor. */
import type { Call, Options } from './call.js';
import { CODES, type Code } from './codes.js';
import type { Connection } from './connection.js';
import type { Build } from './filters.js';
import type { Name, Shapes } from './kinds.js';
import { contentOf, queryOf, type Values } from './operations.js';

type FeedOperation = 'create' | 'update' | 'enter' | 'leave' | 'delete' | 'link' | 'unlink';

export interface ChangesQuery<S extends Shapes<S>, K extends keyof S> {
  /** `['*']` is all that are recorded. */
  readonly kinds: readonly (K | '*')[];
  readonly operations?: readonly FeedOperation[];
  /** For exactly one kind. */
  readonly filter?: Build<S, K>;
  readonly include?: readonly Name<S, K>[];
  readonly exclude?: readonly Name<S, K>[];
  /** The `next` of an answer; empty for the oldest that are kept; left out for those from now on. */
  readonly since?: string;
  readonly limit?: number;
  /** Seconds to wait for a change where there is none. */
  readonly wait?: number;
}

export interface ChangeEvent<Unit> {
  readonly cursor: string;
  readonly operation: FeedOperation;
  readonly kind_id: string;
  readonly unit_id: string;
  readonly version: number;
  readonly at: string;
  readonly unit?: Partial<Unit>;
  readonly changes?: { readonly [parameter: string]: readonly [before: unknown, after: unknown] };
  readonly [more: string]: unknown;
}

export type ChangesFeed<S extends Shapes<S>> = <K extends keyof S>(
  query: ChangesQuery<S, K>,
  options?: Options,
) => Call<
  {
    readonly count: number;
    readonly items: readonly ChangeEvent<S[K]['unit']>[];
    readonly next: string;
    readonly more: boolean;
  },
  Code<'changes'>
>;

export function changesOf(connection: Connection) {
  return ({ kinds, operations, ...query }: Values, options: Options = {}) => {
    const joined = (list: unknown) => (list as readonly string[] | undefined)?.join();
    const lists = { kinds: joined(kinds), operations: joined(operations) };
    const sent = { method: 'GET', path: ['changes'], query: { ...queryOf(query), ...lists }, codes: CODES.changes };
    return connection.call({ ...sent, ...options }, contentOf);
  };
}
