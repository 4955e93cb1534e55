/** Statements of a project's schema: creating and dropping it, and the collations for it. */
import { ACCESS_DEFAULTS } from '../../model/parameter-type/parameter-settings.js';
import { ident, join, literal, param, render, sql, type Statement } from '../fragment.js';
import { MODEL_TABLE } from '../model-version.sql.js';
import { FOLD_COLLATION } from '../condition/fold.sql.js';

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
      ${ACCESS_DEFAULT_COLUMN},
      "one" boolean NOT NULL DEFAULT true PRIMARY KEY CHECK ("one")
    )`,
  ].map((statement) => render(statement));
}

const ACCESS_DEFAULT_COLUMN = sql`
  "access_default" text NOT NULL DEFAULT 'open' CHECK ("access_default" IN (${join(ACCESS_DEFAULTS.map(literal))}))
`;

/** Adds what the table of the model lacks in projects of older versions. */
export function upgradeModelTableStatement(schema: string): Statement {
  return render(sql`ALTER TABLE ${ident(schema, MODEL_TABLE)} ADD COLUMN IF NOT EXISTS ${ACCESS_DEFAULT_COLUMN}`);
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
 * Rows `name`: the tables of a schema. They are dropped in batches, because a server has too few locks for all at once.
 */
export function tablesStatement(schema: string): Statement {
  return render(sql`
    SELECT tablename AS name
    FROM pg_catalog.pg_tables
    WHERE schemaname = ${param(schema)}
    ORDER BY 1
  `);
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
