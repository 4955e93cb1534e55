/** What the registry knows of the store with the contents of files. */
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { ident, render, sql, type Statement } from '../fragment.js';

const STORE_TABLE = ident(REGISTRY_SCHEMA, 'file_store');

export interface StoreRow {
  /** The id of this database, which the mark of its store has. */
  readonly database: string;
  /** Whether something was stored there. */
  readonly marked: boolean;
}

/** One `StoreRow`. */
export const READ_STORE: Statement = render(sql`SELECT "database", "marked" FROM ${STORE_TABLE}`);

/** The same, locked until the transaction ends. */
export const LOCK_STORE: Statement = render(sql`SELECT "database", "marked" FROM ${STORE_TABLE} FOR UPDATE`);

export const NOTE_MARKED: Statement = render(sql`UPDATE ${STORE_TABLE} SET "marked" = true`);
