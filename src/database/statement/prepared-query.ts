/**
 * The queries that `pg` is given: a `Query` is built directly. Passing a configuration object instead would copy it with its property
 * descriptors, which took 5 % of a small request.
 */
import type { Query, PoolClient } from 'pg';
import { keepNewest } from '../../shared/maps.js';
import { LongValue } from '../../shared/byte-pieces.js';
import type { Statement } from '../../sql/fragment.js';
import {
  asQuery,
  InnerQuery,
  type BindingConnection,
  type ColumnDescription,
  type QueryCallback,
  type ResultColumns,
  streamOf,
} from '../pg-internals.js';

/** The rows of a result; of a message with several statements those of all. */
export function rowsOf<Row>(result: NonNullable<Parameters<QueryCallback>[1]>): Row[] {
  return ('rows' in result ? result.rows : result.flatMap(({ rows }) => rows)) as Row[];
}

class SentQuery extends InnerQuery {
  readonly #isLong: boolean;

  constructor(text: string, values: readonly unknown[], settled: QueryCallback) {
    super(text, values, settled);
    this.#isLong = values.some((value) => value instanceof LongValue);
  }

  override prepare(connection: BindingConnection): void {
    super.prepare(this.#isLong ? sendingInPieces(connection) : connection);
  }
}

/** The columns of prepared statements, by name. */
const columnsByName = new Map<string, ResultColumns>();
/** As many as `PreparedStatements` knows. */
const MAX_NAMES = 5000;

/** A query that is run under a name. `pg` would look up the parser of each column again for every run. */
class NamedQuery extends SentQuery {
  override name: string;

  constructor(name: string, text: string, values: readonly unknown[], settled: QueryCallback) {
    super(text, values, settled);
    this.name = name;
  }

  override handleRowDescription(message: { readonly fields: readonly ColumnDescription[] }): void {
    const known = columnsByName.get(this.name);
    if (!known || !isSame(known.fields, message.fields)) {
      super.handleRowDescription(message);
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
      keepNewest(columnsByName, this.name, { fields, _parsers, _prebuiltEmptyResultObject }, MAX_NAMES);
      return;
    }
    this._result.fields = known.fields;
    this._result._parsers = known._parsers;
    this._result._prebuiltEmptyResultObject = known._prebuiltEmptyResultObject;
    this._accumulateRows = true;
  }
}

/** The types of a statement's columns can differ between connections, or after a change of its tables. */
function isSame(known: readonly ColumnDescription[], fields: readonly ColumnDescription[]): boolean {
  if (known.length !== fields.length) return false;
  for (let at = 0; at < fields.length; at++) {
    const a = known[at];
    const b = fields[at];
    if (a?.name !== b?.name || a?.dataTypeID !== b?.dataTypeID || a?.format !== b?.format) return false;
  }
  return true;
}

/** @param name the name of the prepared statement; undefined for an unprepared one */
export function preparedQuery(
  { text, values, prepare }: Statement,
  name: string | undefined,
  settled: QueryCallback,
): Query {
  const query = name === undefined ? new SentQuery(text, values, settled) : new NamedQuery(name, text, values, settled);
  // Without values `pg` would use the simple protocol, in which one text can contain several statements.
  if (prepare) query.queryMode = 'extended';
  return asQuery(query);
}

const NOTHING = Buffer.alloc(0);

/**
 * The connection, for a statement that has long values. `pg` would copy them into its message at once; here their pieces
 * are written to the connection as they are.
 */
function sendingInPieces<C extends BindingConnection>(connection: C): C {
  const bind = (options: Parameters<BindingConnection['bind']>[0]): void => {
    const { values } = options;
    const send = (message: Buffer): void => {
      for (const piece of filled(message, values)) connection._send(piece);
    };
    const given = values.map((value) => (value instanceof LongValue ? NOTHING : value));
    connection.bind.call({ _send: send } as C, { ...options, values: given });
  };
  return Object.create(connection, { bind: { value: bind } }) as C;
}

/** The message with the long values in their places, which are empty in it. */
function filled(message: Buffer, values: readonly unknown[]): Buffer[] {
  const parts: Buffer[] = [];
  // After its type and length, the names of the portal and of the statement, and the formats of the values.
  let at = message.indexOf(0, message.indexOf(0, 5) + 1) + 1 + 2 + 2 * values.length + 2;
  let [from, added] = [0, 0];
  for (const value of values) {
    const length = message.readInt32BE(at);
    at += 4;
    if (value instanceof LongValue) {
      message.writeInt32BE(value.length, at - 4);
      parts.push(message.subarray(from, at), ...value.pieces);
      from = at;
      added += value.length;
    } else at += Math.max(length, 0);
  }
  message.writeInt32BE(message.readInt32BE(1) + added, 1);
  return [...parts, message.subarray(from)];
}

/** Receives the rows of a query one by one. */
export interface TextSink {
  /** Takes the text of a row. No more rows are read until the returned promise resolves; it must never reject. */
  add(text: string): Promise<void> | undefined;
}

/**
 * Its rows are passed on as they arrive, so that the memory it takes does not depend on their number. While the receiver
 * is full, nothing is read from the connection, and PostgreSQL waits.
 */
class RowQuery extends InnerQuery {
  constructor(
    { text, values }: Statement,
    private readonly take: (text: string) => void,
    settled: QueryCallback,
  ) {
    super(text, values, settled);
  }

  override handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.take(fields[0] ?? '');
  }
}

/** Returns the number of rows. @param statement of one text column */
export function streamRows(client: PoolClient, statement: Statement, sink: TextSink): Promise<number> {
  const stream = streamOf(client);
  return new Promise((resolve, reject) => {
    let rows = 0;
    let waiting = false;
    const take = (text: string): void => {
      rows += 1;
      const full = sink.add(text);
      if (!full || waiting) return;
      waiting = true;
      stream.pause();
      void full.then(() => {
        waiting = false;
        stream.resume();
      });
    };
    const settled: QueryCallback = (error) => {
      if (error) reject(error);
      else resolve(rows);
    };
    client.query(asQuery(new RowQuery(statement, take, settled)));
  });
}
