/** Statements on many links: those of deleted units, kinds and link types, their numbers, and the kinds that have any. */
import type { KindDef } from '../../model/model.js';
import { columnRef } from '../columns.sql.js';
import { all, type Fragment, join, literal, param, render, sql, type Statement } from '../fragment.js';
import { idText } from '../list/mixed-units.sql.js';
import { keyArray, kindTable, linkTable } from '../table.sql.js';
import { recordLinks, type LinkRecording } from '../write/recording.sql.js';
import type { Direction, Traversal } from './traversal-plan.js';
import { columnsByDirection, hasLinkType, isReadable } from './traversal-step.sql.js';

/** Units of a kind whose links are deleted. */
export interface DeletedLinks {
  readonly schema: string;
  readonly kind: KindDef;
  /** Left out where changes are not recorded. */
  readonly recording?: LinkRecording | undefined;
}

/** Deletes the links of deleted units. To be run after their deletion, in the same transaction. */
export function deleteLinksOfStatement(plan: DeletedLinks, keys: readonly string[]): Statement {
  const ids = unitIds(plan.kind, keys);
  return render(
    deleteInBothDirections(plan, (id) => sql`AND ${id} IN ${ids}`),
    true,
  );
}

/**
 * Deletes the links of those of the units that do not exist. To be run in a transaction of its own, so that it sees all
 * that was committed before.
 */
export function deleteDanglingLinksStatement(plan: DeletedLinks, keys: readonly string[]): Statement {
  const { schema, kind } = plan;
  const unit = sql`
    SELECT
    FROM ${kindTable(schema, kind)} AS u
    WHERE ${columnRef(kind.keyField, 'u')} = t."id"
  `;
  const ids = sql`(SELECT ${idText(kind)} FROM ${unnestedKeys(kind, keys)} WHERE NOT EXISTS (${unit}))`;
  return render(
    deleteInBothDirections(plan, (id) => sql`AND ${id} IN ${ids}`),
    true,
  );
}

/** The ids of units as in links, as a subquery. */
export function unitIds(kind: KindDef, keys: readonly string[]): Fragment {
  return sql`(SELECT ${idText(kind)} FROM ${unnestedKeys(kind, keys)})`;
}

/** Keys of units as rows `t`, which have an id as the rows of the kind's table do. */
function unnestedKeys(kind: KindDef, keys: readonly string[]): Fragment {
  return sql`unnest(${keyArray(kind, keys)}) AS t("id")`;
}

/** Deletes all links of a deleted kind. */
export function deleteLinksOfKindStatement(schema: string, kindId: string): Statement {
  return render(deleteInBothDirections({ schema, kind: { id: kindId } }, () => sql``));
}

/** Two statements, because each direction has an index of its own. */
function deleteInBothDirections(
  { schema, kind: { id: kindId }, recording }: Omit<DeletedLinks, 'kind'> & { readonly kind: Pick<KindDef, 'id'> },
  which: (id: Fragment) => Fragment,
): Fragment {
  const end = (kind: Fragment, id: Fragment) =>
    sql`DELETE FROM ${linkTable(schema)} AS l WHERE ${kind} = ${literal(kindId)} ${which(id)}`;
  const [children, parents] = [end(sql`"parent_kind"`, sql`"parent_id"`), end(sql`"child_kind"`, sql`"child_id"`)];
  if (!recording) return sql`WITH children AS (${children}) ${parents}`;
  const deleted = sql`deleted AS (SELECT * FROM children UNION SELECT * FROM parents)`;
  return sql`
    WITH
      children AS (${children} RETURNING l.*),
      parents AS (${parents} RETURNING l.*),
      ${join([deleted, ...recordLinks(schema, recording, 'unlink', sql`deleted`)])}
    SELECT count(*) FROM deleted
  `;
}

/** Rows `id`: the kinds that have linked units. It reads one index entry per kind, however many links there are. */
export function linkedKindsStatement(schema: string): Statement {
  const kinds = (kind: Fragment, name: Fragment) =>
    sql`${name}(id) AS (
      (SELECT ${kind} FROM ${linkTable(schema)} AS l ORDER BY 1 LIMIT 1)
      UNION ALL
      SELECT (SELECT ${kind} FROM ${linkTable(schema)} AS l WHERE ${kind} > k.id ORDER BY 1 LIMIT 1)
      FROM ${name} AS k
      WHERE k.id IS NOT NULL
    )`;
  const [parents, children] = [kinds(sql`l."parent_kind"`, sql`_p`), kinds(sql`l."child_kind"`, sql`_c`)];
  return render(
    sql`
      WITH RECURSIVE
        ${parents},
        ${children}
      SELECT id FROM _p WHERE id IS NOT NULL
      UNION
      SELECT id FROM _c WHERE id IS NOT NULL
    `,
    true,
  );
}

export function countLinksStatement(schema: string, linkId: string): Statement {
  return render(sql`
    SELECT count(*)::int AS count
    FROM ${linkTable(schema)}
    WHERE "link_id" = ${param(linkId)}
  `);
}

/** Rows `kind, count`: the links of the units of these kinds; a link between two of them counts for its parent. */
export function countLinksOfKindsStatement(schema: string, kinds: readonly string[]): Statement {
  const any = sql`= ANY(${param(kinds)}::text[])`;
  return render(sql`
    SELECT CASE WHEN "parent_kind" ${any} THEN "parent_kind" ELSE "child_kind" END AS kind, count(*)::int AS count
    FROM ${linkTable(schema)}
    WHERE "parent_kind" ${any} OR "child_kind" ${any}
    GROUP BY 1
    ORDER BY 1
  `);
}

export function deleteLinksOfTypeStatement(schema: string, linkId: string): Statement {
  return render(sql`DELETE FROM ${linkTable(schema)} WHERE "link_id" = ${param(linkId)}`);
}

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
