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
  if (via.type === 'link') return linkedRows(schema, { ...related, via }, row, matching);
  if (via.type === 'links') {
    return usingRows(schema, related, row, matching, (id) => sql`${id} = ${fieldJson(of.keyField, row)}`);
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
  const { via, kinds } = related;
  const [first] = kinds;
  if (!first || via.type === 'member' || via.type === 'link') return undefined;
  const unit = relatedRow(row);
  if (via.type === 'links') {
    return sql`SELECT ${ident(linkRow(unit), 'key')} ${usingRows(schema, related, row, matching)}`;
  }
  const { where, joins } = matching.units(first.kind, [first.access, first.filter], unit);
  const key = columnRef(via.field, unit);
  const from = sql`${joinedKindTable(schema, first.kind)} AS ${ident(unit)}${joins}`;
  return sql`SELECT ${key} FROM ${from} WHERE ${all([sql`${key} IS NOT NULL`, ...where])}`;
}

type Linked = Related & { readonly via: { readonly type: 'link' } };

function linkedRows(schema: string, { via, of, kinds }: Linked, row: string, matching: Matching): Fragment {
  const unit = relatedRow(row);
  const link = linkRow(unit);
  const [near, far] = via.direction === 'child' ? ['parent', 'child'] : ['child', 'parent'];
  const ends = { kind: ident(link, `${far}_kind`), id: ident(link, `${far}_id`) };
  const along = [
    sql`${ident(link, `${near}_kind`)} = ${literal(of.id)}`,
    sql`${ident(link, `${near}_id`)} = ${fieldJson(of.keyField, row)}`,
    sql`${ident(link, 'link_id')} = ${literal(via.link)}`,
    ...(via.where ? [matching.links(via.where, unit)] : []),
  ];
  const from = sql`FROM ${linkTable(schema)} AS ${ident(link)}`;
  if (via.everyKind) return sql`${from} WHERE ${all(along)}`;
  return farUnits(schema, kinds, unit, matching, { from, along, far: ends });
}

/**
 * Links of all types, in both directions, with units of the kinds. `key` is that of the unit of the kind `of`.
 * @param isRelated whether the near end of a link is the row
 */
function usingRows(
  schema: string,
  { of, kinds }: Related,
  row: string,
  matching: Matching,
  isRelated?: (id: Fragment) => Fragment,
): Fragment {
  const unit = relatedRow(row);
  const link = linkRow(unit);
  const ways = (['parent', 'child'] as const).map((near) => {
    const far = near === 'parent' ? 'child' : 'parent';
    const [isKind, id] = [sql`${ident(`${near}_kind`)} = ${literal(of.id)}`, ident(`${near}_id`)];
    // PostgreSQL may test conditions in any order, and an id of another kind may not be of this type.
    const key = sql`CASE WHEN ${isKind} THEN ${id}::${columnType(of.keyField.columnType)} END AS key`;
    const ends = sql`${ident(`${far}_kind`)} AS kind, ${ident(`${far}_id`)} AS id`;
    const where = all([isKind, isRelated?.(id)]);
    return sql`SELECT ${isRelated ? ends : sql`${key}, ${ends}`} FROM ${linkTable(schema)} WHERE ${where}`;
  });
  const from = sql`FROM (${join(ways, ' UNION ALL ')}) AS ${ident(link)}`;
  const far = { kind: ident(link, 'kind'), id: ident(link, 'id') };
  return farUnits(schema, kinds, unit, matching, { from, along: [], far });
}

/** Links, and what is known of their far ends. */
interface FarEnds {
  readonly from: Fragment;
  readonly along: readonly Fragment[];
  readonly far: { readonly kind: Fragment; readonly id: Fragment };
}

/** The links whose far end is a unit that matches. */
function farUnits(
  schema: string,
  kinds: readonly RelatedKind[],
  unit: string,
  matching: Matching,
  { from, along, far }: FarEnds,
): Fragment {
  const free = kinds.filter(({ access, filter }) => !access && !filter);
  const tested = kinds.filter((each) => !free.includes(each));
  const unitOf = ({ kind, access, filter }: RelatedKind) => {
    const { where, joins } = matching.units(kind, [access, filter], unit);
    const key = columnRef(kind.keyField, unit);
    const id = sql`${far.id}::${columnType(kind.keyField.columnType)}`;
    return { joins, where, key, id };
  };
  const [only] = tested;
  if (only && kinds.length === 1) {
    const { joins, where, key, id } = unitOf(only);
    const table = sql`${joinedKindTable(schema, only.kind)} AS ${ident(unit)}`;
    const isKind = sql`${far.kind} = ${literal(only.kind.id)}`;
    // PostgreSQL may test conditions in any order, and an id of another kind may not be of this type.
    const on = sql`${key} = CASE WHEN ${isKind} THEN ${id} END`;
    return sql`${from} JOIN ${table} ON ${on}${joins} WHERE ${all([...along, isKind, ...where])}`;
  }
  const isFree = sql`${far.kind} IN (${join(free.map(({ kind }) => literal(kind.id)))})`;
  if (tested.length === 0) return sql`${from} WHERE ${all([...along, isFree])}`;
  const cases = tested.map((each) => {
    const { joins, where, key, id } = unitOf(each);
    const table = sql`${kindTable(schema, each.kind)} AS ${ident(unit)}`;
    const exists = sql`EXISTS (SELECT FROM ${table}${joins} WHERE ${all([sql`${key} = ${id}`, ...where])})`;
    return sql` WHEN ${literal(each.kind.id)} THEN ${exists}`;
  });
  const matches = sql`CASE ${far.kind}${join(cases, '')} ELSE ${free.length > 0 ? isFree : sql`false`} END`;
  return sql`${from} WHERE ${all([...along, matches])}`;
}
