/** Reads of units of several kinds: a list, and one unit by its id alone. One statement each. */
import { bounded, boundedList } from './answer-size.sql.js';
import { columnType } from './columns.sql.js';
import {
  all,
  EMPTY_SQL,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from './fragment.js';
import { idText, itemJson } from './mixed-units.sql.js';
import { keysetRanges } from './keyset.sql.js';
import { modelVersion, withModelVersion } from './model-version.sql.js';
import { orderBy, type SortKey } from './order.sql.js';
import { partSort, type KindPart, type SharedTerm } from './union-order.sql.js';
import { MAX_LOOKUPS_PER_KIND, matchingRows, rowConditions } from './predicate.sql.js';
import { limitOffset, PREPARED_LIMITS, totalCount, type PageRequest } from './page.sql.js';
import { countRows, selectMatching, unitJson, type ReadPlan } from './select.sql.js';
import { keyName } from './row-values.sql.js';
import { hasId, kindTable } from './table.sql.js';
import { VERSION_TAG } from './unit-version.sql.js';

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
  const branches = plan.parts.flatMap((part, at) => branchesOf(plan, part, at, limit + offset + more));
  const union = branches.length > 0 ? join(branches, ' UNION ALL ') : emptyUnion(plan);
  const order = orderBy(outerKeys(plan));
  const rows = sql`
    SELECT u.*, row_number() OVER (ORDER BY ${order}) AS at
    FROM (${union}) AS u
    ORDER BY ${order}
    ${limitOffset(limit + more, offset)}
  `;
  const item = itemJson(
    plan.parts.map(({ read }) => read),
    { kind: sql`p.kind`, id: sql`p.id` },
  );
  const start = integer(offset);
  const shown = sql`p.at <= ${start} + ${integer(limit)}`;
  const items = sql`${boundedList(item, sql`_page AS p WHERE ${shown} ORDER BY p.at`)}::text`;
  const last = cursor ? sql`, ${lastKeys(plan)} AS last` : EMPTY_SQL;
  const answer = sql`${modelVersion(schema)} AS v, ${unionCount(plan)} AS count`;
  if (limit === 0) return render(sql`SELECT ${answer}, '[]' AS items`);
  return render(
    sql`
      WITH _page AS MATERIALIZED (${rows})
      SELECT ${answer}, ${items} AS items${last}
    `,
    isCommon(plan),
  );
}

/**
 * PostgreSQL may use one plan for all values of a prepared statement, so only statements without values are prepared.
 */
function isCommon({ parts, limit, offset, cursor }: UnionPlan): boolean {
  const free = parts.every(({ access, filter }) => !access && !filter);
  return free && offset === 0 && !cursor && PREPARED_LIMITS.has(limit);
}

function outerKeys({ order }: UnionPlan): SortKey[] {
  const keys = order.map(({ descending }, at): SortKey => {
    return { value: sql`u.${keyName(at)}`, type: EMPTY_SQL, descending, nullable: true };
  });
  const last = [sql`u.id COLLATE "C"`, sql`u.n`].map((value): SortKey => {
    return { value, type: EMPTY_SQL, descending: false, nullable: false };
  });
  return [...keys, ...last];
}

/** The first rows of one kind, after the cursor if there is one. They may be two ranges. */
function branchesOf(plan: UnionPlan, part: KindPart, at: number, most: number): Fragment[] {
  const { schema, order } = plan;
  const { kind, access, filter } = part;
  if (filter?.op === 'constant' && !filter.value) return [];
  const rows = matchingRows(schema, kind, [access, filter], MAX_LOOKUPS_PER_KIND);
  const { keys, joins } = partSort(schema, part, order, rows.lookups);
  const total = [...keys, ...tieBreakers(plan, part, at)];
  const columns = keys.map(({ value }, n) => sql`, ${value} AS ${keyName(n)}`);
  const ranges = plan.cursor ? keysetRanges(total, plan.cursor) : [{ where: undefined, order: total }];
  return ranges.map((range) => {
    const where = all([...rows.where, range?.where]);
    // The last key, the position of the kind, is the same in all rows.
    const sorted = orderBy((range?.order ?? total).slice(0, -1));
    return sql`(
      SELECT ${integer(at)} AS n, ${literal(kind.id)} AS kind, ${idText(kind)} AS id${join(columns, '')}
      FROM ${kindTable(schema, kind)} AS t${joins}
      WHERE ${where}
      ORDER BY ${sorted}
      LIMIT ${integer(most)}
    )`;
  });
}

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

function unionCount(plan: UnionPlan): Fragment {
  const { count, limit, offset, parts, schema, cursor } = plan;
  if (count === 'none') return sql`-1`;
  if (count === 'estimated') return limit === 0 ? sql`0` : sql`(SELECT least(count(*), ${integer(limit)}) FROM _page)`;
  const totals = parts.map(({ kind, access, filter }) =>
    countRows({ schema, kind, access, filter }, matchingRows(schema, kind, [access, filter], MAX_LOOKUPS_PER_KIND)),
  );
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
    WHERE p.at = ${integer(limit)} AND EXISTS (SELECT FROM _page AS o WHERE o.at > ${integer(limit)})
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
