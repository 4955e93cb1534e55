/**
 * The shortest path over links from one unit to another, in one statement. Breadth-first searches from both ends take
 * turns, one step at a time from the end with fewer units in its last step, until they meet: two searches of three steps
 * follow far fewer links than one of six. The units between the meeting and the target then get the links by which a
 * traversal from the start would have reached them, so that the path does not depend on where the searches met.
 */
import { boundedList } from '../answer-size.sql.js';
import { columnType } from '../columns.sql.js';
import { all, integer, join, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import type { LinkEnd } from '../link/link-ends.sql.js';
import { hasId, kindTable, linkTable } from '../table.sql.js';
import { idText, itemJson } from '../list/mixed-units.sql.js';
import { modelVersion } from '../model-version.sql.js';
import { rowConditions } from '../condition/predicate.sql.js';
import {
  columnsByDirection,
  hasLinkType,
  linksFrom,
  NEAR_NODE,
  NODE_ID,
  NODE_KIND,
  nodeText,
  PLAN_FOR_MANY_ROWS,
  REACHED_COLUMNS,
  REACHED_UNIT,
  reachedUnits,
  STEP_COLUMNS,
  viaText,
} from '../link/traversal-step.sql.js';
import type { Direction } from '../link/traversal-plan.js';
import { linkField } from './traversal.sql.js';
import { readPlans, unexpectedKinds, walkLimits, type WalkPlan } from './walk.sql.js';

/** A traversal that ends at a unit. */
export interface ShortestPathPlan extends WalkPlan {
  readonly target: LinkEnd;
}

/**
 * One row `v, found, target_found, met, over, items, count, unmet`. `met`: there is a path; `over`: the search exceeds the
 * limits of a traversal; `unmet`: kinds on the path that the plan does not read.
 */
export function shortestPathStatement(plan: ShortestPathPlan): Statement {
  const { schema, start, target } = plan;
  const ends = sql`_s AS MATERIALIZED (
    SELECT
      ${isFound(schema, start)} AS found,
      ${isFound(schema, target)} AS target_found,
      ${endNode(start)} AS start,
      ${endNode(target)} AS target
  )`;
  const page = sql`_page AS MATERIALIZED (
    SELECT m.at - 1 AS depth, ${REACHED_COLUMNS}
    FROM _t AS m
    ORDER BY m.at
  )`;
  const item = itemJson(readPlans(plan.shown), REACHED_UNIT, linkField(plan, false));
  const { units, links } = walkLimits();
  return render(sql`
    WITH RECURSIVE ${join([ends, search(plan), linksToTarget(plan), STEPS, PATH, page])}
    SELECT
      ${modelVersion(schema)} AS v,
      (SELECT found FROM _s) AS found,
      (SELECT target_found FROM _s) AS target_found,
      EXISTS (SELECT FROM _w WHERE met) AS met,
      EXISTS (
        SELECT
        FROM _w
        WHERE links > ${integer(links)} OR (NOT met AND ${SEEN_UNITS} > ${integer(units)})
      ) AS over,
      (SELECT count(*) FROM _page) AS count,
      ${boundedList(item, sql`_page AS n`)}::text AS items,
      ${unexpectedKinds(plan)} AS unmet
  `);
}

function isFound(schema: string, { kind, key, access }: LinkEnd): Fragment {
  const where = all([hasId(kind, param(key)), ...rowConditions(schema, kind, [access])]);
  return sql`EXISTS (SELECT FROM ${kindTable(schema, kind)} AS t WHERE ${where})`;
}

/** A unit at an end as a text, with its id in the spelling of links. */
function endNode({ kind, key }: LinkEnd): Fragment {
  const row = sql`SELECT ${param(key)}::${columnType(kind.keyField.columnType)} AS "id"`;
  return sql`(SELECT ${nodeText({ kind: literal(kind.id), id: idText(kind) })} FROM (${row}) AS t) COLLATE "C"`;
}

const SEEN_UNITS = sql`cardinality(seen) + cardinality(target_seen)`;

/**
 * The searches, a row for each step of either: `at` and `target_at` are the steps taken from the start and from the target,
 * `nodes` and `target_nodes` the units that the last of them reached, `seen` and `target_seen` these and all before, `vias`
 * the links to `nodes`, `ahead` whether the step was one from the start, `links` how many it followed, and `met` whether it
 * reached a unit that the other search has in its last step. An earlier step of that one cannot be met: the searches would
 * have met before.
 */
function search(plan: ShortestPathPlan): Fragment {
  const { schema, direction, linkIds, depth } = plan;
  const types = hasLinkType(linkIds);
  const { units, links } = walkLimits();
  const followed = sql`
    (
      ${linksFrom(schema, sql`CASE WHEN s.ahead THEN w.nodes END`, direction, types)}
      UNION ALL
      ${linksFrom(schema, sql`CASE WHEN NOT s.ahead THEN w.target_nodes END`, opposite(direction), types)}
    )
    LIMIT ${integer(links + 1)}
  `;
  const step = sql`
    SELECT
      ${STEP_COLUMNS},
      coalesce(bool_or(
        u.ok AND u.node IN (SELECT unnest(CASE WHEN s.ahead THEN w.target_nodes ELSE w.nodes END))
      ), false) AS met
    FROM (${reachedUnits(plan, followed, sql`CASE WHEN s.ahead THEN w.seen ELSE w.target_seen END`)}) AS u
  `;
  return sql`_w(at, target_at, ahead, nodes, vias, seen, target_nodes, target_seen, links, met) AS (
    SELECT
      0,
      0,
      false,
      ARRAY[start],
      NULL::text[] COLLATE "C",
      ARRAY[start],
      ARRAY[target],
      ARRAY[target],
      0::bigint,
      start = target
    FROM _s
    WHERE found AND target_found
    UNION ALL
    SELECT
      w.at + s.ahead::int,
      w.target_at + (NOT s.ahead)::int,
      s.ahead,
      CASE WHEN s.ahead THEN x.nodes ELSE w.nodes END,
      CASE WHEN s.ahead THEN x.vias ELSE w.vias END,
      CASE WHEN s.ahead THEN w.seen || x.nodes ELSE w.seen END,
      CASE WHEN s.ahead THEN w.target_nodes ELSE x.nodes END,
      CASE WHEN s.ahead THEN w.target_seen ELSE w.target_seen || x.nodes END,
      x.links,
      x.met
    FROM _w AS w
    CROSS JOIN LATERAL (SELECT cardinality(w.nodes) <= cardinality(w.target_nodes) AS ahead OFFSET 0) AS s
    CROSS JOIN LATERAL (${step}) AS x
    WHERE NOT w.met
      AND w.at + w.target_at <= ${integer(depth)}
      AND w.nodes IS NOT NULL
      AND w.target_nodes IS NOT NULL
      AND w.links <= ${integer(links)}
      AND ${SEEN_UNITS} <= ${integer(units)}
  )`;
}

/**
 * From the meeting to the target, a row for each step of the search from the target, with the units of its step that are on
 * shortest paths, and the links by which they are reached from units of the row before. It follows the links that the search
 * followed.
 */
function linksToTarget({ schema, direction, linkIds }: ShortestPathPlan): Fragment {
  const { near, far } = columnsByDirection(direction);
  const along = all([sql`${far.kind} = f.kind`, sql`${far.id} = f.id`, hasLinkType(linkIds)]);
  const frontier = sql`
    SELECT m.node, ${NODE_KIND} AS kind, ${NODE_ID} AS id
    FROM unnest((SELECT w.target_nodes FROM _w AS w WHERE w.target_at = r.target_at - 1 LIMIT 1)) AS m(node)
    ${PLAN_FOR_MANY_ROWS}
    OFFSET 0
  `;
  const links = sql`
    SELECT f.node, min(l.via) AS via
    FROM (${frontier}) AS f
    CROSS JOIN LATERAL (
      SELECT ${nodeText(near)} AS node, ${viaText(near)} AS via
      FROM ${linkTable(schema)} AS l
      WHERE ${along}
      OFFSET 0
    ) AS l
    WHERE l.node IN (SELECT unnest(r.nodes))
    GROUP BY f.node
  `;
  return sql`_r(at, target_at, nodes, vias) AS (
    SELECT
      w.at,
      w.target_at,
      ARRAY(SELECT m.node FROM unnest(w.nodes) AS m(node) WHERE m.node IN (SELECT unnest(w.target_nodes))),
      NULL::text[] COLLATE "C"
    FROM _w AS w
    WHERE w.met
    UNION ALL
    SELECT r.at + 1, r.target_at - 1, x.nodes, x.vias
    FROM _r AS r
    CROSS JOIN LATERAL (
      SELECT array_agg(k.node) AS nodes, array_agg(k.via) AS vias
      FROM (${links}) AS k
    ) AS x
    WHERE r.target_at > 0
  )`;
}

/** The units by their distance from the start, with the links to them. */
const STEPS = sql`_u AS MATERIALIZED (
  SELECT at, nodes, vias FROM _w WHERE ahead
  UNION ALL
  SELECT at, nodes, vias FROM _r WHERE vias IS NOT NULL
)`;

/** The path, from the target back to the start: a row for each unit, without the start. */
const PATH = (() => {
  const via = (at: Fragment, node: Fragment) => sql`
    CROSS JOIN LATERAL (
      SELECT v.via
      FROM _u AS u
      CROSS JOIN LATERAL unnest(u.nodes, u.vias) AS v(node, via)
      WHERE u.at = ${at} AND v.node = ${node}
    ) AS v
  `;
  return sql`_t(at, node, via) AS (
    SELECT r.at, s.target, v.via
    FROM _r AS r
    CROSS JOIN _s AS s
    ${via(sql`r.at`, sql`s.target`)}
    WHERE r.target_at = 0 AND r.at > 0
    UNION ALL
    SELECT m.at - 1, b.node, v.via
    FROM _t AS m
    CROSS JOIN LATERAL (SELECT ${NEAR_NODE} AS node OFFSET 0) AS b
    ${via(sql`m.at - 1`, sql`b.node`)}
    WHERE m.at > 1
  )`;
})();

function opposite(direction: Direction): Direction {
  return direction === 'child' ? 'parent' : 'child';
}
