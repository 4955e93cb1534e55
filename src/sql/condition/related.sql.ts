/**
 * Related units of a row, as correlated subqueries: those that refer to it, found by the index of the reference, and
 * those that are linked with it, found by the indexes of links. The calling member is found by its id.
 */
import type { KindDef } from '../../model/model.js';
import type { Predicate, Related, RelatedKind } from '../../model/predicate/predicate.js';
import { columnRef, columnType, fieldJson } from '../columns.sql.js';
import { all, ident, join, literal, param, sql, type Fragment } from '../fragment.js';
import { joinedKindTable, kindTable, linkTable } from '../table.sql.js';

export interface Matching {
  /** The conditions of the rows `row` that satisfy predicates, and the joins that they need. */
  readonly units: (
    kind: KindDef,
    predicates: readonly (Predicate | undefined)[],
    row: string,
  ) => { readonly where: readonly Fragment[]; readonly joins: Fragment };
  /** The condition of the links to the rows `row`. */
  readonly links: (predicate: Predicate, row: string) => Fragment;
}

/** The alias of a related unit, from that of the row. */
export function relatedRow(row: string): string {
  return `${row}r`;
}

/** The alias of the link to a unit, from that of the unit. */
export function linkRow(row: string): string {
  return `${row}l`;
}

/** FROM and WHERE of the related units of a row; undefined if it can have none. */
export function relatedRows(schema: string, related: Related, row: string, matching: Matching): Fragment | undefined {
  const { via, of, kinds } = related;
  const [first] = kinds;
  if (!first) return undefined;
  if (via.type === 'link') {
    const { id } = nearEnd(via, of, linkRow(relatedRow(row)));
    return linkedRows(schema, { ...related, via }, row, matching, [sql`${id} = ${fieldJson(of.keyField, row)}`]);
  }
  const unit = relatedRow(row);
  const { where, joins } = matching.units(first.kind, [first.access, first.filter], unit);
  const isRelated =
    via.type === 'member'
      ? sql`${columnRef(of.keyField, unit)} = ${param(via.memberId)}::uuid`
      : sql`${columnRef(via.field, unit)} = ${columnRef(of.keyField, row)}`;
  return sql`FROM ${joinedKindTable(schema, first.kind)} AS ${ident(unit)}${joins} WHERE ${all([isRelated, ...where])}`;
}

/**
 * The keys of all rows that have related units, as SELECT; undefined if none can. A row may be there several times.
 * @param row an alias that the statement has not
 */
export function keysOfRelated(schema: string, related: Related, row: string, matching: Matching): Fragment | undefined {
  const { via, of, kinds } = related;
  const [first] = kinds;
  if (!first || via.type === 'member') return undefined;
  const unit = relatedRow(row);
  if (via.type === 'link') {
    const { id, isKind } = nearEnd(via, of, linkRow(unit));
    // PostgreSQL may test conditions in any order, and an id of another kind may not be of this type.
    const key = sql`CASE WHEN ${isKind} THEN ${id}::${columnType(of.keyField.columnType)} END`;
    return sql`SELECT ${key} ${linkedRows(schema, { ...related, via }, row, matching)}`;
  }
  const { where, joins } = matching.units(first.kind, [first.access, first.filter], unit);
  const key = columnRef(via.field, unit);
  const from = sql`${joinedKindTable(schema, first.kind)} AS ${ident(unit)}${joins}`;
  return sql`SELECT ${key} FROM ${from} WHERE ${all([sql`${key} IS NOT NULL`, ...where])}`;
}

type Linked = Related & { readonly via: { readonly type: 'link' } };

/** The id of the unit at the near end of a link, and whether it is of the kind. */
function nearEnd({ direction }: Linked['via'], of: KindDef, link: string) {
  const near = direction === 'child' ? 'parent' : 'child';
  return { id: ident(link, `${near}_id`), isKind: sql`${ident(link, `${near}_kind`)} = ${literal(of.id)}` };
}

/** @param isRelated further conditions of the links */
function linkedRows(
  schema: string,
  { via, of, kinds }: Linked,
  row: string,
  matching: Matching,
  isRelated: readonly Fragment[] = [],
): Fragment {
  const unit = relatedRow(row);
  const link = linkRow(unit);
  const far = via.direction;
  const farKind = ident(link, `${far}_kind`);
  const along = [
    nearEnd(via, of, link).isKind,
    ...isRelated,
    ...(via.link === undefined ? [] : [sql`${ident(link, 'link_id')} = ${literal(via.link)}`]),
    ...(via.where ? [matching.links(via.where, unit)] : []),
  ];
  const from = sql`FROM ${linkTable(schema)} AS ${ident(link)}`;
  if (via.everyKind) return sql`${from} WHERE ${all(along)}`;
  const free = kinds.filter(({ access, filter }) => !access && !filter);
  const tested = kinds.filter((each) => !free.includes(each));
  const unitOf = ({ kind, access, filter }: RelatedKind) => {
    const { where, joins } = matching.units(kind, [access, filter], unit);
    const key = columnRef(kind.keyField, unit);
    const id = sql`${ident(link, `${far}_id`)}::${columnType(kind.keyField.columnType)}`;
    return { joins, where, key, id };
  };
  const [only] = tested;
  if (only && kinds.length === 1) {
    const { joins, where, key, id } = unitOf(only);
    const table = sql`${joinedKindTable(schema, only.kind)} AS ${ident(unit)}`;
    const isKind = sql`${farKind} = ${literal(only.kind.id)}`;
    // PostgreSQL may test conditions in any order, and an id of another kind may not be of this type.
    const on = sql`${key} = CASE WHEN ${isKind} THEN ${id} END`;
    return sql`${from} JOIN ${table} ON ${on}${joins} WHERE ${all([...along, isKind, ...where])}`;
  }
  const isFree = sql`${farKind} IN (${join(free.map(({ kind }) => literal(kind.id)))})`;
  if (tested.length === 0) return sql`${from} WHERE ${all([...along, isFree])}`;
  const cases = tested.map((each) => {
    const { joins, where, key, id } = unitOf(each);
    const table = sql`${kindTable(schema, each.kind)} AS ${ident(unit)}`;
    const exists = sql`EXISTS (SELECT FROM ${table}${joins} WHERE ${all([sql`${key} = ${id}`, ...where])})`;
    return sql` WHEN ${literal(each.kind.id)} THEN ${exists}`;
  });
  const matches = sql`CASE ${farKind}${join(cases, '')} ELSE ${free.length > 0 ? isFree : sql`false`} END`;
  return sql`${from} WHERE ${all([...along, matches])}`;
}
