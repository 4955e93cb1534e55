/** Statements of a project's schema: creating and dropping it, and the collations for it. */
import { ACCESS_DEFAULTS } from '../../model/access-levels.js';
import {
  ident,
  inOneBlock,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from '../fragment.js';
import { MODEL_TABLE } from '../model-version.sql.js';
import { FOLD_COLLATION } from '../condition/search.sql.js';

export function createSchemaStatements(schema: string, foldCollation: FoldCollation): Statement[] {
  const collation = ident(schema, FOLD_COLLATION);
  const createCollation = foldCollation.locale
    ? sql`CREATE COLLATION ${collation} (
      provider = ${ident(foldCollation.provider)},
      locale = ${literal(foldCollation.locale)}
    )`
    : sql`CREATE COLLATION ${collation} FROM ${ident('pg_catalog', foldCollation.provider)}`;
  return [
    sql`CREATE SCHEMA ${ident(schema)}`,
    createCollation,
    sql`CREATE TABLE ${ident(schema, MODEL_TABLE)} (
      "version" bigint NOT NULL,
      "built_in" integer NOT NULL,
      "access_default" text NOT NULL CHECK ("access_default" IN (${join(ACCESS_DEFAULTS.map(literal))})),
      "one" boolean NOT NULL DEFAULT true PRIMARY KEY CHECK ("one")
    )`,
  ].map((statement) => render(statement));
}

/** A collation that folds case: `locale` of a provider, or the name of one that PostgreSQL ships. */
export interface FoldCollation {
  readonly provider: string;
  readonly locale?: string;
}

export function dropSchemaStatement(schema: string): Statement {
  return render(sql`DROP SCHEMA IF EXISTS ${ident(schema)} CASCADE`);
}

/**
 * Whether the relation with this id is in a schema. PostgreSQL has an index of what depends on a schema, and none of the
 * relations by schema: it would read those of all tenants.
 */
export function isInSchema(relation: Fragment, schema: string): Fragment {
  return sql`${relation} = ANY(ARRAY(
    SELECT d.objid
    FROM pg_catalog.pg_depend AS d
    WHERE d.refclassid = 'pg_catalog.pg_namespace'::regclass
      AND d.refobjid = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = ${param(schema)})
      AND d.classid = 'pg_catalog.pg_class'::regclass
  ))`;
}

/** A table, and the number of its relations: itself, its indexes, and the table for its long values with an index. */
export interface TableSizeRow {
  readonly name: string;
  readonly relations: number;
}

/** Rows `TableSizeRow`: tables of a schema, as many as `limit`. */
export function tablesStatement(schema: string, limit: number): Statement {
  return render(sql`
    SELECT
      c.relname AS name,
      (
        1
        + (SELECT count(*) FROM pg_catalog.pg_index AS x WHERE x.indrelid = c.oid)
        + CASE WHEN c.reltoastrelid = 0 THEN 0 ELSE 2 END
      )::int AS relations
    FROM pg_catalog.pg_class AS c
    WHERE c.relkind IN ('r', 'p') AND ${isInSchema(sql`c.oid`, schema)}
    ORDER BY c.relname
    LIMIT ${integer(limit)}
  `);
}

/** The ids of tables that were measured, and their size. */
export interface StorageRow {
  readonly bytes: string;
  readonly tables: number;
  /** Null without a table. */
  readonly last: number | null;
}

/**
 * One row `StorageRow`: what some tables of a schema take on disk, with their indexes and long values: the first in the
 * order of their ids, after one of them. The backend reads the catalogue of all of them.
 */
export function storageStatement(schema: string, after: number, tables: number): Statement {
  const size = render(sql`
    SELECT
      coalesce(sum(pg_total_relation_size(t.oid)), 0)::bigint AS bytes,
      count(*)::int AS tables,
      max(t.oid) AS last
    FROM (
      SELECT c.oid
      FROM pg_catalog.pg_class AS c
      WHERE c.relkind = 'r' AND ${isInSchema(sql`c.oid`, schema)} AND c.oid > ${param(after)}::oid
      ORDER BY c.oid
      LIMIT ${integer(tables)}
    ) AS t
  `);
  return { ...size, points: tables };
}

export interface ForeignKeyRow {
  readonly table: string;
  readonly name: string;
}

/** Rows `ForeignKeyRow`: foreign keys of the tables of a schema, as many as `limit`. */
export function foreignKeysStatement(schema: string, limit: number): Statement {
  return render(sql`
    SELECT c.relname AS "table", f.conname AS name
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_constraint AS f ON f.conrelid = c.oid
    WHERE c.relkind IN ('r', 'p')
      AND ${isInSchema(sql`c.oid`, schema)}
      AND f.contype = 'f'
      AND f.conparentid = 0
    ORDER BY 1, 2
    LIMIT ${integer(limit)}
  `);
}

export function dropForeignKeysStatement(schema: string, keys: readonly ForeignKeyRow[]): Statement {
  return inOneBlock(
    keys.map(({ table, name }) => render(sql`ALTER TABLE ${ident(schema, table)} DROP CONSTRAINT ${ident(name)}`)),
  );
}

export function dropTablesStatement(schema: string, tables: readonly string[]): Statement {
  return render(sql`DROP TABLE IF EXISTS ${join(tables.map((table) => ident(schema, table)))} CASCADE`);
}

/** Rows `name`: those of the collations that the server has. */
export function collationsStatement(names: readonly string[]): Statement {
  return render(sql`
    SELECT collname AS name
    FROM pg_catalog.pg_collation
    WHERE collname = ANY(${param(names)})
  `);
}
