/** The interface of a parameter type. Each type is one file in this folder; `parameter-types.ts` lists them. */
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import type { ErrorCode } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import type { Operator } from '../../filter/filter.ast.js';
import type { ParameterSettings, SettingId, ValueRules } from '../parameter-setting/parameter-settings.js';

/**
 * A PostgreSQL column type, under the name that PostgreSQL's `format_type` gives it (`time` and `timestamptz` are the
 * exceptions). `text` is always `COLLATE "C"`, so that order and comparison are by code point.
 */
export type ColumnType = string;

/**
 * How a column becomes JSON; `sql/columns.sql.ts` has the expression of each. `text_or_list`: a text that is JSON if it is
 * a list.
 */
export type JsonForm = 'native' | 'text' | 'decimal' | 'timestamp' | 'base64' | 'safe_integer' | 'text_or_list';

/** The TypeScript types of values; `Json` is that of the kit. */
type TypeScriptType = 'string' | 'number' | 'boolean' | 'Json';

/** Keywords of JSON Schema. */
export type JsonSchema = Readonly<Record<string, Json>>;

/** A value as it is bound to a statement: JSON that PostgreSQL casts to the column's type exactly. */
export type Stored = Exclude<Json, null>;

/** Reports a fault of a value. The text does not name the value; the caller adds its path. */
export type ReportValueFault = (code: ErrorCode, text: string) => void;

/** Reports a fault of a definition in one of its fields. */
export type ReportFieldFault = (field: string, text: string, code?: ErrorCode) => void;

/** A condition on one value. Stored values are checked against it when a definition becomes stricter. */
export type Constraint =
  | { readonly type: 'min_length' | 'max_length' | 'max_bytes' | 'scale'; readonly limit: number }
  | { readonly type: 'min_value' | 'max_value'; readonly limit: number | string }
  | { readonly type: 'values'; readonly values: readonly (string | number)[] }
  | { readonly type: 'pattern'; readonly pattern: string };

export interface ParameterType<Id extends string = string, Value extends TypeScriptType = TypeScriptType> {
  readonly id: Id;
  readonly label: string;
  /** For a message: what a value has to be, such as `a whole number`. */
  readonly expects: string;
  /** The same of a value in a filter, where that differs. */
  readonly expectsInFilter?: string;

  // Storage
  readonly column: ColumnType;
  readonly json: JsonForm;
  /** The settings that its parameters have beside those of all types. A type with `reference_kind` is a reference type. */
  readonly fields: readonly SettingId[];
  /** Whether a unit's id can be of this type (`is_primary`). */
  readonly keyable: boolean;
  /** Whether lists can be ordered by values, and a B-tree index can hold them (`unique`, `indexed`). */
  readonly sortable: boolean;
  /** Values are numbers. */
  readonly numeric?: true;
  /** A stored value as PostgreSQL quotes it in error details; left out if it is the text of the canonical value. */
  quoted?(value: Stored): string;

  // Values of bodies
  /** Validates one element of a body except for its pattern; undefined after a fault was reported. */
  accept(value: unknown, rules: ValueRules, report: ReportValueFault): Stored | undefined;
  /** The same in pieces, for a type whose values may be large. */
  acceptInPieces?(value: unknown, rules: ValueRules, report: ReportValueFault): WorkInPieces<Stored | undefined>;
  /** A valid value, as sent or as stored, in the form in which records show it; left out if all forms are the same. */
  canonical?(value: Stored): Json;
  /** A record that is sent back to the service may have the value in another form than the canonical one. */
  readonly anySpelling?: true;

  // Definitions
  /** What stored values must satisfy for a definition. */
  constraints?(rules: ValueRules): readonly Constraint[];
  /** Reports contradictions in a definition that only parameters of this type can have. */
  check?(settings: ParameterSettings, report: ReportFieldFault): void;
  /** Orders two limits: negative, zero or positive; left out if `<` of JavaScript does. */
  compare?(a: Stored, b: Stored): number;

  // Texts: filters, paths and query strings
  readonly operators: ReadonlySet<Operator>;
  /** Parses a value of a filter, or an id of a path; undefined if the text is not a value of this type. */
  read(text: string): Stored | undefined;
  /** A value of a filter can be relative to the present: `@now-7d`. */
  readonly moments?: true;
  /** What a default that is made can be: the time, the caller itself (it has no other default), or a text of the caller. */
  readonly makes?: 'now' | 'caller' | 'member' | undefined;
  /** Ids that differ only in case are the same. */
  readonly anyCase?: true;
  /** Values have keys, which filters, orders and `include` can name after a dot. */
  readonly hasKeys?: true;
  /** The array or object that a value of a filter is the JSON of; undefined for any other text. */
  readStructure?(text: string): Json | undefined;
  /** How a value is written in the query string of a function call; left out if it is its text. */
  readonly inQuery?: 'number' | 'boolean' | 'json';

  // Descriptions: API document and generated types
  readonly typescript: Value;
  /** The schema of a value in an answer, without the rules of a definition. Null is not part of it. */
  readonly schema: JsonSchema;
  /** The same in a body, where that differs. */
  readonly bodySchema?: JsonSchema;
  /** Adds the rules of a definition that hold in answers and bodies. */
  ruleSchema?(rules: ValueRules): JsonSchema;
  /** Adds what holds in bodies only. */
  bodyRuleSchema?(settings: ParameterSettings): JsonSchema;
  /** The `format` of the ids of units with this type of key. */
  readonly idFormat?: string;
  /** A sentence that explains the schema. */
  readonly note?: string;
  /** Sentences about rules that the schema does not express. */
  ruleNotes?(rules: ValueRules): readonly string[];
  /**
   * A valid value to begin with. Left out if the definition does not determine one. Allowed values and patterns are
   * handled by the caller.
   */
  example?(settings: ParameterSettings): Json | undefined;
  /** Examples of bodies contain a value only if it is required. */
  readonly omittedFromExamples?: true;
}

/** Whether values are ids of units of another kind. */
export function isReference({ fields }: Pick<ParameterType, 'fields'>): boolean {
  return fields.includes('reference_kind');
}

const COMPARISON = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'isnull'] as const;
const TEXT_SEARCH = ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'] as const;

/** Sets of operators that types share. */
export const OPERATORS = {
  equality: new Set<Operator>(['eq', 'ne', 'in', 'isnull']),
  ordered: new Set<Operator>(COMPARISON),
  text: new Set<Operator>([...COMPARISON, ...TEXT_SEARCH]),
  /** For lists: `eq` and `ne` compare the whole list, `contains` and `in` its elements. */
  multiple: new Set<Operator>(['eq', 'ne', 'contains', 'in', 'isnull']),
} as const;
