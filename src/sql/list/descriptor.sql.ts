/** Filters and orders of a struct's descriptors. PostgreSQL evaluates them, so that they work as those of units. */
import type { Field } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { fieldType } from '../columns.sql.js';
import { ident, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { orderBy, sortSql, type OrderTerm } from './order.sql.js';
import { predicateSql } from '../condition/predicate.sql.js';

interface DescriptorQuery {
  readonly schema: string;
  /** The fields of each descriptor that the query uses. */
  readonly used: readonly Field[];
  /** The descriptors as a JSON list, each with its position as `n`. */
  readonly rows: string;
  readonly filter: Predicate | undefined;
  readonly order: readonly OrderTerm[];
}

/** Rows `n`: the positions, from 0, of the descriptors that match, in the requested order or else in their own. */
export function descriptorsStatement({ schema, used, rows, filter, order }: DescriptorQuery): Statement {
  const columns = join([...used.map(descriptorColumn), sql`"n" integer`]);
  const table = sql`jsonb_to_recordset(${param(rows)}::jsonb) AS t(${columns})`;
  const where = filter ? predicateSql(filter, { schema, row: 't' }) : sql`true`;
  const { keys, joins } = sortSql(schema, order);
  const sorted = keys.length > 0 ? sql`${orderBy(keys)}, t."n"` : sql`t."n"`;
  return render(sql`
    SELECT t."n" AS n
    FROM ${table}${joins}
    WHERE ${where}
    ORDER BY ${sorted}
  `);
}

/** Texts are compared by code point, like those of units. */
function descriptorColumn(field: Field): Fragment {
  const collation = field.columnType === 'text' ? sql` COLLATE "C"` : sql``;
  return sql`${ident(field.id)} ${fieldType(field)}${collation}`;
}
