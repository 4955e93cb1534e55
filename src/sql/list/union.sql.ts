/** Reads of units of several kinds: a list, and one unit by its id alone. One statement each. */
import type { Direction } from '../../filter/order.js';
import type { KindDef } from '../../model/model.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { scalarText } from '../../shared/json.js';
import { bounded, boundedList } from '../answer-size.sql.js';
import { columnType, VERSION_TAG } from '../columns.sql.js';
import { type Lookups, matchingRows, MAX_LOOKUPS_PER_KIND, rowConditions } from '../condition/predicate.sql.js';
import { keyName } from '../condition/row-values.sql.js';
import {
  all,
  EMPTY_SQL,
  type Fragment,
  ident,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Statement,
} from '../fragment.js';
import { FORCE_CUSTOM_PLAN, modelVersion, withModelVersion } from '../model-version.sql.js';
import { hasId, kindTable } from '../table.sql.js';
import { idText, itemJson } from './mixed-units.sql.js';
import { orderBy, orderedField, type OrderTerm, type Sort, type SortKey, sortSql } from './order.sql.js';
import { isCountedWithPage } from './page-rows.sql.js';
import { keysetRanges, limitOffset, limitSql, type PageRequest, totalCount } from './page.sql.js';
import { countRows, isSamePlanForAllValues, type ReadPlan, selectMatching, unitJson } from './select.sql.js';

export interface UnionPlan extends PageRequest {
  readonly schema: string;
  readonly parts: readonly KindPart[];
  /** The statement makes it total by the id and by the position of the kind among the parts. */
  readonly order: readonly SharedTerm[];
  /** Keyset pagination: the order values, the id and the position of the kind of the last unit of the page before. */
  readonly cursor: readonly (string | null)[] | undefined;
}

/** One row `v, count, items`; with a cursor also `last`: the values after which the next page begins, or null. */
export function unionStatement(plan: UnionPlan): Statement {
  const { schema, limit, offset, cursor } = plan;
  const more = cursor ? 1 : 0;
  const branches = plan.parts.map((part, at) => branchOf(plan, part, at));
  const selects = branches.flatMap((branch) => branch.selects);
  const union = selects.length > 0 ? join(selects, ' UNION ALL ') : emptyUnion(plan);
  const order = orderBy(outerKeys(plan));
  const rows = sql`
    SELECT u.*, row_number() OVER (ORDER BY ${order}) AS at
    FROM (${union}) AS u
    ORDER BY ${order}
    ${limitOffset(limit, offset, more)}
  `;
  const item = itemJson(
    plan.parts.map(({ read }) => read),
    { kind: sql`p.kind`, id: sql`p.id` },
  );
  const shown = sql`p.at <= ${upToPage(plan)}`;
  const items = sql`${boundedList(item, sql`_page AS p WHERE ${shown} ORDER BY p.at`)}::text`;
  const last = cursor ? sql`, ${lastKeys(plan)} AS last` : EMPTY_SQL;
  const version = modelVersion(schema, isSamePlanForAll(plan) ? undefined : FORCE_CUSTOM_PLAN);
  const answer = sql`${version} AS v, ${unionCount(plan, branches)} AS count`;
  if (limit === 0) return render(sql`SELECT ${answer}, '[]' AS items`, true);
  const ctes = branches.flatMap(({ found }) => (found ? [found] : []));
  return render(
    sql`
      WITH ${join([...ctes, sql`_page AS MATERIALIZED (${rows})`])}
      SELECT ${answer}, ${items} AS items${last}
    `,
    true,
  );
}

/** How many rows there are to the end of the page, and so many `more`. */
function upToPage({ limit, offset }: UnionPlan, more = 0): Fragment {
  return offset === 0 ? limitSql(limit, more) : sql`${param(limit + offset + more)}::bigint`;
}

/** Whether the best query plan does not depend on the values. */
function isSamePlanForAll({ parts, cursor, limit, offset }: UnionPlan): boolean {
  return parts.every(({ access, filter, order, read: { related, can } }) => {
    const terms = order.flatMap((term) => term ?? []);
    const shown = { ...(related && { related }), ...(can && { can }) };
    return isSamePlanForAllValues({ access, filter, cursor, limit, offset, order: terms, ...shown });
  });
}

function outerKeys({ order }: UnionPlan): SortKey[] {
  const keys = order.map(({ descending, nulls }, at): SortKey => {
    return { value: sql`u.${keyName(at)}`, type: EMPTY_SQL, descending, nulls, nullable: true };
  });
  const last = [sql`u.id COLLATE "C"`, sql`u.n`].map((value): SortKey => {
    return { value, type: EMPTY_SQL, descending: false, nullable: false };
  });
  return [...keys, ...last];
}

/** The part of a list that reads one kind. */
interface Branch {
  /** The first rows, after the cursor if there is one. They may be in two ranges. */
  readonly selects: readonly Fragment[];
  /** How many rows there are. */
  readonly count: Fragment;
  /** A CTE with all rows, if they are counted with the page. */
  readonly found?: Fragment;
}

function branchOf(plan: UnionPlan, part: KindPart, at: number): Branch {
  const { schema, order } = plan;
  const { kind, access, filter } = part;
  const rows = matchingRows(schema, kind, [access, filter], MAX_LOOKUPS_PER_KIND);
  const count = countRows({ schema, kind, access, filter }, rows);
  if (filter?.op === 'constant' && !filter.value) return { selects: [], count };
  const { keys, joins } = partSort(schema, part, order, rows.lookups);
  const columns = keys.map(({ value }, n) => sql`, ${value} AS ${keyName(n)}`);
  const from = sql`
    SELECT ${integer(at)} AS n, ${literal(kind.id)} AS kind, ${idText(kind)} AS id${join(columns, '')}
    FROM ${kindTable(schema, kind)} AS t${joins}
  `;
  const limit = sql`LIMIT ${upToPage(plan, plan.cursor ? 1 : 0)}`;
  if (countsWithPage(plan, part)) {
    const name = ident(`_found${at}`);
    const sorted = orderBy([...keys.map((key, n) => ({ ...key, value: keyName(n) })), ID_AS_TEXT]);
    return {
      found: sql`${name} AS MATERIALIZED (${from} WHERE ${all(rows.where)})`,
      selects: [sql`(SELECT * FROM ${name} ORDER BY ${sorted} ${limit})`],
      count: sql`(SELECT count(*) FROM ${name})`,
    };
  }
  const total = [...keys, ...tieBreakers(plan, part, at)];
  const ranges = plan.cursor ? keysetRanges(total, plan.cursor) : [{ where: undefined, order: total }];
  const selects = ranges.map((range) => {
    // The last key, the position of the kind, is the same in all rows.
    const sorted = orderBy((range?.order ?? total).slice(0, -1));
    return sql`(${from} WHERE ${all([...rows.where, range?.where])} ORDER BY ${sorted} ${limit})`;
  });
  return { selects, count };
}

/** Whether all rows of a kind are kept, so that they are not tested again to count them. */
function countsWithPage({ count, limit, cursor }: UnionPlan, { kind, access, filter, order }: KindPart): boolean {
  if (count !== 'exact' || limit === 0 || cursor) return false;
  return isCountedWithPage(
    kind,
    [access, filter],
    order.flatMap((term) => term ?? []),
  );
}

const ID_AS_TEXT: SortKey = { value: sql`id COLLATE "C"`, type: sql`text`, descending: false, nullable: false };

/** Ids are ordered as text. Generated ones (UUIDs) have the same order as `uuid`, for which there is an index. */
function tieBreakers({ parts }: UnionPlan, { kind }: KindPart, at: number): SortKey[] {
  const generated = parts.every((part) => part.kind.key === 'uuid');
  const id: SortKey = generated
    ? { value: sql`t."id"`, type: sql`uuid`, descending: false, nullable: false }
    : { value: sql`${idText(kind)} COLLATE "C"`, type: sql`text`, descending: false, nullable: false };
  return [id, { value: integer(at), type: sql`integer`, descending: false, nullable: false }];
}

/** A query without rows that has the columns of the others. */
function emptyUnion({ order }: UnionPlan): Fragment {
  const keys = order.map(({ type }, at) => sql`, NULL::${columnType(type)} AS ${keyName(at)}`);
  return sql`SELECT 0 AS n, '' AS kind, '' AS id${join(keys, '')} WHERE false`;
}

function unionCount({ count, limit, offset, cursor }: UnionPlan, branches: readonly Branch[]): Fragment {
  if (count === 'none') return sql`-1`;
  if (count === 'estimated') return limit === 0 ? sql`0` : sql`(SELECT least(count(*), ${limitSql(limit)}) FROM _page)`;
  const totals = branches.map((branch) => branch.count);
  const total = totals.length > 0 ? join(totals, ' + ') : sql`0`;
  return cursor ? total : totalCount({ limit, offset }, total);
}

/** The values after which the next page begins; null on the last page. */
function lastKeys({ order, limit }: UnionPlan): Fragment {
  const keys = order.map((_, at) => sql`p.${keyName(at)}::text`);
  const values = join([...keys, sql`p.id`, sql`p.n::text`]);
  return sql`(
    SELECT to_json(ARRAY[${values}])::text
    FROM _page AS p
    WHERE p.at = ${limitSql(limit)} AND EXISTS (SELECT FROM _page AS o WHERE o.at > ${limitSql(limit)})
  )`;
}

/** The planner's estimate of how many units match, in the answer of `EXPLAIN (FORMAT JSON)`. */
export function estimateUnionStatement({ schema, parts }: UnionPlan): Statement {
  const counted = parts.map((part) => selectMatching({ schema, ...part }, MAX_LOOKUPS_PER_KIND));
  return render(
    sql`EXPLAIN (FORMAT JSON) ${counted.length > 0 ? join(counted, ' UNION ALL ') : sql`SELECT 1 WHERE false`}`,
  );
}

/** The read of a unit of one of several kinds by its id. */
export interface AnyKindPlan extends ReadPlan {
  readonly key: unknown;
}

/**
 * One row `v, n, tag, body` of the first kind that has the unit, at position `n`; all but `v` are null where none has.
 */
export function getAnyStatement(schema: string, plans: readonly AnyKindPlan[]): Statement {
  const units = plans.map((plan, at) => {
    const where = all([hasId(plan.kind, param(plan.key)), ...rowConditions(schema, plan.kind, [plan.access])]);
    return sql`
      SELECT ${integer(at)} AS n, ${VERSION_TAG} AS tag, ${unitJson(plan)}::text AS body
      FROM ${kindTable(schema, plan.kind)} AS t
      WHERE ${where}
    `;
  });
  const first = sql`SELECT * FROM (${join(units, ' UNION ALL ')}) AS o ORDER BY n LIMIT 1`;
  return render(withModelVersion(schema, sql`u.n, u.tag, ${bounded(sql`u.body`)} AS body`, first), true);
}

/** A term of the order, for all kinds. */
export interface SharedTerm extends Direction {
  readonly type: ColumnType;
  /** Whether it is the id, which is ordered as text, because kinds have keys of different types. */
  readonly ids: boolean;
}

/** The part of a query that reads one kind. */
export interface KindPart {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
  readonly read: ReadPlan;
  readonly filter: Predicate | undefined;
  /** The terms of the order; undefined where the kind lacks the parameter. */
  readonly order: readonly (OrderTerm | undefined)[];
}

/** @param before the joins of the conditions on the same rows */
export function partSort(
  schema: string,
  { kind, order }: KindPart,
  terms: readonly SharedTerm[],
  before?: Lookups,
): Sort {
  const plain = order.flatMap((term) => (term && !isConstant(term) ? [term] : []));
  const { keys, joins } = sortSql(schema, plain, before);
  const allKeys = order.map((term, at): SortKey => {
    const shared = terms[at];
    if (!shared) throw new Error('an order has a term for each of its terms');
    const { descending, nulls, ids } = shared;
    const type = ids ? columnType('text') : columnType(shared.type);
    const key = term && keys[plain.indexOf(term)];
    if (ids) return { value: sql`${idText(kind)} COLLATE "C"`, type, descending, nulls, nullable: false };
    if (key) return key;
    const { constant } = (term && orderedField(term)?.field) ?? {};
    const value = constant === undefined || constant === null ? sql`NULL` : literal(scalarText(constant));
    const typed = sql`${value}::${type}`;
    return { value: isTextTerm(shared) ? sql`${typed} COLLATE "C"` : typed, type, descending, nulls, nullable: true };
  });
  return { keys: allKeys, joins };
}

function isTextTerm({ type }: SharedTerm): boolean {
  return type === 'text';
}

/** Whether the value is the same in every unit of the kind. */
function isConstant(term: OrderTerm): boolean {
  const target = orderedField(term);
  return target !== undefined && !target.through && target.field.constant !== undefined;
}
