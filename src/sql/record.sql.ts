/** The record of a unit: its fields, and what dotted paths lead to, under the paths themselves as keys. */
import type { Field } from '../model/model.js';
import type { Target } from '../model/predicate/predicate.js';
import { columnRef, fieldJson, selectList } from './columns.sql.js';
import { EMPTY_SQL, ident, join, param, sql, type Fragment } from './fragment.js';
import { Lookups } from './predicate.sql.js';
import { whereFound } from './tests.sql.js';

/** A value to answer beside the unit's own fields; `name` is its key in the record. */
export interface ShownPath {
  readonly name: string;
  readonly target: Target;
  /** The kind has nothing at the beginning of the path: the value is null. */
  readonly lacking?: true;
}

interface RecordContents {
  readonly schema: string;
  readonly fields: readonly Field[];
  readonly paths?: readonly ShownPath[];
  /** A further column, `expression AS "name"`. */
  readonly also?: Fragment;
}

/** What PostgreSQL keeps of a name; own fields are never longer. */
const NAME_BYTES = 63;

/** `expression AS "name"` for everything that a record shows of the row `t`, and of what `beside` has. */
export function recordColumns({ fields, paths = [], also }: RecordContents): Fragment {
  if (paths.length === 0 && !also) return selectList(fields);
  const own = fields.length > 0 ? [selectList(fields)] : [];
  const more = paths.map((path, at) => {
    const key = ident(columnAlias(path.name, at));
    return isBehindReference(path) ? sql`_p.${key}` : sql`${pathValue(path, 't')} AS ${key}`;
  });
  return join([...own, ...more, ...(also ? [also] : [])]);
}

/**
 * What stands in FROM beside the row `t`, after `before`, for what its record shows of the units that it refers to;
 * `EMPTY` for nothing. One subquery, so that each of them is looked up once, and which PostgreSQL leaves as it is
 * (`OFFSET 0`), so that rows keep their order and no more of them are read than are answered.
 */
export function referencedValues(
  { schema, paths = [] }: Pick<RecordContents, 'schema' | 'paths'>,
  before: Fragment,
): Fragment {
  const lookups = new Lookups(schema, 't');
  const values = paths.flatMap((path, at) => {
    if (!isBehindReference(path)) return [];
    return [sql`${pathValue(path, lookups.scopeOf(path.target).row)} AS ${ident(columnAlias(path.name, at))}`];
  });
  if (values.length === 0) return EMPTY_SQL;
  return sql`${before} (SELECT ${join(values)} FROM (SELECT) AS t_0${lookups.joins} OFFSET 0) AS _p`;
}

/** The same for a row that a table or subquery in FROM gives. */
export const CROSS_JOIN_LATERAL = sql` CROSS JOIN LATERAL`;

/**
 * The JSON of such a row. Keys that are no names for PostgreSQL are put in afterwards; for `json_agg` a row is JSON as
 * it is.
 */
export function withLongNames({ paths = [] }: Pick<RecordContents, 'paths'>, row: Fragment): Fragment {
  const long = paths.flatMap(({ name }, at) =>
    columnAlias(name, at) === name ? [] : [[columnAlias(name, at), name] as const],
  );
  if (long.length === 0) return row;
  const names = sql`${param(JSON.stringify(Object.fromEntries(long)))}::json`;
  return sql`(
    SELECT json_object_agg(coalesce(${names} ->> _e.key, _e.key), _e.value)
    FROM json_each(to_json(${row})) AS _e
  )`;
}

/** No field begins with `_`. */
function columnAlias(name: string, at: number): string {
  return Buffer.byteLength(name) > NAME_BYTES ? `_${at}` : name;
}

function isBehindReference({ target, lacking }: ShownPath): boolean {
  return target.through !== undefined && !lacking;
}

/** One value, read by keys; null where the way to it ends before. */
function pathValue({ target, lacking }: ShownPath, row: string): Fragment {
  const { field, keys } = target;
  if (lacking) return sql`NULL::text`;
  if (keys.length > 0) return sql`${columnRef(field, row)} #> ${param(keys)}::text[]`;
  return field.constant === undefined ? fieldJson(field, row) : whereFound(target, row, fieldJson(field, row));
}
