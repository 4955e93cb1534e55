/** Walks along links: a page of the units that are reached, in one statement; and the links that a list loads. */
import type { KindDef } from '../model/model.js';
import { LIMITS } from '../shared/limits.js';
import { boundedList } from './bounded.sql.js';
import { columnType } from './columns.sql.js';
import {
  all,
  EMPTY,
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
import { byKind, idText, itemOf, satisfies } from './item.sql.js';
import type { LinkEnd } from './link.sql.js';
import { partSort, type Part, type SharedTerm } from './parts.sql.js';
import { rowsOf } from './predicate.sql.js';
import {
  NEAREST,
  node,
  ofTypes,
  reach,
  typesOf,
  type Direction,
  type Reach,
  type Reached,
  type Start,
  type Way,
} from './reach.sql.js';
import { COMMON_LIMITS, totalOf, versionOf, type ReadPlan } from './select.sql.js';
import { hasId, tableOf } from './table.sql.js';
import { fromTemplate } from './template.js';

export interface WalkPlan extends Way {
  readonly start: LinkEnd;
  /** The kinds whose units are answered. */
  readonly shown: readonly Part[];
  /** Kinds of which the page may have units; the answer tells which others it has. Undefined where nobody asks. */
  readonly met: readonly string[] | undefined;
  /** Units of other kinds, or some of these, are passed through and not answered. */
  readonly selects: boolean;
  /** Before the nearness. */
  readonly order: readonly SharedTerm[];
  readonly limit: number;
  readonly offset: number;
  readonly count: 'exact' | 'none' | 'estimated';
  /** Walks that have the same differ by the key of their start and the names of their link types alone: so do their statements. */
  readonly text?: object;
}

const WALK: Reach = { units: LIMITS.walkUnits, links: LIMITS.walkLinks };

/** One row `v, found, over, count, items, unmet`. `over`: the walk would go further than a request may. */
export function walkStatement(plan: WalkPlan): Statement {
  const { start, linkIds, limit, offset, text } = plan;
  const isCommon = offset === 0 && COMMON_LIMITS.has(limit);
  if (!text || !isCommon) return render(walkSql(plan, param(start.key), ofTypes(linkIds)), isCommon);
  return fromTemplate(text, '', [start.key, typesOf(linkIds)], ([key, types]) =>
    walkSql(plan, key, ofTypes(linkIds, types)),
  );
}

function walkSql(plan: WalkPlan, key: Fragment, types: Fragment | undefined): Fragment {
  const { schema, start, limit } = plan;
  const where = all([hasId(start.kind, key), ...rowsOf(schema, start.kind, [start.access])]);
  const found = sql`EXISTS (SELECT FROM ${tableOf(schema, start.kind)} AS t WHERE ${where})`;
  const given = sql`SELECT ${key}::${columnType(start.kind.keyField.columnType)} AS "id"`;
  const id = sql`(SELECT ${idText(start.kind)} FROM (${given}) AS t)`;
  const reached = reach(plan, { kind: start.kind, id, found: sql`(SELECT found FROM _s)` }, WALK, types);
  const chosen = plan.selects ? sql`SELECT * FROM (${reached.rows}) AS n WHERE ${selected(plan)}` : reached.rows;
  const page = pageOf(plan, reached, chosen);
  const items = sql`${boundedList(itemOf(reads(plan.shown), node, linkOf(plan.direction)), sql`_page AS n`)}::text`;
  const steps = join([
    sql`_s AS MATERIALIZED (SELECT ${found} AS found)`,
    ...reached.steps,
    sql`_page AS MATERIALIZED (${page})`,
  ]);
  const count = countOf(plan, plan.selects ? undefined : reached.total, chosen);
  return sql`
    WITH RECURSIVE ${steps}
    SELECT
      ${versionOf(schema)} AS v,
      (SELECT found FROM _s) AS found,
      ${reached.over} AS over,
      ${count} AS count,
      ${limit > 0 ? items : sql`'[]'`} AS items,
      ${unmetBy(plan)} AS unmet
  `;
}

/** The kinds of the page beside those that were expected; null for none. */
function unmetBy({ met }: WalkPlan): Fragment {
  if (!met) return sql`NULL::text[]`;
  const others = met.length > 0 ? sql` WHERE kind NOT IN (${join(met.map(literal))})` : EMPTY;
  return sql`(SELECT array_agg(DISTINCT kind) FROM _page${others})`;
}

function reads(shown: readonly Part[]): ReadPlan[] {
  return shown.map(({ read }) => read);
}

function pageOf(plan: WalkPlan, reached: Reached, chosen: Fragment): Fragment {
  const { limit, offset, order } = plan;
  if (order.length === 0 && !plan.selects && reached.page) return reached.page(limit, offset);
  const cut = sql`LIMIT ${integer(limit)}${offset > 0 ? sql` OFFSET ${param(offset)}::bigint` : EMPTY}`;
  if (order.length === 0) return sql`${chosen} ORDER BY ${NEAREST} ${cut}`;
  const keys = order.map((_, at) => sql`${orderKey(plan, at)} AS ${ident(`k${at}`)}`);
  const by = order.map(({ descending }, at) => (descending ? sql`${ident(`k${at}`)} DESC` : ident(`k${at}`)));
  return sql`
    SELECT n.*, ${join(keys)}
    FROM (${chosen}) AS n
    ORDER BY ${join([...by, NEAREST])} ${cut}
  `;
}

/** The value of a term of the order for the unit `n`; null where its kind lacks the parameter. */
function orderKey({ schema, shown, order }: WalkPlan, at: number): Fragment {
  return byKind(shown, node, (part) => {
    const { keys, joins } = partSort(schema, part, order);
    const where = hasId(part.kind, node.id);
    return sql`(
      SELECT ${keys[at]?.value ?? sql`NULL`}
      FROM ${tableOf(schema, part.kind)} AS t${joins}
      WHERE ${where}
    )`;
  });
}

/** Whether the unit `n` is one to answer. */
function selected({ schema, shown }: WalkPlan): Fragment {
  const test = byKind(shown, node, ({ kind, filter }) =>
    filter ? satisfies(schema, kind, node, [filter]) : sql`true`,
  );
  return sql`(${test}) IS TRUE`;
}

function countOf(plan: WalkPlan, total: Fragment | undefined, chosen: Fragment): Fragment {
  if (plan.count === 'none') return sql`-1`;
  return total ?? totalOf(plan, sql`(SELECT count(*) FROM (${chosen}) AS c)`);
}

/** The field `link` of an item: the link over which the walk came to the unit `n`. */
function linkOf(direction: Direction): Fragment {
  const [parent, child] = direction === 'child' ? [sql`n.near`, sql`n.id`] : [sql`n.id`, sql`n.near`];
  return sql`json_build_object(
    'link_id', n.link_id,
    'parent_id', ${parent},
    'child_id', ${child},
    'depth', n.depth
  ) AS "link"`;
}

/** What `load_links` adds to the row `t`: `{parent, child}`, each a list of at most so many linked units. */
export function loadedLinks(kind: KindDef, ways: readonly Way[], shown: readonly ReadPlan[], most: Reach): Fragment {
  const start: Start = { kind, id: idText(kind), found: sql`true` };
  const lists = ways.map((way) => {
    const reached = reach(way, start, most, ofTypes(way.linkIds));
    const page = reached.page?.(most.units, 0) ?? sql`${reached.rows} ORDER BY ${NEAREST} LIMIT ${integer(most.units)}`;
    const steps = reached.steps.length > 0 ? sql`WITH RECURSIVE ${join(reached.steps)} ` : EMPTY;
    const list = boundedList(itemOf(shown, node, linkOf(way.direction)), sql`(${page}) AS n`);
    return sql`${literal(way.direction)}, (${steps}SELECT ${list})`;
  });
  return sql`json_build_object(${join(lists)}) AS "links"`;
}

/** For units that are never linked. */
export const NO_LINKS = sql`'{"parent":[],"child":[]}'::json AS "links"`;
