/**
 * Drops the schema of a project in steps, each a transaction of its own: a server has too few locks for all tables of a
 * large project at once. Nothing is remembered between the steps, so that another process can go on after any of them.
 */
import type { Database, Transaction } from '../../database/database.js';
import { lockProjectStatement } from '../../sql/definition/model.sql.js';
import {
  dropForeignKeysStatement,
  dropSchemaStatement,
  dropTablesStatement,
  foreignKeysStatement,
  tablesStatement,
  type ForeignKeyRow,
  type TableSizeRow,
} from '../../sql/definition/schema.sql.js';
import { lockTimeoutStatement } from '../../sql/server/transaction.sql.js';
import { PROJECT_LOCK_TIMEOUT, TABLE_LOCK_TIMEOUT } from '../model/raise-version.js';

/** Foreign keys of one step. Each takes locks on two tables. */
const KEYS_PER_STEP = 100;
/** Tables of one step. */
const TABLES_PER_STEP = 50;
/** Tables and indexes of one step, each of which takes a lock; a table with more has a step of its own. */
const RELATIONS_PER_STEP = 400;

type Step = (tx: Transaction, schema: string) => Promise<boolean>;

/** @param signal ends it between two steps. @throws KindError 503 if a table stays locked, or the reason of the signal */
export async function dropProjectSchema(database: Database, schema: string, signal?: AbortSignal): Promise<void> {
  // Without foreign keys, a table is dropped without locks on those that refer to it.
  for (const step of [dropKeys, dropTables]) {
    while (await runStep(database, schema, step)) signal?.throwIfAborted();
  }
  await runStep(database, schema, async (tx) => {
    await tx.run(dropSchemaStatement(schema));
    return false;
  });
}

/** Two processes that delete the same project take turns. */
function runStep(database: Database, schema: string, step: Step): Promise<boolean> {
  return database.transaction(
    async (tx) => {
      await tx.run(lockProjectStatement(schema));
      await tx.run(lockTimeoutStatement(TABLE_LOCK_TIMEOUT));
      return step(tx, schema);
    },
    { isolation: 'read committed', lockTimeout: PROJECT_LOCK_TIMEOUT, statementTimeout: 0 },
  );
}

const dropKeys: Step = async (tx, schema) => {
  const keys = await tx.run<ForeignKeyRow>(foreignKeysStatement(schema, KEYS_PER_STEP));
  if (keys.length === 0) return false;
  await tx.run(dropForeignKeysStatement(schema, keys));
  return true;
};

const dropTables: Step = async (tx, schema) => {
  const tables = await tx.run<TableSizeRow>(tablesStatement(schema, TABLES_PER_STEP));
  const names = firstTables(tables);
  if (names.length === 0) return false;
  await tx.run(dropTablesStatement(schema, names));
  return true;
};

/** As many tables as one step takes; one at least, if there is one. */
function firstTables(tables: readonly TableSizeRow[]): string[] {
  let relations = 0;
  const names: string[] = [];
  for (const table of tables) {
    relations += table.relations;
    if (names.length > 0 && relations > RELATIONS_PER_STEP) break;
    names.push(table.name);
  }
  return names;
}
