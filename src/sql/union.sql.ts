/** Reads over several kinds as one list, and of one unit whose kind is not known. One statement each. */
import { bounded, boundedList } from './bounded.sql.js';
import { columnType, VERSION_TAG } from './columns.sql.js';
import {
  all,
  EMPTY_SQL,
  ident,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from './fragment.js';
import { idText, itemJson } from './item.sql.js';
import { keysetRanges } from './keyset.sql.js';
import { orderBy, type SortKey } from './order.sql.js';
import { partSort, type KindPart, type SharedTerm } from './parts.sql.js';
import { MAX_LOOKUPS_PER_KIND, matchingRows, rowConditions } from './predicate.sql.js';
import {
  PREPARED_LIMITS,
  countRows,
  MODEL_TABLE,
  unitJson,
  selectMatching,
  totalCount,
  versionOf,
  type ReadPlan,
} from './select.sql.js';
import { hasId, kindTable } from './table.sql.js';

export interface UnionPlan {
  readonly schema: string;
  readonly parts: readonly KindPart[];
  /** Made total with the id, and with the place of the kind among the parts. */
  readonly order: readonly SharedTerm[];
  readonly limit: number;
  readonly offset: number;
  readonly count: 'exact' | 'none' | 'estimated';
  /** Keyset pagination: the order values, the id and the place of the last unit of the page before. */
  readonly cursor: readonly (string | null)[] | undefined;
}

/** One row `v, count, items`, and with a cursor `last`: what the next page begins after. */
export function unionStatement(plan: UnionPlan): Statement {
  const { schema, limit, offset, cursor } = plan;
  const more = cursor ? 1 : 0;
  const branches = plan.parts.flatMap((part, at) => branchesOf(plan, part, at, limit + offset + more));
  const cut = sql`LIMIT ${integer(limit + more)}${offset > 0 ? sql` OFFSET ${param(offset)}::bigint` : EMPTY_SQL}`;
  const union = branches.length > 0 ? join(branches, ' UNION ALL ') : emptyUnion(plan);
  const order = orderBy(outerKeys(plan));
  const rows = sql`
    SELECT u.*, row_number() OVER (ORDER BY ${order}) AS at
    FROM (${union}) AS u
    ORDER BY ${order} ${cut}
  `;
  const item = itemJson(
    plan.parts.map(({ read }) => read),
    { kind: sql`p.kind`, id: sql`p.id` },
  );
  const start = integer(offset);
  const shown = sql`p.at <= ${start} + ${integer(limit)}`;
  const items = sql`${boundedList(item, sql`_page AS p WHERE ${shown} ORDER BY p.at`)}::text`;
  const last = cursor ? sql`, ${lastKeys(plan)} AS last` : EMPTY_SQL;
  const answer = sql`${versionOf(schema)} AS v, ${unionCount(plan)} AS count`;
  if (limit === 0) return render(sql`SELECT ${answer}, '[]' AS items`);
  return render(
    sql`
      WITH _page AS MATERIALIZED (${rows})
      SELECT ${answer}, ${items} AS items${last}
    `,
    isCommon(plan),
  );
}

/** As in a list of one kind: what is prepared may get one plan for all values, so only what has none is. */
function isCommon({ parts, limit, offset, cursor }: UnionPlan): boolean {
  const free = parts.every(({ access, filter }) => !access && !filter);
  return free && offset === 0 && !cursor && PREPARED_LIMITS.has(limit);
}

const keyName = (at: number): Fragment => ident(`k${at}`);

function outerKeys({ order }: UnionPlan): SortKey[] {
  const keys = order.map(({ descending }, at): SortKey => {
    return { value: sql`u.${keyName(at)}`, type: EMPTY_SQL, descending, nullable: true };
  });
  const last = [sql`u.id COLLATE "C"`, sql`u.n`].map((value): SortKey => {
    return { value, type: EMPTY_SQL, descending: false, nullable: false };
  });
  return [...keys, ...last];
}

/** The first rows of one kind: with a cursor those after it, which may be two stretches. */
function branchesOf(plan: UnionPlan, part: KindPart, at: number, most: number): Fragment[] {
  const { schema, order } = plan;
  const { kind, access, filter } = part;
  if (filter?.op === 'constant' && !filter.value) return [];
  const rows = matchingRows(schema, kind, [access, filter], MAX_LOOKUPS_PER_KIND);
  const { keys, joins } = partSort(schema, part, order, rows.lookups);
  const total = [...keys, ...tieBreakers(plan, part, at)];
  const columns = keys.map(({ value }, n) => sql`, ${value} AS ${keyName(n)}`);
  const found = plan.cursor ? keysetRanges(total, plan.cursor) : [{ where: undefined, order: total }];
  return found.map((stretch) => {
    const where = all([...rows.where, stretch?.where]);
    // The place is the same in all of them.
    const sorted = orderBy((stretch?.order ?? total).slice(0, -1));
    return sql`(
      SELECT ${integer(at)} AS n, ${literal(kind.id)} AS kind, ${idText(kind)} AS id${join(columns, '')}
      FROM ${kindTable(schema, kind)} AS t${joins}
      WHERE ${where}
      ORDER BY ${sorted}
      LIMIT ${integer(most)}
    )`;
  });
}

/** The id, in the order of its text. Where all ids are generated that is their own order, and an index has it. */
function tieBreakers({ parts }: UnionPlan, { kind }: KindPart, at: number): SortKey[] {
  const generated = parts.every((part) => part.kind.key === 'uuid');
  const id: SortKey = generated
    ? { value: sql`t."id"`, type: sql`uuid`, descending: false, nullable: false }
    : { value: sql`${idText(kind)} COLLATE "C"`, type: sql`text`, descending: false, nullable: false };
  return [id, { value: integer(at), type: sql`integer`, descending: false, nullable: false }];
}

/** No rows, with the columns of all. */
function emptyUnion({ order }: UnionPlan): Fragment {
  const keys = order.map(({ type }, at) => sql`, NULL::${columnType(type)} AS ${keyName(at)}`);
  return sql`SELECT 0 AS n, '' AS kind, '' AS id${join(keys, '')} WHERE false`;
}

function unionCount(plan: UnionPlan): Fragment {
  const { count, limit, offset, parts, schema, cursor } = plan;
  if (count === 'none') return sql`-1`;
  if (count === 'estimated') return limit === 0 ? sql`0` : sql`(SELECT least(count(*), ${integer(limit)}) FROM _page)`;
  const totals = parts.map(({ kind, access, filter }) =>
    countRows({ schema, kind }, matchingRows(schema, kind, [access, filter], MAX_LOOKUPS_PER_KIND)),
  );
  const total = totals.length > 0 ? join(totals, ' + ') : sql`0`;
  return cursor ? total : totalCount({ limit, offset }, total);
}

/** The values that the next page begins after; null on the last page. */
function lastKeys({ order, limit }: UnionPlan): Fragment {
  const keys = order.map((_, at) => sql`p.${keyName(at)}::text`);
  const values = join([...keys, sql`p.id`, sql`p.n::text`]);
  return sql`(
    SELECT to_json(ARRAY[${values}])::text
    FROM _page AS p
    WHERE p.at = ${integer(limit)} AND EXISTS (SELECT FROM _page AS o WHERE o.at > ${integer(limit)})
  )`;
}

/** The planner's guess of how many units match. */
export function estimateUnionStatement({ schema, parts }: UnionPlan): Statement {
  const counted = parts.map((part) => selectMatching({ schema, ...part }, MAX_LOOKUPS_PER_KIND));
  return render(
    sql`EXPLAIN (FORMAT JSON) ${counted.length > 0 ? join(counted, ' UNION ALL ') : sql`SELECT 1 WHERE false`}`,
  );
}

/** A unit by its id, of the first of the kinds that has one. */
export interface AnyKindPlan extends ReadPlan {
  readonly key: unknown;
}

/** One row `v, n, tag, body`: `n` is the place of the kind; the others are null where there is no such unit. */
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
  return render(
    sql`
      SELECT m."version" AS v, u.n, u.tag, ${bounded(sql`u.body`)} AS body
      FROM ${ident(schema, MODEL_TABLE)} AS m
      LEFT JOIN LATERAL (${first}) AS u ON true
    `,
    true,
  );
}
