/** Indexes: their definition, and statements that build them while the table is in use. */
import type { IndexShape, TableShape } from '../../model/table/required-tables.js';
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { documentWords, foldedText } from '../condition/search.sql.js';
import { EMPTY_SQL, ident, integer, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { isInSchema } from './schema.sql.js';

/** What an index is made with besides its shape. */
interface IndexOptions {
  /** The schema of the extension pg_trgm, which indexes with the method `trigram` need. */
  readonly trigrams: string | undefined;
  readonly concurrently?: boolean;
}

export function createIndex(table: string, index: IndexShape, schema: string, options: IndexOptions): Fragment {
  const unique = index.unique ? sql`UNIQUE ` : EMPTY_SQL;
  const how = options.concurrently ? sql`CONCURRENTLY ` : EMPTY_SQL;
  const contents = indexContents(index, schema, options.trigrams);
  return sql`CREATE ${unique}INDEX ${how}${ident(index.name)} ON ${ident(schema, table)} USING ${contents}`;
}

function indexContents(
  { method, columns, name, configuration }: IndexShape,
  schema: string,
  trigrams: string | undefined,
): Fragment {
  const names = columns.map((column) => ident(column));
  switch (method) {
    case 'btree':
      return sql`btree (${join(names)})`;
    case 'gin':
      return sql`gin (${join(names)})`;
    case 'search': {
      const document = { configuration: configuration ?? 'simple', columns };
      return sql`gin (${documentWords(document, schema, (column) => ident(column))})`;
    }
    case 'trigram': {
      if (trigrams === undefined) throw new Error(`the index ${name} needs the extension pg_trgm`);
      const texts = join(names.map((column) => sql`${foldedText(column, schema)} ${ident(trigrams, 'gin_trgm_ops')}`));
      // Reads search the list of pending entries from its beginning, so it is kept short (in kB).
      return sql`gin (${texts}) WITH (gin_pending_list_limit = 256)`;
    }
  }
}

/**
 * One row `schema` if the database has the extension pg_trgm and this role may use it. A tenant is not bound to one
 * schema of the extension, because databases have it in different ones.
 */
export const TRIGRAM_SCHEMA = sql`
  SELECT n.nspname AS schema
  FROM pg_catalog.pg_extension AS e
  JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
  WHERE e.extname = 'pg_trgm' AND has_schema_privilege(n.oid, 'USAGE')
`;

export const FIND_TRIGRAMS: Statement = render(TRIGRAM_SCHEMA);

/**
 * One row `missing`: whether the server has the extension pg_trgm, and the database does not. The list of what the server
 * has is read last, because it is read from files.
 */
export const FIND_MISSING_TRIGRAMS: Statement = render(
  sql`
    SELECT
      CASE
        WHEN NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm')
          THEN EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'pg_trgm')
        ELSE false
      END AS missing
  `,
);

export const CREATE_TRIGRAMS: Statement = render(
  sql`CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA ${ident(REGISTRY_SCHEMA)}`,
);

/** The most bytes of an index entry. */
const MAX_INDEX_ENTRY_BYTES = 2600;

/** One row `large`: whether the table has more than `rows` rows, or the index exists because a build was interrupted. */
export function isLargeStatement(schema: string, table: string, index: string, rows: number): Statement {
  const exists = sql`EXISTS (
    SELECT 1
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ${param(schema)} AND c.relname = ${param(index)}
  )`;
  return render(sql`SELECT ${exists} OR ${hasMoreRows(schema, [table], rows)} AS large`);
}

function hasMoreRows(schema: string, tables: readonly string[], rows: number): Fragment {
  const first = tables.map((table) => sql`(SELECT 1 FROM ${ident(schema, table)} LIMIT ${integer(rows + 1)})`);
  return sql`(SELECT count(*) FROM (${join(first, ' UNION ALL ')}) AS _first) > ${integer(rows)}`;
}

/** One row `rows`: about how many a table has, as PostgreSQL has last counted them. */
export function estimatedRowsStatement(schema: string, table: string): Statement {
  return render(sql`
    SELECT c."reltuples"::float8 AS rows
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ${param(schema)} AND c.relname = ${param(table)}
  `);
}

/** One row `more`: whether tables have more than `rows` rows together. */
export function hasMoreRowsStatement(schema: string, tables: readonly string[], rows: number): Statement {
  return render(sql`SELECT ${hasMoreRows(schema, tables, rows)} AS more`);
}

/** One row `found`: whether a stored value may be too long for an index; undefined if none can be. */
export function oversizedStatement(
  schema: string,
  table: TableShape,
  { columns, method }: IndexShape,
): Statement | undefined {
  const sizes = columns.flatMap((name) => columnSize(table, name) ?? []);
  if (sizes.length === 0 || method === 'trigram' || method === 'search') return undefined;
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

/** Rows `table, check`: the checks of a schema that hold for what is written since they were added. */
export function listUnvalidatedChecksStatement(schema: string): Statement {
  return render(
    sql`
      SELECT c.relname AS table, f.conname AS check
      FROM pg_catalog.pg_constraint AS f
      JOIN pg_catalog.pg_class AS c ON c.oid = f.conrelid
      WHERE f.contype = 'c' AND NOT f.convalidated AND ${isInSchema(sql`c.oid`, schema)}
    `,
  );
}

/** Reads the table; neither reads nor writes wait for it. */
export function validateCheckStatement(schema: string, table: string, check: string): Statement {
  return render(sql`ALTER TABLE ${ident(schema, table)} VALIDATE CONSTRAINT ${ident(check)}`);
}

/** One row `locked`: whether this connection may build the indexes of a project. Held until the connection ends. */
export function lockIndexesStatement(schema: string): Statement {
  return render(sql`SELECT pg_try_advisory_lock(hashtextextended(${param(schema)}, 8)) AS locked`);
}

/** Does not block reads and writes of the table. Not allowed in a transaction. */
export function buildIndexStatement(
  schema: string,
  table: string,
  index: IndexShape,
  trigrams: string | undefined,
): Statement {
  return render(createIndex(table, index, schema, { trigrams, concurrently: true }));
}

/** Collects statistics, which an index of an expression does not have before. */
export function analyzeStatement(schema: string, table: string): Statement {
  return render(sql`ANALYZE ${ident(schema, table)}`);
}

/** Not allowed in a transaction. */
export function dropIndexStatement(schema: string, name: string): Statement {
  return render(sql`DROP INDEX CONCURRENTLY IF EXISTS ${ident(schema, name)}`);
}
