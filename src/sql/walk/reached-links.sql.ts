/**
 * The links of a traversal: every link of the last step to a unit, where a query tests the values of links or is ordered
 * by them. A traversal itself has one link for each unit.
 */
import { all, type Fragment, ident, integer, join, literal, sql } from '../fragment.js';
import type { Traversal } from '../link/traversal-plan.js';
import { columnsByDirection, isReadable, NODE_ID, NODE_KIND, PLAN_FOR_MANY_ROWS } from '../link/traversal-step.sql.js';
import { linkTable } from '../table.sql.js';
import { firstStepConditions, linkRecordColumns, type TraversalStart } from './traversal.sql.js';

/** A value of links that a query names. */
export interface LinkColumn {
  /** The name of the column, as the fields of the query have it. */
  readonly name: string;
  /** The columns of the table of links that have it, one for each link type. None for the number of steps. */
  readonly columns: readonly string[];
}

/**
 * Rows `depth, kind, id, link_id, near, near_kind` as of `TraversedUnits`, for each link, with the values of the columns
 * as `_0`, `_1`, and so on. Needs the steps of the traversal.
 */
export function reachedLinks(
  traversal: Traversal & { readonly linkColumns: readonly LinkColumn[] },
  start: TraversalStart,
  types: Fragment | undefined,
  over: Fragment,
): Fragment {
  const values = join(
    traversal.linkColumns.flatMap((column, at) =>
      column.columns.length > 0 ? [sql`, ${valueOf(column)} AS ${carriedName(at)}`] : [],
    ),
    '',
  );
  return traversal.depth === 0
    ? linksOfFirstStep(traversal, start, types, values)
    : linksOfSteps(traversal, types, values, over);
}

/** Rows with the columns as a row `tl` beside each, which is the alias of a link to the unit `t`. */
export function withLinkRow(columns: readonly LinkColumn[], rows: Fragment): Fragment {
  if (columns.length === 0) return sql`(${rows}) AS n`;
  const values = columns.map(({ name, columns: [stored] }, at) => {
    return sql`${stored === undefined ? sql`n.depth` : sql`n.${carriedName(at)}`} AS ${ident(name)}`;
  });
  return sql`(${rows}) AS n CROSS JOIN LATERAL (SELECT ${join(values)}) AS "tl"`;
}

function carriedName(at: number): Fragment {
  return ident(`_${at}`);
}

/** Of a link, only the columns of its own type have values. */
function valueOf({ columns }: LinkColumn): Fragment {
  const stored = columns.map((column) => ident('l', column));
  return stored.length === 1 ? join(stored) : sql`coalesce(${join(stored)})`;
}

function linksOfFirstStep(
  traversal: Traversal,
  start: TraversalStart,
  types: Fragment | undefined,
  values: Fragment,
): Fragment {
  const { near, far } = columnsByDirection(traversal.direction);
  const links = sql`
    SELECT
      ${far.kind} AS kind,
      ${far.id} AS id,
      l."link_id" AS link_id,
      ${near.id} AS near${linkRecordColumns(traversal).read}${values}
    FROM ${linkTable(traversal.schema)} AS l
    WHERE ${firstStepConditions(traversal, start, types)}
  `;
  return sql`
    SELECT 0 AS depth, n.*, ${literal(start.kind.id)} AS near_kind
    FROM (${links}) AS n
    WHERE ${all([isReadable(traversal)])}
  `;
}

/**
 * Follows the links of each step again, from the units of the step before, and keeps those that lead to a unit of the
 * step. A traversal beyond its limits is not followed again.
 */
function linksOfSteps(
  { schema, direction, depth }: Traversal,
  types: Fragment | undefined,
  values: Fragment,
  over: Fragment,
): Fragment {
  const { near, far } = columnsByDirection(direction);
  const unitsOfSteps = sql`
    SELECT s.depth, ${NODE_KIND} AS kind, ${NODE_ID} AS id
    FROM _w AS s
    CROSS JOIN LATERAL unnest(s.nodes) AS m(node)${PLAN_FOR_MANY_ROWS}
  `;
  const along = all([sql`${near.kind} = f.kind`, sql`${near.id} = f.id`, types]);
  const links = sql`
    SELECT f.depth + 1 AS depth, l.*
    FROM (${unitsOfSteps} WHERE s.depth < ${integer(depth)} AND NOT ${over} OFFSET 0) AS f
    CROSS JOIN LATERAL (
      SELECT
        ${far.kind} AS kind,
        ${far.id} AS id,
        l."link_id" AS link_id,
        ${near.id} AS near,
        ${near.kind} AS near_kind${values}
      FROM ${linkTable(schema)} AS l
      WHERE ${along}
      OFFSET 0
    ) AS l
    OFFSET 0
  `;
  return sql`
    SELECT e.*
    FROM (${links}) AS e
    JOIN (${unitsOfSteps} WHERE s.depth >= 0) AS n ON n.depth = e.depth AND n.kind = e.kind AND n.id = e.id
  `;
}
