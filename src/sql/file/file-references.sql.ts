/** Which units refer to files. */
import { FILE_KIND } from '../../model/built-in-traits.js';
import { LINK_TABLE } from '../../model/names.js';
import type { Field, KindDef, Referring } from '../../model/model.js';
import { columnRef } from '../columns.sql.js';
import { all, ident, join, literal, param, render, sql, type Statement } from '../fragment.js';
import { hasKeyIn, kindTable } from '../table.sql.js';

/** Rows `id, files`: the files to which units refer by these fields. */
export function ownedFilesStatement(
  schema: string,
  kind: KindDef,
  fields: readonly Field[],
  units: readonly string[],
): Statement {
  const files = join(fields.map((field) => sql`${columnRef(field)}::text`));
  return render(sql`
    SELECT ${columnRef(kind.keyField)}::text AS id, array_remove(ARRAY[${files}], NULL) AS files
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${hasKeyIn(kind, units)}
  `);
}

/** Rows `id`: those of the files to which no unit refers, and that have no link. */
export function unusedFilesStatement(
  schema: string,
  files: KindDef,
  ids: readonly string[],
  references: readonly Referring[],
): Statement {
  const key = columnRef(files.keyField);
  const links = (kind: string, id: string) => sql`
    NOT EXISTS (
      SELECT
      FROM ${ident(schema, LINK_TABLE)} AS l
      WHERE l.${ident(kind)} = ${literal(files.id)} AND l.${ident(id)} = ${key}::text
    )
  `;
  const referring = references.map(
    ({ kind, field }) => sql`
      NOT EXISTS (SELECT FROM ${kindTable(schema, kind)} AS r WHERE ${columnRef(field, 'r')} = ${key})
    `,
  );
  const unused = [hasKeyIn(files, ids), ...referring];
  unused.push(links('parent_kind', 'parent_id'), links('child_kind', 'child_id'));
  return render(sql`
    SELECT ${key}::text AS id
    FROM ${kindTable(schema, files)} AS t
    WHERE ${all(unused)}
  `);
}

/** Rows `id`: those of the files that have links with other units than these. */
export function linkedFilesStatement(
  schema: string,
  files: readonly string[],
  kind: KindDef,
  units: readonly string[],
): Statement {
  const linked = (kindColumn: string, id: string, otherKind: string, other: string) => sql`
    SELECT l.${ident(id)} AS id
    FROM ${ident(schema, LINK_TABLE)} AS l
    WHERE l.${ident(kindColumn)} = ${literal(FILE_KIND)}
      AND l.${ident(id)} = ANY(${param(files)}::text[])
      AND NOT (l.${ident(otherKind)} = ${literal(kind.id)} AND l.${ident(other)} = ANY(${param(units)}::text[]))
  `;
  return render(sql`
    ${linked('parent_kind', 'parent_id', 'child_kind', 'child_id')}
    UNION ALL
    ${linked('child_kind', 'child_id', 'parent_kind', 'parent_id')}
  `);
}

/** One row if a unit refers by the field to the file; none otherwise. */
export function refersToFileStatement(schema: string, { kind, field }: Referring, file: string): Statement {
  return render(sql`
    SELECT true AS refers
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${columnRef(field)} = ${param(file)}::uuid
    LIMIT 1
  `);
}
