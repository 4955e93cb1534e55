/**
 * Traversal of links: the units within some steps of one unit, each once and nearest first. A recursive query has a row
 * per step, with arrays of the units that the step reaches and of all units before, so that no unit is visited twice,
 * however many paths lead to it (docs/adr/0007). A single step is a plain index scan.
 */
import type { Field, KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { all, EMPTY_SQL, integer, join, literal, param, sql, type Fragment } from './fragment.js';
import { unitSatisfies, type UnitReference } from './mixed-units.sql.js';
import { linkTable } from './link-table.sql.js';
import { NODE_ID, NODE_KIND, nodeText, PLAN_FOR_MANY_ROWS, REACHED_COLUMNS, viaText } from './reached-unit.sql.js';

export type Direction = 'parent' | 'child';

/** A kind whose units a traversal can visit. */
export interface PassedKind {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
}

/** The fields of a link type's parameters. */
export interface ShownLinkValues {
  readonly linkId: string;
  readonly fields: readonly Field[];
}

/** Which links a traversal follows, and how far. */
export interface Traversal {
  readonly schema: string;
  readonly direction: Direction;
  /** The number of steps after the first one. */
  readonly depth: number;
  /** The link types that are followed; undefined for all. */
  readonly linkIds: readonly string[] | undefined;
  readonly passed: readonly PassedKind[];
  /** Whether these are all kinds that can have linked units. */
  readonly passesAll: boolean;
  /** The parameters of link types that the answered links show. */
  readonly linkValues: readonly ShownLinkValues[];
  /** Whether at most one of the followed links can lead from one unit to another. */
  readonly oneType: boolean;
}

/** The unit where a traversal starts. */
export interface TraversalStart {
  readonly kind: KindDef;
  /** The id, as text. */
  readonly id: Fragment;
  readonly found: Fragment;
}

/**
 * The units that a traversal reaches, as rows `depth, kind, id, link_id, near, near_kind`: `link_id` is the type of the
 * link, and `near` and `near_kind` the id and the kind of the unit from which it was followed.
 */
export interface TraversedUnits {
  /** The CTEs that the others need. */
  readonly steps: readonly Fragment[];
  readonly rows: Fragment;
  /** The rows of a page, nearest first, and the total; undefined if both need all rows. */
  readonly page?: (limit: number, offset: number) => Fragment;
  readonly total?: Fragment;
  /** Whether the traversal exceeds its limits. */
  readonly over: Fragment;
}

export const REACHED_UNIT: UnitReference = { kind: sql`n.kind`, id: sql`n.id` };
export const NEAREST_FIRST = sql`depth, kind, id`;

/** The most units that a traversal may reach, and the most links that a step may follow. */
export interface TraversalLimits {
  readonly units: number;
  readonly links: number;
}

export function traverse(
  traversal: Traversal,
  start: TraversalStart,
  limits: TraversalLimits,
  types: Fragment | undefined,
): TraversedUnits {
  return traversal.depth === 0 ? firstStep(traversal, start, types) : manySteps(traversal, start, limits, types);
}

interface LinkColumns {
  readonly near: { readonly kind: Fragment; readonly id: Fragment };
  readonly far: UnitReference;
}

export function columnsByDirection(direction: Direction): LinkColumns {
  const parent = { kind: sql`l."parent_kind"`, id: sql`l."parent_id"` };
  const child = { kind: sql`l."child_kind"`, id: sql`l."child_id"` };
  return direction === 'child' ? { near: parent, far: child } : { near: child, far: parent };
}

/** Whether the link `l` has one of the types; undefined for all. */
export function hasLinkType(
  linkIds: Traversal['linkIds'],
  types = param(linkTypeParam(linkIds)),
): Fragment | undefined {
  if (!linkIds) return undefined;
  return linkIds.length === 1 ? sql`l."link_id" = ${types}` : sql`l."link_id" = ANY(${types}::text[])`;
}

/** A single type is not passed as an array, with which PostgreSQL would not use the order of the index. */
export function linkTypeParam(linkIds: Traversal['linkIds']): string | readonly string[] | undefined {
  return linkIds?.length === 1 ? linkIds[0] : linkIds;
}

/** The neighbours, in the order of the index, so that a page reads no more entries than it has. */
function firstStep(traversal: Traversal, start: TraversalStart, types: Fragment | undefined): TraversedUnits {
  const { near, far } = columnsByDirection(traversal.direction);
  const once = traversal.oneType ? EMPTY_SQL : sql` DISTINCT ON (${far.kind}, ${far.id})`;
  const links = sql`
    SELECT${once} ${far.kind} AS kind, ${far.id} AS id, l."link_id" AS link_id, ${near.id} AS near
    FROM ${linkTable(traversal.schema)} AS l
    WHERE ${firstStepConditions(traversal, start, types)}
    ORDER BY ${far.kind}, ${far.id}, l."link_id"
  `;
  const rows = sql`
    SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, ${literal(start.kind.id)} AS near_kind
    FROM (${links}) AS n
    WHERE ${all([isReadable(traversal)])}
  `;
  return { steps: [], rows, over: sql`false` };
}

/** Whether the link `l` leads from the unit where the traversal starts. */
export function firstStepConditions(
  { direction }: Traversal,
  start: TraversalStart,
  types: Fragment | undefined,
): Fragment {
  const { near } = columnsByDirection(direction);
  return all([
    sql`${near.kind} = ${literal(start.kind.id)}`,
    sql`${near.id} = ${start.id}`,
    types,
    sql`${start.found}`,
  ]);
}

/** Whether the caller may read the unit `n`; undefined if it may read all. */
export function isReadable({
  schema,
  passed,
  passesAll,
}: Pick<Traversal, 'schema' | 'passed' | 'passesAll'>): Fragment | undefined {
  const free = passed.filter(({ access }) => !access);
  if (passesAll && free.length === passed.length) return undefined;
  const ruled = passed.filter(({ access }) => access);
  const cases = ruled.map(
    ({ kind, access }) =>
      sql` WHEN n.kind = ${literal(kind.id)} THEN ${unitSatisfies(schema, kind, REACHED_UNIT, [access])}`,
  );
  const open =
    free.length > 0 ? sql` WHEN n.kind IN (${join(free.map(({ kind }) => literal(kind.id)))}) THEN true` : EMPTY_SQL;
  return cases.length + free.length === 0 ? sql`false` : sql`CASE${open}${join(cases, '')} ELSE false END`;
}

/**
 * Several steps. A unit is a text `kind/id`, and the link by which it was reached a text of its type, and the id and the
 * kind of the unit from which it was followed; of several links the first in this order counts. A step with too many links stops there and sets `over`.
 */
function manySteps(
  traversal: Traversal,
  start: TraversalStart,
  limits: TraversalLimits,
  types: Fragment | undefined,
): TraversedUnits {
  const { near, far } = columnsByDirection(traversal.direction);
  const along = all([sql`${near.kind} = f.kind`, sql`${near.id} = f.id`, types]);
  const frontier = sql`
    SELECT ${NODE_KIND} AS kind, ${NODE_ID} AS id
    FROM unnest(w.nodes) AS m(node)${PLAN_FOR_MANY_ROWS}
    OFFSET 0
  `;
  const links = sql`
    SELECT l.node, l.via
    FROM (${frontier}) AS f
    CROSS JOIN LATERAL (
      SELECT
        ${nodeText(far)} AS node,
        ${viaText(near)} AS via
      FROM ${linkTable(traversal.schema)} AS l
      WHERE ${along}
      OFFSET 0
    ) AS l
    LIMIT ${integer(limits.links + 1)}
  `;
  const unvisited = sql`
    SELECT CASE WHEN e.node NOT IN (SELECT unnest(w.seen)) THEN e.node END AS node, e.via
    FROM (${links}) AS e
  `;
  const units = sql`
    SELECT m.node, min(m.via) AS via, count(*) AS links
    FROM (${unvisited}) AS m
    GROUP BY m.node
  `;
  const readable = isReadable(traversal);
  const checked = readable
    ? sql`
      SELECT n.node, n.via, n.links, n.node IS NOT NULL AND ${readable} AS ok
      FROM (
        SELECT m.node, m.via, m.links, ${NODE_KIND} AS kind, ${NODE_ID} AS id
        FROM (${units}) AS m
        OFFSET 0
      ) AS n
      OFFSET 0
    `
    : sql`SELECT m.node, m.via, m.links, m.node IS NOT NULL AS ok FROM (${units}) AS m`;
  const step = sql`
    SELECT
      array_agg(u.node) FILTER (WHERE u.ok) AS nodes,
      array_agg(u.via) FILTER (WHERE u.ok) AS vias,
      coalesce(sum(u.links), 0)::bigint AS links
    FROM (${checked}) AS u
  `;
  const first = sql`
    SELECT
      -1,
      ARRAY[${literal(start.kind.id)} || '/' || ${start.id}] COLLATE "C",
      ARRAY[''] COLLATE "C",
      (ARRAY[]::text[]) COLLATE "C",
      0::bigint
    WHERE ${start.found}
  `;
  // The first step may lead back to the start; later ones may not.
  const seen = sql`
    CASE
      WHEN w.depth < ${integer(traversal.depth - 1)}
      THEN w.seen || x.nodes || CASE WHEN w.depth < 0 THEN w.nodes END
    END
  `;
  const continues = sql`
    w.depth < ${integer(traversal.depth)}
      AND w.nodes IS NOT NULL
      AND w.links <= ${integer(limits.links)}
      AND coalesce(cardinality(w.seen), 0) <= ${integer(limits.units)}
  `;
  const walk = sql`_w(depth, nodes, vias, seen, links) AS (
    ${first}
    UNION ALL
    SELECT w.depth + 1, x.nodes, x.vias, ${seen}, x.links
    FROM _w AS w
    CROSS JOIN LATERAL (${step}) AS x
    WHERE ${continues}
  )`;
  const levels = sql`_l AS MATERIALIZED (
    SELECT
      depth,
      nodes,
      vias,
      cardinality(nodes) AS c,
      sum(cardinality(nodes)) OVER (ORDER BY depth) AS upto
    FROM _w
    WHERE depth >= 0 AND nodes IS NOT NULL
  )`;
  const total = sql`(SELECT coalesce(sum(c), 0) FROM _l)`;
  return {
    steps: [walk, levels],
    rows: unnestedSteps(sql`_l`),
    page: pageOfSteps,
    total,
    over: sql`(
      ${total} > ${integer(limits.units)}
      OR (SELECT coalesce(max(links), 0) FROM _w) > ${integer(limits.links)}
    )`,
  };
}

/** The units of steps, a row each. */
function unnestedSteps(levels: Fragment): Fragment {
  return sql`
    SELECT
      s.depth,
      ${REACHED_COLUMNS}
    FROM ${levels} AS s
    CROSS JOIN LATERAL unnest(s.nodes, s.vias) AS m(node, via)
  `;
}

/** A page, which reads only the steps that it needs. */
function pageOfSteps(limit: number, offset: number): Fragment {
  const from = offset === 0 ? sql`0` : sql`${param(offset)}::bigint`;
  const steps = sql`(SELECT * FROM _l WHERE upto > ${from} AND upto - c < ${from} + ${integer(limit)} OFFSET 0)`;
  const offsetInSteps =
    offset === 0 ? EMPTY_SQL : sql` OFFSET (SELECT ${from} - min(upto - c) FROM _l WHERE upto > ${from})`;
  return sql`${unnestedSteps(steps)} ORDER BY ${NEAREST_FIRST} LIMIT ${integer(limit)}${offsetInSteps}`;
}
