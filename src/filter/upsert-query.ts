/** The query of an upsert. */
export interface UpsertQuery {
  /** What happens to units that exist. */
  readonly onConflict: 'update' | 'ignore';
  /** The unique parameters by which units are looked up; undefined for the primary parameter. */
  readonly by: readonly string[] | undefined;
}

export const EMPTY_UPSERT_QUERY: UpsertQuery = { onConflict: 'ignore', by: undefined };
