/** The definition of a parameter, as a value: what its record says, whatever kinds use it. */
import type { Json } from '../../shared/json.js';

export type ParameterTypeId =
  | 'string'
  | 'text'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'binary'
  | 'json'
  | 'unit';

/** Who may do something, from the widest to none. */
export const LEVELS = ['anyone', 'member', 'admin', 'nobody'] as const;
export type Level = (typeof LEVELS)[number];

export const DELETE_RULES = ['restrict', 'set_null', 'cascade'] as const;
export type DeleteRule = (typeof DELETE_RULES)[number];

/** Limits of a value, each undefined where unset. Lengths count code points (bytes for `binary`). */
export interface ValueRules {
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minValue?: number | string | undefined;
  readonly maxValue?: number | string | undefined;
  /** Decimals of a `decimal`. */
  readonly scale?: number | undefined;
  readonly values?: readonly (string | number)[] | undefined;
  /** A regular expression of the RE2 dialect that a value must contain a match of. */
  readonly pattern?: string | undefined;
  readonly strip?: boolean | undefined;
}

export interface ParameterDef extends ValueRules {
  readonly id: string;
  readonly type: ParameterTypeId;
  readonly label: string;
  readonly helperText: string | null;
  readonly multiple: boolean;
  readonly nullable: boolean;
  readonly required: boolean;
  /** Validated and handed to functions and hooks, stored nowhere. */
  readonly runTime: boolean;
  readonly primary: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly hidden: boolean;
  /** The default value as JSON; null is none. */
  readonly default: Json;
  readonly referenceKind?: string | undefined;
  readonly onDelete: DeleteRule;
  readonly readAccess?: Level | undefined;
  readonly writeAccess?: Level | undefined;
  readonly metadata?: Json | undefined;
  /** The kinds in whose bodies it was defined; undefined where it was made on its own. */
  readonly definedIn?: readonly string[] | undefined;
}

const PLAIN = {
  helperText: null,
  multiple: false,
  nullable: true,
  required: false,
  runTime: false,
  primary: false,
  unique: false,
  indexed: false,
  hidden: false,
  default: null,
  onDelete: 'restrict',
} as const satisfies Omit<ParameterDef, 'id' | 'type' | 'label'>;

/** A definition with the defaults for whatever is not given. */
export function parameterDef(given: Pick<ParameterDef, 'id' | 'type'> & Partial<ParameterDef>): ParameterDef {
  return { ...PLAIN, label: given.id, ...given };
}
