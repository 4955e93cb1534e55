/** The record of a unit: its fields, and what dotted paths lead to, under the paths themselves as keys. */
import type { Field } from '../model/model.js';
import type { Target } from '../model/predicate.js';
import { column, presented, selectList } from './columns.sql.js';
import { all, ident, join, param, sql, type Fragment } from './fragment.js';
import { wayOf } from './predicate.sql.js';

/** A value to answer beside the unit's own fields; `name` is its key in the record. */
export interface ShownPath {
  readonly name: string;
  readonly target: Target;
  /** The kind has nothing at the beginning of the path: the value is null. */
  readonly lacking?: true;
}

interface Shown {
  readonly schema: string;
  readonly fields: readonly Field[];
  readonly paths?: readonly ShownPath[];
  /** A further column, `expression AS "name"`. */
  readonly also?: Fragment;
}

/** What PostgreSQL keeps of a name; own fields are never longer. */
const NAME_BYTES = 63;

/** `expression AS "name"` for everything that a record shows of the row `t`. */
export function answered({ schema, fields, paths = [], also }: Shown): Fragment {
  if (paths.length === 0 && !also) return selectList(fields);
  const own = fields.length > 0 ? [selectList(fields)] : [];
  const more = paths.map((path, at) => sql`${valueAt(path, schema)} AS ${ident(alias(path.name, at))}`);
  return join([...own, ...more, ...(also ? [also] : [])]);
}

/**
 * The JSON of such a row. Keys that are no names for PostgreSQL are put in afterwards; for `json_agg` a row is JSON as
 * it is.
 */
export function asRecord({ paths = [] }: Pick<Shown, 'paths'>, row: Fragment): Fragment {
  const long = paths.flatMap(({ name }, at) => (alias(name, at) === name ? [] : [[alias(name, at), name] as const]));
  if (long.length === 0) return row;
  const names = sql`${param(JSON.stringify(Object.fromEntries(long)))}::json`;
  return sql`(SELECT json_object_agg(coalesce(${names} ->> _e.key, _e.key), _e.value) FROM json_each(to_json(${row})) AS _e)`;
}

/** No field begins with `_`. */
function alias(name: string, at: number): string {
  return Buffer.byteLength(name) > NAME_BYTES ? `_${at}` : name;
}

/** One value, read by keys: null where the way ends before. PostgreSQL reads it for the units of the page alone. */
function valueAt({ target, lacking }: ShownPath, schema: string): Fragment {
  if (lacking) return sql`NULL::text`;
  const { through } = target;
  if (!through) return shown(target, 't');
  const { tables, conditions, row } = wayOf(through, { schema, row: 't' });
  return sql`(SELECT ${shown(target, row)} FROM ${tables} WHERE ${all(conditions)})`;
}

function shown({ field, keys }: Target, row: string): Fragment {
  return keys.length > 0 ? sql`${column(field, row)} #> ${param(keys)}::text[]` : presented(field, row);
}
