/** The numbers of linked units that `load_links=count` adds. */
import type { KindDef } from '../../model/model.js';
import { all, join, literal, sql, type Fragment } from '../fragment.js';
import { linkTable } from '../link-table.sql.js';
import { idText } from '../list/mixed-units.sql.js';
import type { Direction, Traversal } from './traversal-plan.js';
import { columnsByDirection, hasLinkType, isReadable } from './traversal-step.sql.js';

/** The column `links` of the row `t`: for each traversal its direction with the number of linked units for each link type. */
export function linkCounts(kind: KindDef, traversals: readonly Traversal[]): Fragment {
  const counts = traversals.map((traversal) => {
    const linked = linkedUnits(traversal, kind);
    return sql`${literal(traversal.direction)}, (
      SELECT coalesce(json_object_agg(c.link_id, c.n ORDER BY c.link_id), '{}')
      FROM (SELECT n.link_id, count(*) AS n FROM (${linked}) AS n GROUP BY n.link_id) AS c
    )`;
  });
  return sql`json_build_object(${join(counts)}) AS "links"`;
}

/** The column `links` of units that cannot be linked. */
export function noLinkCounts(directions: readonly Direction[]): Fragment {
  return sql`json_build_object(${join(directions.map((each) => sql`${literal(each)}, '{}'::json`))}) AS "links"`;
}

/** The neighbours of the row `t` that the caller may read, as rows `kind, id, link_id`: one for each link. */
function linkedUnits(traversal: Traversal, kind: KindDef): Fragment {
  const { near, far } = columnsByDirection(traversal.direction);
  const from = all([
    sql`${near.kind} = ${literal(kind.id)}`,
    sql`${near.id} = ${idText(kind)}`,
    hasLinkType(traversal.linkIds),
  ]);
  const links = sql`
    SELECT ${far.kind} AS kind, ${far.id} AS id, l."link_id" AS link_id
    FROM ${linkTable(traversal.schema)} AS l
    WHERE ${from}
  `;
  return sql`SELECT n.kind, n.id, n.link_id FROM (${links}) AS n WHERE ${all([isReadable(traversal)])}`;
}
