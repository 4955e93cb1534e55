/** What the content of a file is, and where. */
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { FILES_TABLE } from '../../model/table/internal-tables.js';
import { ident, param, render, sql, type Statement } from '../fragment.js';
import { kindTable } from '../table.sql.js';
import { microseconds } from '../columns.sql.js';
import { targetConditions, type DeletePlan } from '../write/written-rows.sql.js';

export interface ContentRow {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: string;
  readonly sha256: string;
  readonly object: string;
  readonly width: string | null;
  readonly owner: string | null;
  /** The version of the unit, in microseconds. */
  readonly version: string;
}

export type StoredContentRow = Pick<ContentRow, 'name' | 'object' | 'bytes' | 'sha256'>;

/** The number that ends signed addresses when it is raised. */
interface Epoch {
  readonly epoch: string;
}

export type FoundContentRow = Epoch & ContentRow;

export type AddressedContentRow = Epoch & (ContentRow | Readonly<Record<keyof ContentRow, null>>);

/** The content that a file has. One row at most. */
export function contentOfUnitStatement(schema: string, id: string): Statement {
  return render(sql`
    SELECT t."name", t.${ident(OBJECT_FIELD)}, t."bytes"::text, t."sha256"
    FROM ${ident(schema, FILE_KIND)} AS t
    WHERE t."id" = ${param(id)}::uuid
  `);
}

const CONTENT_COLUMNS = sql`
  t."id"::text,
  t."name",
  t."media_type",
  t."bytes"::text,
  t."sha256",
  t.${ident(OBJECT_FIELD)},
  t."width"::text,
  t."owner"::text,
  ${microseconds(sql`t."updated_at"`)}::text AS version
`;

/** One row: the number that ends addresses, and the content of a file whoever may read it, or nulls. */
export function addressedContentStatement(schema: string, id: string | undefined): Statement {
  return render(
    sql`
      SELECT f."epoch"::text, ${CONTENT_COLUMNS}
      FROM ${ident(schema, FILES_TABLE)} AS f
      LEFT JOIN ${ident(schema, FILE_KIND)} AS t ON t."id" = ${param(id ?? null)}::uuid
    `,
    true,
  );
}

/** The content of a file that fits the plan, with the number that ends addresses. One row at most. */
export function contentStatement(plan: DeletePlan): Statement {
  return render(
    sql`
      SELECT (SELECT "epoch"::text FROM ${ident(plan.schema, FILES_TABLE)}) AS epoch, ${CONTENT_COLUMNS}
      FROM ${kindTable(plan.schema, plan.kind)} AS t
      WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
    `,
    true,
  );
}

/** Rows `id, object, bytes`: where the contents of all files are. */
export function contentsStatement(schema: string): Statement {
  return render(sql`
    SELECT t."id"::text AS id, t.${ident(OBJECT_FIELD)} AS object, t."bytes"::float8 AS bytes
    FROM ${ident(schema, FILE_KIND)} AS t
    ORDER BY t."id"
  `);
}
