/**
 * The field `link` of the units that a traversal answers: the link by which it reached the unit. Rows of a single step have
 * the columns of their link; after several steps it is looked up by its key.
 */
import { fieldJson } from '../columns.sql.js';
import { EMPTY_SQL, ident, join, literal, sql, type Fragment } from '../fragment.js';
import { linkTable } from '../link-table.sql.js';
import type { Traversal } from '../link/traversal-plan.js';
import { REACHED_UNIT } from '../link/traversal-step.sql.js';
import { utcText } from '../time.sql.js';

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
