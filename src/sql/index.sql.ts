/** Indexes: their definition, and statements that build them while the table is in use. */
import type { IndexShape, TableShape } from '../model/table/required-tables.js';
import { EMPTY_SQL, ident, integer, join, param, render, sql, type Fragment, type Statement } from './fragment.js';

/** @param how what follows INDEX, such as CONCURRENTLY */
export function createIndex(table: string, index: IndexShape, schema: string, how = EMPTY_SQL): Fragment {
  const unique = index.unique ? sql`UNIQUE ` : EMPTY_SQL;
  const method = index.method === 'gin' ? sql`gin` : sql`btree`;
  const columns = join(index.columns.map((name) => ident(name)));
  return sql`CREATE ${unique}INDEX ${how}${ident(index.name)} ON ${ident(schema, table)} USING ${method} (${columns})`;
}

/** The most bytes of an index entry. */
const MAX_INDEX_ENTRY_BYTES = 2600;

/** One row `large`: whether the table has more than `rows` rows, or the index exists because a build was interrupted. */
export function isLargeStatement(schema: string, table: string, index: string, rows: number): Statement {
  const firstRows = sql`SELECT FROM ${ident(schema, table)} LIMIT ${integer(rows + 1)}`;
  const exists = sql`EXISTS (
    SELECT
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ${param(schema)} AND c.relname = ${param(index)}
  )`;
  return render(sql`SELECT ${exists} OR (SELECT count(*) FROM (${firstRows}) AS _first) > ${integer(rows)} AS large`);
}

/** One row `found`: whether a stored value may be too long for an index; undefined if none can be. */
export function oversizedStatement(schema: string, table: TableShape, { columns }: IndexShape): Statement | undefined {
  const sizes = columns.flatMap((name) => columnSize(table, name) ?? []);
  if (sizes.length === 0) return undefined;
  const size = join(sizes, ' + ');
  return render(
    sql`
      SELECT EXISTS (
        SELECT
        FROM ${ident(schema, table.name)} AS t
        WHERE ${size} > ${integer(MAX_INDEX_ENTRY_BYTES)}
      ) AS found
    `,
  );
}

function columnSize({ columns }: TableShape, name: string): Fragment | undefined {
  const column = columns.get(name);
  if (!column || !['text', 'numeric'].includes(column.type)) return undefined;
  const value = ident('t', name);
  if (!column.array) return sql`coalesce(octet_length(${value}::text), 0)`;
  return sql`coalesce((SELECT max(octet_length(e::text)) FROM unnest(${value}) AS e), 0)`;
}

/** Rows `name, valid`: the indexes of a schema. One is not valid while it is built, or if that was interrupted. */
export function listIndexesStatement(schema: string): Statement {
  return render(
    sql`
      SELECT i.relname AS name, x.indisvalid AS valid
      FROM pg_catalog.pg_index AS x
      JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
      JOIN pg_catalog.pg_namespace AS n ON n.oid = i.relnamespace
      WHERE n.nspname = ${param(schema)}
    `,
  );
}

/** One row `locked`: whether this connection may build the indexes of a project. Held until the connection ends. */
export function lockIndexesStatement(schema: string): Statement {
  return render(sql`SELECT pg_try_advisory_lock(hashtextextended(${param(schema)}, 8)) AS locked`);
}

/** Does not block reads and writes of the table. Not allowed in a transaction. */
export function buildIndexStatement(schema: string, table: string, index: IndexShape): Statement {
  return render(createIndex(table, index, schema, sql`CONCURRENTLY `));
}

/** Not allowed in a transaction. */
export function dropIndexStatement(schema: string, name: string): Statement {
  return render(sql`DROP INDEX CONCURRENTLY IF EXISTS ${ident(schema, name)}`);
}
