/** Tests of two parameters of a row as SQL, and distances on the surface of the earth. */
import type { PlaceTargets, Predicate, Target } from '../../model/predicate/predicate.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import { columnType } from '../columns.sql.js';
import { param, sql, type Fragment } from '../fragment.js';

/** The value of a target in its row. */
export type ValueOf = (target: Target) => Fragment;

const COMPARISONS = { eq: sql`=`, lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const;

export function pairSql({ target, other, test }: Extract<Predicate, { op: 'pair' }>, valueOf: ValueOf): Fragment {
  const value = (own: Target, with_: Target) => comparable(valueOf(own), own.field.columnType, with_.field.columnType);
  return sql`${value(target, other)} ${COMPARISONS[test]} ${value(other, target)}`;
}

/** A float is compared with a decimal by the digits that answers show, so that no conversion fails or rounds. */
function comparable(value: Fragment, type: ColumnType, other: ColumnType): Fragment {
  return type === 'double precision' && other === 'numeric' ? sql`${value}::text::numeric` : value;
}

/** The mean radius of the earth, in kilometres. */
const RADIUS = 6371.0088;
const KILOMETRES_PER_DEGREE = (RADIUS * Math.PI) / 180;

/** Degrees by which the bounds of the latitude exceed the circle, because distances are rounded. */
const MARGIN = 1e-6;

/** The bounds of the latitude come first, so that an index on it serves. */
export function nearSql(near: Extract<Predicate, { op: 'near' }>, valueOf: ValueOf): Fragment {
  const { target, kilometres, point } = near;
  const reach = kilometres / KILOMETRES_PER_DEGREE + MARGIN;
  const latitude = valueOf(target);
  const type = target.field.columnType;
  const from = bound(Math.max(-90, point[0] - reach), type, Math.ceil);
  const to = bound(Math.min(90, point[0] + reach), type, Math.floor);
  return sql`(
    ${latitude} >= ${from} AND ${latitude} <= ${to}
    AND ${distanceSql(near, valueOf)} <= ${param(kilometres)}::double precision
  )`;
}

function bound(degrees: number, type: ColumnType, whole: (value: number) => number): Fragment {
  const value = type === 'bigint' ? String(whole(degrees)) : degrees.toFixed(9);
  return sql`${param(value)}::${columnType(type)}`;
}

/**
 * The distance in kilometres along a great circle (haversine). Null where a coordinate is null or outside of its range.
 * Coordinates are rounded to a ten-thousandth of a millimetre, because tiny products are errors in PostgreSQL.
 */
export function distanceSql({ target, other, point }: PlaceTargets, valueOf: ValueOf): Fragment {
  const [latitude, longitude] = [valueOf(target), valueOf(other)];
  const [lat, lon] = [latitude, longitude].map((value) => sql`round(${value}::numeric, 12)::double precision`);
  const [atLat, atLon] = point.map((degrees) => sql`${param(degrees.toFixed(12))}::double precision`);
  const half = (value: Fragment | undefined, from: Fragment | undefined) =>
    sql`power(sin(radians(${value ?? sql`NULL`} - ${from ?? sql`NULL`}) / 2), 2)`;
  const chord = sql`
    ${half(lat, atLat)} + cos(radians(${lat ?? sql`NULL`})) * cos(radians(${atLat ?? sql`NULL`})) * ${half(lon, atLon)}
  `;
  return sql`CASE
    WHEN ${latitude} BETWEEN -90 AND 90 AND ${longitude} BETWEEN -180 AND 180
    THEN ${param(2 * RADIUS)}::double precision * asin(least(1, sqrt(${chord})))
  END`;
}
