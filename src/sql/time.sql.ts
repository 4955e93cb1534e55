/** Points in time, and lengths of time. */
import { param, sql, type Fragment } from './fragment.js';

/** A timestamp as text, in UTC and with six decimals: `2024-01-31T09:30:00.123456Z`. */
export function utcText(value: Fragment): Fragment {
  return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** An interval of so many seconds. */
export function seconds(count: number): Fragment {
  return sql`${param(count)}::double precision * interval '1 second'`;
}
