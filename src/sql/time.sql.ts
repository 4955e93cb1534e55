/** Points in time, and lengths of time. */
import { literal, param, sql, type Fragment } from './fragment.js';

/** A timestamp as text, in UTC and with six decimals: `2024-01-31T09:30:00.123456Z`. */
export function utcText(value: Fragment): Fragment {
  return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * A point in time so many whole seconds before another one. In UTC, so that the result depends on no setting, which Citus
 * demands of a function on a column in a write; and without a parameter, which Citus loses in ON CONFLICT.
 */
export function secondsBefore(time: Fragment, count: number): Fragment {
  return sql`((${time} AT TIME ZONE 'UTC' - interval ${literal(`${count} seconds`)}) AT TIME ZONE 'UTC')`;
}

/** The time of the transaction as the table `n` with the column `now`, for writes in which Citus calls no function. */
export const NOW_TABLE = sql`(SELECT now() AS now) AS n`;

/** An interval of so many seconds. */
export function seconds(count: number): Fragment {
  return sql`${param(count)}::double precision * interval '1 second'`;
}
