/** The version of a unit is the time of its last change. */
import { sql } from './fragment.js';

/** The version of the row `t` as text, for its ETag: the microseconds of `updated_at`. */
export const VERSION_TAG = sql`(extract(epoch FROM t."updated_at") * 1000000)::bigint::text`;

/** The column that each edit changes. */
export const UPDATED_AT = 'updated_at';

/** Sets `updated_at` of the row `t` to now, or just after its last value: a change always makes a new version. */
export const SET_UPDATED_AT = sql`
  "updated_at" = greatest(clock_timestamp(), t."updated_at" + interval '1 microsecond')
`;
