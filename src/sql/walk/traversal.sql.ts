/**
 * Traversal of links: the units within some steps of one unit, each once and nearest first. A recursive query has a row
 * per step, with arrays of the units that the step reaches and of all units before, so that no unit is visited twice,
 * however many paths lead to it (docs/adr/0007). A single step is a plain index scan.
 */
import type { KindDef } from '../../model/model.js';
import { fieldJson, utcText } from '../columns.sql.js';
import { all, EMPTY_SQL, ident, integer, join, literal, param, sql, type Fragment } from '../fragment.js';
import { linkTable } from '../table.sql.js';
import {
  columnsByDirection,
  isReadable,
  linksFrom,
  REACHED_COLUMNS,
  REACHED_UNIT,
  reachedUnits,
  STEP_COLUMNS,
} from '../link/traversal-step.sql.js';
import type { Traversal } from '../link/traversal-plan.js';

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
  /** Whether the rows have the `linkRecordColumns`. */
  readonly hasLinks: boolean;
  /** Whether the traversal exceeds its limits. */
  readonly over: Fragment;
}

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

/** The neighbours with their links, in the order of the index, so that a page reads no more entries than it has. */
function firstStep(traversal: Traversal, start: TraversalStart, types: Fragment | undefined): TraversedUnits {
  const { near, far } = columnsByDirection(traversal.direction);
  const columns = linkRecordColumns(traversal);
  const once = traversal.oneType ? EMPTY_SQL : sql` DISTINCT ON (${far.kind}, ${far.id})`;
  const links = sql`
    SELECT${once} ${far.kind} AS kind, ${far.id} AS id, l."link_id" AS link_id, ${near.id} AS near${columns.read}
    FROM ${linkTable(traversal.schema)} AS l
    WHERE ${firstStepConditions(traversal, start, types)}
    ORDER BY ${far.kind}, ${far.id}, l."link_id"
  `;
  const rows = sql`
    SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, ${literal(start.kind.id)} AS near_kind${columns.passed}
    FROM (${links}) AS n
    WHERE ${all([isReadable(traversal)])}
  `;
  return { steps: [], rows, hasLinks: true, over: sql`false` };
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

/** Several steps. Of several links to a unit the first counts. A step with too many links stops there and sets `over`. */
function manySteps(
  traversal: Traversal,
  start: TraversalStart,
  limits: TraversalLimits,
  types: Fragment | undefined,
): TraversedUnits {
  const links = sql`
    ${linksFrom(traversal.schema, sql`w.nodes`, traversal.direction, types)}
    LIMIT ${integer(limits.links + 1)}
  `;
  const step = sql`
    SELECT ${STEP_COLUMNS}
    FROM (${reachedUnits(traversal, links, sql`w.seen`)}) AS u
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
    hasLinks: false,
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

/** What a row `n` of a single step has of its link besides the key; `read` of the link `l`, `passed` on by a query around it. */
export function linkRecordColumns(traversal: Pick<Traversal, 'linkValues'>): {
  readonly read: Fragment;
  readonly passed: Fragment;
} {
  const columns = shownColumns(traversal);
  return {
    read: join(
      columns.map((column, at) => sql`, ${ident('l', column)} AS ${ident(columnAlias(at))}`),
      '',
    ),
    passed: join(
      columns.map((_, at) => sql`, ${ident('n', columnAlias(at))}`),
      '',
    ),
  };
}

/** @param inRow whether the row `n` has the `linkRecordColumns` */
export function linkField(traversal: Traversal, inRow: boolean): Fragment {
  const { direction, linkValues } = traversal;
  const near = { kind: sql`n.near_kind`, id: sql`n.near` };
  const [parent, child] = direction === 'child' ? [near, REACHED_UNIT] : [REACHED_UNIT, near];
  const own = sql`
    n.link_id,
    ${parent.id} AS parent_id,
    ${child.id} AS child_id,
    n.depth,
    ${utcText(sql`l."inserted_at"`)} AS inserted_at
  `;
  const record = (more: Fragment) => sql`(SELECT row_to_json(_k) FROM (SELECT ${own}${more}) AS _k)`;
  const cases = linkValues.map(({ linkId, fields }) => {
    const values = fields.map((field) => sql`, ${fieldJson(field, 'l')} AS ${ident(field.id)}`);
    return sql` WHEN ${literal(linkId)} THEN ${record(join(values, ''))}`;
  });
  const link =
    cases.length === 0 ? record(EMPTY_SQL) : sql`CASE n.link_id${join(cases, '')} ELSE ${record(EMPTY_SQL)} END`;
  if (inRow) return sql`(SELECT ${link} FROM ${linkInRow(traversal)} AS l) AS "link"`;
  return sql`(
    SELECT ${link}
    FROM ${linkTable(traversal.schema)} AS l
    WHERE l."parent_kind" = ${parent.kind}
      AND l."parent_id" = ${parent.id}
      AND l."child_kind" = ${child.kind}
      AND l."child_id" = ${child.id}
      AND l."link_id" = n.link_id
  ) AS "link"`;
}

function linkInRow(traversal: Traversal): Fragment {
  const columns = shownColumns(traversal);
  return sql`(
    SELECT ${join(columns.map((column, at) => sql`${ident('n', columnAlias(at))} AS ${ident(column)}`))}
  )`;
}

function shownColumns({ linkValues }: Pick<Traversal, 'linkValues'>): string[] {
  const ofValues = linkValues.flatMap(({ fields }) => fields.flatMap(({ column }) => column ?? []));
  return ['inserted_at', ...new Set(ofValues)];
}

/** A name that no other column of the rows has. */
function columnAlias(at: number): string {
  return `_l${at}`;
}
