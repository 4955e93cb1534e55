/** The version of a unit is the time of its last change. */
import { sql } from './fragment.js';

/**
 * The version of the row `t` as text, for its ETag: the microseconds of `updated_at`, in UTC, so that the result depends
 * on no setting, which Citus demands of a function on a column in a write.
 */
export const VERSION_TAG = sql`(extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text`;

/** The column that each edit changes. */
export const UPDATED_AT = 'updated_at';

/**
 * Sets `updated_at` of the row `t` to now, or just after its last value: a change always makes a new version. Citus runs
 * no function on a column in a SET whose result depends on a setting, as `timestamptz + interval` does on the time zone.
 */
export const SET_UPDATED_AT = sql`
  "updated_at" = greatest(
    statement_timestamp(),
    (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC'
  )
`;
