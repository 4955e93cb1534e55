/**
 * What a parameter type has to say: a small required interface, a few optional abilities.
 * One file per type in this folder, one line in `registry.ts`; nothing else knows the types by name.
 */
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import type { ErrorCode } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import type { Operator } from '../../filter/filter.ast.js';
import type { ParameterDef, ParameterTypeId, ValueRules } from './parameter-def.js';

/** PostgreSQL column types; text is always `COLLATE "C"`, so that order and comparison are by code point. */
export type ColumnType =
  | 'text'
  | 'bigint'
  | 'double precision'
  | 'numeric'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timestamptz'
  | 'bytea'
  | 'jsonb'
  | 'uuid';

/** How a column becomes JSON; `sql/present` has the expression of each. */
export type JsonForm = 'native' | 'text' | 'decimal' | 'timestamp' | 'base64';

/** A value as it is bound: JSON that PostgreSQL casts to the column's type exactly. */
export type Stored = Exclude<Json, null>;

/** Reports one fault of a value; the place is known to the caller. */
export type Report = (code: ErrorCode, text: string) => void;

/** Reports one fault of a definition at the field to blame. */
export type FieldReport = (field: string, text: string, code?: ErrorCode) => void;

/** A condition on one value that stored values are checked against when a definition gets stricter. */
export type Constraint =
  | { readonly type: 'min_length' | 'max_length' | 'max_bytes' | 'scale'; readonly limit: number }
  | { readonly type: 'min_value' | 'max_value'; readonly limit: number | string }
  | { readonly type: 'values'; readonly values: readonly (string | number)[] }
  | { readonly type: 'pattern'; readonly pattern: string };

/** A field of a parameter record that only some types have; all are columns of the one table of parameters. */
export type OwnField =
  | 'default'
  | 'min_length'
  | 'max_length'
  | 'min_value'
  | 'max_value'
  | 'scale'
  | 'strip'
  | 'values'
  | 'pattern'
  | 'reference_kind'
  | 'on_delete';

export interface ParameterType {
  readonly id: ParameterTypeId | 'uuid';
  readonly label: string;
  /** For a message: what a value has to be, such as `a whole number`. */
  readonly wants: string;
  /** The same of the text of a filter, which may say more. */
  readonly reads?: string;
  readonly column: ColumnType;
  readonly json: JsonForm;
  /** Own fields in the order of the record. */
  readonly fields: readonly OwnField[];
  readonly operators: ReadonlySet<Operator>;
  /** Whether a unit's id can be of this type (`is_primary`). */
  readonly keyable: boolean;
  /** Whether a B-tree index makes sense (`unique`, `indexed`). */
  readonly indexable: boolean;
  /** Validates one element of a body, but for its pattern; undefined after a fault was reported. */
  accept(value: unknown, rules: ValueRules, report: Report): Stored | undefined;
  /** The same in pieces, of a type whose values may be large. */
  acceptInPieces?(value: unknown, rules: ValueRules, report: Report): WorkInPieces<Stored | undefined>;
  /** Reads a value of a filter or a path; undefined where the text is none. */
  read(text: string): Stored | undefined;
  /** A valid value, as it was sent or as it is bound, as records show it; where there is none they are the same. */
  canonical?(value: Stored): Json;
  /** What stored values must satisfy for a definition. */
  constraints?(rules: ValueRules): readonly Constraint[];
  /** Contradictions inside a definition, such as `min_length` above `max_length`. */
  check?(def: ParameterDef, report: FieldReport): void;
}

const COMPARISON = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'isnull'] as const;
const TEXT_SEARCH = ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'] as const;

/** Sets of operators that types share. */
export const OPERATORS = {
  equality: new Set<Operator>(['eq', 'ne', 'in', 'isnull']),
  ordered: new Set<Operator>(COMPARISON),
  text: new Set<Operator>([...COMPARISON, ...TEXT_SEARCH]),
  /** On a list: the whole of it with `eq`, an element with `contains` and `in`. */
  multiple: new Set<Operator>(['eq', 'ne', 'contains', 'in', 'isnull']),
} as const;
