/** The shape of a table as a value, both of tables that a model needs and of those that exist in PostgreSQL. */
import type { ResolvedCheck } from '../check/kind-checks.js';
import type { DeleteRule } from '../parameter-setting/reference.setting.js';
import type { ColumnType } from '../parameter-type/parameter-type.js';
import type { SearchConfiguration } from '../parameter-setting/search.setting.js';

export interface ColumnShape {
  readonly name: string;
  readonly type: ColumnType;
  readonly array: boolean;
  readonly notNull: boolean;
  /** The sequence that has the numbers of new rows. It is no default of the column: who inserts asks for them. */
  readonly sequence?: string;
  /** PostgreSQL numbers new rows. On Citus, numbers of different servers are in no order. */
  readonly identity?: true;
}

/** The type as SQL names it. */
export function columnTypeText({ type, array }: Pick<ColumnShape, 'type' | 'array'>): string {
  return array ? `${type}[]` : type;
}

export interface IndexShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /**
   * `trigram`: of the lower-case text of one column, for `contains` and its like. `search`: of the words in all of its
   * columns, for `search`.
   */
  readonly method: 'btree' | 'gin' | 'trigram' | 'search';
  /** How an index with the method `search` takes texts apart. */
  readonly configuration?: SearchConfiguration;
}

export interface ForeignKeyShape {
  readonly name: string;
  readonly column: string;
  readonly target: string;
  readonly onDelete: DeleteRule;
}

export interface CheckShape {
  /** It has a hash of the filter: two checks of the same name are the same. */
  readonly name: string;
  /** Undefined for one that exists in PostgreSQL, of which only the name is known. */
  readonly check?: ResolvedCheck;
}

export interface TableShape {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  readonly columns: ReadonlyMap<string, ColumnShape>;
  readonly indexes: ReadonlyMap<string, IndexShape>;
  readonly foreignKeys: ReadonlyMap<string, ForeignKeyShape>;
  readonly checks: ReadonlyMap<string, CheckShape>;
}
