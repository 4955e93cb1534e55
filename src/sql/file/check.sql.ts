/** What a comparison of files with the objects of the store asks. */
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { UNUSED_OBJECT_TABLE } from '../../model/table/internal-tables.js';
import { seconds } from '../columns.sql.js';
import { type Fragment, ident, integer, param, render, sql, type Statement } from '../fragment.js';
import { LEFT_OBJECT_SECONDS } from '../write/left-objects.sql.js';

export interface CheckedFileRow {
  readonly id: string;
  readonly name: string;
  readonly object: string;
  readonly bytes: number;
}

const OBJECT = sql`t.${ident(OBJECT_FIELD)}`;

function checkedFiles(schema: string): Fragment {
  return sql`
    SELECT t."id"::text, t."name", ${OBJECT} AS object, t."bytes"::float8 AS bytes
    FROM ${ident(schema, FILE_KIND)} AS t
  `;
}

/** Files in the order of the keys of their objects, as bytes. @param after the key of the last one before */
export function filesByObjectStatement(schema: string, after: string, most: number): Statement {
  return render(sql`
    ${checkedFiles(schema)}
    WHERE ${OBJECT} > ${param(after)}
    ORDER BY ${OBJECT}
    LIMIT ${integer(most)}
  `);
}

/** The files that have these objects. */
export function filesOfObjectsStatement(schema: string, keys: readonly string[]): Statement {
  return render(sql`
    ${checkedFiles(schema)}
    WHERE ${OBJECT} = ANY(${param(keys)}::text[])
  `);
}

/** Rows `object`: those of the objects that files have, or that are listed as unused. */
export function knownObjectsStatement(schema: string, keys: readonly string[]): Statement {
  return render(sql`
    SELECT ${OBJECT} AS object
    FROM ${ident(schema, FILE_KIND)} AS t
    WHERE ${OBJECT} = ANY(${param(keys)}::text[])
    UNION ALL
    SELECT u."id" AS object
    FROM ${ident(schema, UNUSED_OBJECT_TABLE)} AS u
    WHERE u."id" = ANY(${param(keys)}::text[])
  `);
}

/** Lists objects as unused, so that they are removed after a day if no file has them then. */
export function listUnusedStatement(schema: string, keys: readonly string[]): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, UNUSED_OBJECT_TABLE)} ("id", "goes_at")
    SELECT k."id", now() + ${seconds(LEFT_OBJECT_SECONDS)}
    FROM unnest(${param(keys)}::text[]) AS k("id")
    ON CONFLICT ("id") DO NOTHING
  `);
}
