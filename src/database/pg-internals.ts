/**
 * The private members of `pg`, `pg-pool` and TypeORM's driver that the service uses. No other file uses one. The versions
 * in package.json are exact, and `test/integration/database/pg-internals.test.ts` fails with the name of a member that a
 * new version lacks.
 */
import type { Duplex } from 'node:stream';
import { Query, type Client, type ClientBase, type Pool } from 'pg';
import type { DataSource } from 'typeorm';

interface ClientInternals {
  readonly host: string;
  readonly port: number;
  /** From the server, or from a pooler, whose number is none of PostgreSQL. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: { readonly stream: Duplex };
}

/** Where a connection leads, and what a CancelRequest names. */
type ClientKey = Pick<ClientInternals, 'host' | 'port' | 'processID' | 'secretKey'>;

export function keyOfClient(client: ClientBase): ClientKey {
  return client as unknown as ClientInternals;
}

/** The socket, of which reading can be paused. */
export function streamOf(client: ClientBase | Client): Duplex {
  return (client as unknown as ClientInternals).connection.stream;
}

/** The idle connections of a pool, of which it takes the last one next; undefined if it has no such list. */
export function idleOf(pool: Pool): { readonly client: object }[] | undefined {
  return (pool as unknown as { readonly _idle?: { readonly client: object }[] })._idle;
}

/** The pool of TypeORM's driver for PostgreSQL. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { readonly master: Pool }).master;
}

/** A column of a result, as PostgreSQL describes it before the rows. */
export interface ColumnDescription {
  readonly name: string;
  readonly dataTypeID: number;
  readonly format: string;
}

/** What of a result depends on its columns only. */
export interface ResultColumns {
  fields: readonly ColumnDescription[];
  _parsers: readonly unknown[];
  _prebuiltEmptyResultObject: object | null;
}

/** A connection while a statement is sent. */
export interface BindingConnection {
  bind(options: { readonly values: readonly unknown[] }): void;
  _send(bytes: Buffer): unknown;
}

interface Rows {
  readonly rows: unknown[];
}

/** Called with the result or an error. */
export type QueryCallback = (error: Error | null | undefined, result: Rows | readonly Rows[] | undefined) => void;

interface QueryInternals {
  name?: string;
  queryMode?: 'extended';
  _result: ResultColumns;
  _accumulateRows: unknown;
  handleRowDescription(message: { readonly fields: readonly ColumnDescription[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  prepare(connection: BindingConnection): void;
}

/** The query of `pg` with the members that are overridden. */
export const InnerQuery = Query as unknown as new (
  text: string,
  values: readonly unknown[],
  settled: QueryCallback,
) => QueryInternals;

/** The query as `client.query` takes it. */
export function asQuery(query: QueryInternals): Query {
  return query as unknown as Query;
}
