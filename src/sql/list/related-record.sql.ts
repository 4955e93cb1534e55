/** Related units in the record of a unit: their number, or some of them as a list. */
import type { Field, KindDef } from '../../model/model.js';
import type { Related } from '../../model/predicate/predicate.js';
import { boundedList } from '../answer-size.sql.js';
import { columnRef, selectList, valueJson } from '../columns.sql.js';
import { all, EMPTY_SQL, ident, integer, join, sql, type Fragment } from '../fragment.js';
import { hiddenColumn, hiddenFields, withoutHidden } from './hidden-fields.sql.js';
import { orderBy, sortSql, type OrderTerm } from './order.sql.js';
import { countSql, MAX_LOOKUPS_PER_KIND, matchingRows } from '../condition/predicate.sql.js';
import { relatedRow } from '../condition/related.sql.js';
import { joinedKindTable } from '../table.sql.js';

/** A number of related units, or a sum of them; with `list` the units themselves. `name` is its key in the record. */
export interface ShownRelated {
  readonly name: string;
  readonly related: Related;
  /** What a sum is; left out for others. */
  readonly field?: Field;
  readonly list?: RelatedList;
  /** The column of the row `t` that has the number; left out where it has to be counted. */
  readonly column?: Fragment;
}

interface RelatedList {
  /** The fields of each unit. */
  readonly fields: readonly Field[];
  /** The last term is the id, so that the order is total. */
  readonly order: readonly OrderTerm[];
  readonly limit: number;
}

/** `expression AS "name"` for the record of the row `t`, for each of them. */
export function relatedColumns(schema: string, shown: readonly ShownRelated[]): Fragment[] {
  const lists = shown.filter(({ list }) => list).length;
  return shown.map(({ name, related, field, list, column }) => {
    if (list) return sql`${listSql(schema, related, list, lists)} AS ${ident(name)}`;
    const value = column ? sql`t.${column}` : countSql(schema, related, 't');
    return sql`${field ? valueJson(field, value) : value} AS ${ident(name)}`;
  });
}

/**
 * The JSON list of units that refer to the row `t`. The rows are selected before their JSON is built.
 * @param lists the number of such lists in the record, which share the size limit of an answer
 */
function listSql(
  schema: string,
  { via, of, kinds }: Related,
  { fields, order, limit }: RelatedList,
  lists: number,
): Fragment {
  const [first] = kinds;
  if (!first || via.type !== 'reference') return sql`'[]'::json`;
  const { kind, access, filter } = first;
  const row = relatedRow('t');
  const { where, lookups } = matchingRows(schema, kind, [access, filter], MAX_LOOKUPS_PER_KIND, row);
  const { keys, joins } = sortSql(schema, order, lookups);
  const refers = sql`${columnRef(via.field, row)} = ${columnRef(of.keyField, 't')}`;
  const rows = sql`
    SELECT ${storedColumns(kind, row)}
    FROM ${joinedKindTable(schema, kind)} AS ${ident(row)}${joins}
    WHERE ${all([refers, ...where])}
    ORDER BY ${orderBy(keys)}
    LIMIT ${integer(limit)}
  `;
  const hidden = hiddenColumn(hiddenFields(schema, fields));
  const units = sql`SELECT ${selectList(fields)}${hidden ? sql`, ${hidden}` : EMPTY_SQL} FROM (${rows}) AS t`;
  const unit = hidden ? withoutHidden(sql`_i`) : sql`row_to_json(_i)`;
  return boundedList(unit, sql`(${units}) AS _i`, lists);
}

/** All stored columns of a row. */
export function storedColumns({ fields }: KindDef, row: string): Fragment {
  const stored = [...fields.values()].filter((field) => field.column !== undefined);
  return join([...new Set(stored.map((field) => field.column ?? ''))].map((name) => ident(row, name)));
}
