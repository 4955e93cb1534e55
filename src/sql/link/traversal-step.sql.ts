/**
 * One step of a traversal: the links that lead on from units, and the units that they reach. A unit is a text `kind/id`, and
 * the link by which it was reached a text of its type, and the id and the kind of the unit from which it was followed.
 */
import { all, EMPTY_SQL, type Fragment, join, literal, param, sql } from '../fragment.js';
import { linkTable } from '../table.sql.js';
import { type UnitReference, unitSatisfies } from '../list/mixed-units.sql.js';
import type { Direction, Traversal } from './traversal-plan.js';

export const REACHED_UNIT: UnitReference = { kind: sql`n.kind`, id: sql`n.id` };

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
 * The links from units, a row `node, via` for each.
 * @param nodes an array of units
 * @param types the condition on the type of the link `l`; undefined for all types
 */
export function linksFrom(
  schema: string,
  nodes: Fragment,
  direction: Direction,
  types: Fragment | undefined,
): Fragment {
  const { near, far } = columnsByDirection(direction);
  const along = all([sql`${near.kind} = f.kind`, sql`${near.id} = f.id`, types]);
  const frontier = sql`
    SELECT ${NODE_KIND} AS kind, ${NODE_ID} AS id
    FROM unnest(${nodes}) AS m(node)${PLAN_FOR_MANY_ROWS}
    OFFSET 0
  `;
  return sql`
    SELECT l.node, l.via
    FROM (${frontier}) AS f
    CROSS JOIN LATERAL (
      SELECT ${nodeText(far)} AS node, ${viaText(near)} AS via
      FROM ${linkTable(schema)} AS l
      WHERE ${along}
      OFFSET 0
    ) AS l
  `;
}

/**
 * The units that links reach, a row `node, via, links, ok` for each: the first link to it, the number of links to it, and
 * whether the caller may read it. The links to units that were visited before have one row together, which is not `ok`.
 * @param links rows `node, via`
 * @param seen an array of the units that were visited before
 */
export function reachedUnits(traversal: Traversal, links: Fragment, seen: Fragment): Fragment {
  const unvisited = sql`
    SELECT CASE WHEN e.node NOT IN (SELECT unnest(${seen})) THEN e.node END AS node, e.via
    FROM (${links}) AS e
  `;
  const units = sql`
    SELECT m.node, min(m.via) AS via, count(*) AS links
    FROM (${unvisited}) AS m
    GROUP BY m.node
  `;
  const readable = isReadable(traversal);
  if (!readable) return sql`SELECT m.node, m.via, m.links, m.node IS NOT NULL AS ok FROM (${units}) AS m`;
  return sql`
    SELECT n.node, n.via, n.links, n.node IS NOT NULL AND ${readable} AS ok
    FROM (
      SELECT m.node, m.via, m.links, ${NODE_KIND} AS kind, ${NODE_ID} AS id
      FROM (${units}) AS m
      OFFSET 0
    ) AS n
    OFFSET 0
  `;
}

/** The columns of a step of `reachedUnits` in one row: arrays of the units that the caller may read, and the number of links. */
export const STEP_COLUMNS = sql`
  array_agg(u.node) FILTER (WHERE u.ok) AS nodes,
  array_agg(u.via) FILTER (WHERE u.ok) AS vias,
  coalesce(sum(u.links), 0)::bigint AS links`;

/** PostgreSQL estimates that an array has ten elements; with this join it plans for many. */
export const PLAN_FOR_MANY_ROWS = sql` CROSS JOIN generate_series(1, (SELECT 1)) AS _many`;
/** The kind and the id of the unit `m.node`. */
export const NODE_KIND = sql`split_part(m.node, '/', 1)`;
export const NODE_ID = sql`substr(m.node, strpos(m.node, '/') + 1)`;
/** Before the kind in a text of a link. It sorts before other characters, so that ids are compared before kinds. */
const BEFORE_KIND = sql`chr(1)`;
/** The parts of the link `m.via`. */
const VIA_TYPE = sql`split_part(m.via, '/', 1)`;
const NEAR_KIND = sql`split_part(m.via, ${BEFORE_KIND}, -1)`;
const NEAR_ID = sql`left(substr(m.via, strpos(m.via, '/') + 1), -1 - length(${NEAR_KIND}))`;
/** The columns of a unit that was reached and of the link by which it was, of the row `m`. */
export const REACHED_COLUMNS = sql`
      ${NODE_KIND} AS kind,
      ${NODE_ID} AS id,
      ${VIA_TYPE} AS link_id,
      ${NEAR_ID} AS near,
      ${NEAR_KIND} AS near_kind
`;
/** The unit from which the link `m.via` was followed, as a text `kind/id`. */
export const NEAR_NODE = sql`${NEAR_KIND} || '/' || ${NEAR_ID}`;

/** A unit as a text. */
export function nodeText({ kind, id }: UnitReference): Fragment {
  return sql`${kind} || '/' || ${id}`;
}

/** The link `l`, followed from a unit, as a text. */
export function viaText({ kind, id }: UnitReference): Fragment {
  return sql`l."link_id" || '/' || ${id} || ${BEFORE_KIND} || ${kind}`;
}
