/**
 * The rows of a project's tables as lines of files, and back: every stored field as records show it, hidden ones too.
 * What a line lacks becomes null.
 */
import type { Field, KindDef } from '../../model/model.js';
import { storedDefault, uniqueColumns } from '../../model/field.js';
import { FILE_KIND, GROUP_KIND, KIND_KIND, LINK_KIND } from '../../model/built-in-traits.js';
import { LINK_TABLE } from '../../model/names.js';
import { columnType, defaultLiteral, fieldType, selectList, utcText } from '../columns.sql.js';
import { storedCount } from '../count.sql.js';
import { EXPORT_CURSOR } from './export.sql.js';
import { EMPTY_SQL, ident, join, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** Rows of a table that make one file. */
export interface FileRows {
  readonly table: string;
  /** The stored fields; their ids are the keys of a line. */
  readonly fields: readonly Field[];
  /** A column that has the same value in all of these rows, and another one in the other rows of the table. */
  readonly where?: { readonly column: string; readonly value: string };
  /** The columns of the table's key. */
  readonly key: readonly string[];
}

/** One row `time`: as the first statement of a transaction, the moment of its snapshot. */
export const SNAPSHOT_TIME: Statement = render(sql`SELECT ${utcText(sql`statement_timestamp()`)} AS time`);

/** Opens the cursor of the lines, which `nextLinesStatement` fetches, in the order of the key. */
export function openRowsStatement(schema: string, file: FileRows): Statement {
  const { table, fields, key } = file;
  const order = join(key.map((column) => ident('t', column)));
  const rows = sql`SELECT ${selectList(fields)} FROM ${ident(schema, table)} AS t${rowsOf(file)} ORDER BY ${order}`;
  return render(
    sql`DECLARE ${EXPORT_CURSOR} NO SCROLL CURSOR FOR SELECT row_to_json(_r)::text AS line FROM (${rows}) AS _r`,
  );
}

export const CLOSE_ROWS: Statement = render(sql`CLOSE ${EXPORT_CURSOR}`);

/** One row `count`: the rows of a file. */
export function countFileStatement(schema: string, rows: FileRows): Statement {
  return render(sql`SELECT count(*)::float8 AS count FROM ${ident(schema, rows.table)} AS t${rowsOf(rows)}`);
}

function rowsOf({ where }: FileRows): Fragment {
  return where ? sql` WHERE ${ident('t', where.column)} = ${literal(where.value)}` : EMPTY_SQL;
}

/** Inserts the rows of lines. Rows of built-in definitions, which every project has, get what can be edited of them. */
export function insertLinesStatement(schema: string, { table, fields }: FileRows, lines: readonly string[]): Statement {
  const written = uniqueColumns(fields);
  const columns = written.map(({ id, column }) => ident(column ?? id));
  const types = written.map((field) => sql`${ident(field.id)} ${lineType(field)}`);
  return render(
    sql`
      INSERT INTO ${ident(schema, table)} AS t (${join(columns)})
      SELECT ${join(written.map(storedValue))}
      FROM json_to_recordset(${param(`[${lines.join(',')}]`)}::json) AS i(${join(types)})
      ${editedDefinitions(table, written)}
    `,
    true,
  );
}

/** Base64 is decoded, and lists of JSON values are taken apart, after the line is read. */
function lineType(field: Field): Fragment {
  if (field.columnType === 'jsonb') return sql`jsonb`;
  return isBytes(field) ? columnType('text', field.def.multiple) : fieldType(field);
}

/** A column without null, which an older release did not have, gets its default. */
function storedValue(field: Field): Fragment {
  const value = storedDefault(field);
  if (field.def.nullable || value === null) return lineValue(field);
  const column = { type: field.columnType, array: field.def.multiple };
  return sql`coalesce(${lineValue(field)}, ${defaultLiteral(value, column)})`;
}

function lineValue(field: Field): Fragment {
  const value = ident('i', field.id);
  if (!field.def.multiple) return isBytes(field) ? sql`decode(${value}, 'base64')` : value;
  const list = (rows: Fragment, each: Fragment) => sql`
    CASE
      WHEN ${value} IS NOT NULL THEN ARRAY(SELECT ${each} FROM ${rows} WITH ORDINALITY AS _e(item, n) ORDER BY _e.n)
    END
  `;
  if (isBytes(field)) return list(sql`unnest(${value})`, sql`decode(_e.item, 'base64')`);
  if (field.columnType === 'jsonb') return list(sql`jsonb_array_elements(${value})`, sql`_e.item`);
  return value;
}

function isBytes({ columnType: type }: Field): boolean {
  return type === 'bytea';
}

const TIMES = ['metadata', 'inserted_at', 'updated_at'];
/** What can be edited of built-in definitions, by their table. */
const EDITED: ReadonlyMap<string, readonly string[]> = new Map([
  [KIND_KIND, ['label', 'access', ...TIMES]],
  [LINK_KIND, ['label', 'access', 'parameters', ...TIMES]],
  [GROUP_KIND, ['label', 'description', 'kind_list', ...TIMES]],
]);

/** A built-in group keeps the kinds that only this release has. */
const KIND_LIST = sql`
  CASE
    WHEN EXCLUDED."kind_list" @> t."kind_list" THEN EXCLUDED."kind_list"
    ELSE t."kind_list" || ARRAY(
      SELECT k
      FROM unnest(EXCLUDED."kind_list") WITH ORDINALITY AS u(k, n)
      WHERE k <> ALL(t."kind_list")
      ORDER BY n
    )
  END
`;

function editedDefinitions(table: string, written: readonly Field[]): Fragment {
  const edited = EDITED.get(table);
  if (!edited) return EMPTY_SQL;
  const values = edited.map((column) => {
    return sql`${ident(column)} = ${column === 'kind_list' ? KIND_LIST : ident('excluded', column)}`;
  });
  // Projects define what else the kind of files has.
  const own = table === KIND_KIND ? written.map(({ id, column }) => column ?? id) : [];
  const extended = own
    .filter((column) => column !== 'id' && !edited.includes(column))
    .map((column) => {
      const [given, kept] = [ident('excluded', column), ident('t', column)];
      return sql`${ident(column)} = CASE WHEN t."id" = ${literal(FILE_KIND)} THEN ${given} ELSE ${kept} END`;
    });
  return sql`ON CONFLICT ("id") DO UPDATE SET ${join([...values, ...extended])}`;
}

/** Keeps tables as they are until the transaction ends; their rows can be written. Takes no snapshot. */
export function keepTablesStatement(schema: string, tables: readonly string[]): Statement {
  return render(sql`LOCK TABLE ${join(tables.map((table) => ident(schema, table)))} IN ACCESS SHARE MODE`);
}

/** One row `count`: about how many units and links a project has. */
export function countRowsStatement(schema: string, kinds: readonly KindDef[]): Statement {
  const links = sql`(SELECT count(*) FROM ${ident(schema, LINK_TABLE)})`;
  const counts = [links, ...kinds.map((kind) => storedCount(schema, kind))];
  return render(sql`SELECT (${join(counts, ' + ')})::int AS count`);
}

export function deleteRowsStatement(schema: string, table: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, table)}`);
}

/** A value of a column of texts. */
export interface ColumnValue {
  readonly id: string;
  readonly value: string;
}

/** Rows `ColumnValue`: those that are not null. */
export function readColumnStatement(schema: string, table: string, column: string): Statement {
  const value = ident('t', column);
  return render(sql`
    SELECT t."id"::text AS id, ${value} AS value FROM ${ident(schema, table)} AS t WHERE ${value} IS NOT NULL
  `);
}

/** Writes values without new versions of the units. */
export function writeColumnStatement(
  schema: string,
  table: string,
  column: string,
  values: readonly ColumnValue[],
): Statement {
  return render(sql`
    UPDATE ${ident(schema, table)} AS t
    SET ${ident(column)} = v.value
    FROM unnest(
      ${param(values.map(({ id }) => id))}::text[],
      ${param(values.map(({ value }) => value))}::text[]
    ) AS v(id, value)
    WHERE t."id"::text = v.id
  `);
}
