/**
 * Builds a `Query` of `pg` directly. Passing a configuration object instead would copy it with its property
 * descriptors, which took 5 % of a small request.
 */
import { Query } from 'pg';
import { keepNewest } from '../../shared/bounded-map.js';
import { LongValue } from '../../shared/byte-pieces.js';
import type { Statement } from '../../sql/fragment.js';
import { sendingInPieces, type BindingConnection } from './long-values.js';

interface Rows {
  readonly rows: unknown[];
}

/** Called with the result or an error. */
export type QueryCallback = (error: Error | null | undefined, result: Rows | readonly Rows[] | undefined) => void;

/** The rows of a result; of a message with several statements those of all. */
export function rowsOf<Row>(result: Rows | readonly Rows[]): Row[] {
  return ('rows' in result ? result.rows : result.flatMap(({ rows }) => rows)) as Row[];
}

/** A column of a result, as PostgreSQL describes it before the rows. */
interface ColumnDescription {
  readonly name: string;
  readonly dataTypeID: number;
  readonly format: string;
}

/** The private fields of `pg`'s results that depend on the columns only. */
interface ResultColumns {
  fields: readonly ColumnDescription[];
  _parsers: readonly unknown[];
  _prebuiltEmptyResultObject: object | null;
}

interface RowDescription {
  readonly fields: readonly ColumnDescription[];
}

/** The parts of `pg`'s query that are overridden and used here. */
const PlainQuery = Query as unknown as new (
  text: string,
  values: readonly unknown[],
  settled: QueryCallback,
) => {
  name?: string;
  queryMode?: 'extended';
  _result: ResultColumns;
  _accumulateRows: unknown;
  handleRowDescription(message: RowDescription): void;
  prepare(connection: BindingConnection): void;
};

class SentQuery extends PlainQuery {
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

  override handleRowDescription(message: RowDescription): void {
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
  return query as unknown as Query;
}
