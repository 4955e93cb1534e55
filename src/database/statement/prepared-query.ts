/**
 * Builds a `Query` of `pg` directly. Passing a configuration object instead would copy it with its property
 * descriptors, which took 5 % of a small request.
 */
import type { Query } from 'pg';
import { keepNewest } from '../../shared/bounded-map.js';
import { LongValue } from '../../shared/byte-pieces.js';
import type { Statement } from '../../sql/fragment.js';
import {
  asQuery,
  InnerQuery,
  type BindingConnection,
  type ColumnDescription,
  type QueryCallback,
  type ResultColumns,
} from '../pg-internals.js';
import { sendingInPieces } from './long-values.js';

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
