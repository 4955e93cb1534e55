/** The settings in the definition of a parameter, beside its type. */
import type { Json } from '../../shared/json.js';
import type { SearchConfiguration } from './text-search.js';

/** Who may do something, from everybody to nobody. */
export const LEVELS = ['anyone', 'member', 'admin', 'nobody'] as const;
export type Level = (typeof LEVELS)[number];

/** Who may read or write a parameter: a level, or rules over the unit of which one has to match. */
export type FieldAccess = Level | readonly string[];

/**
 * Who may do what a kind's `access` does not name: `open` lets every member, and everybody where the kind is public;
 * `closed` only administrators (docs/access.md).
 */
export const ACCESS_DEFAULTS = ['open', 'closed'] as const;
export type AccessDefault = (typeof ACCESS_DEFAULTS)[number];

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

export interface ParameterSettings extends ValueRules {
  readonly id: string;
  readonly label: string;
  readonly helperText: string | null;
  readonly multiple: boolean;
  readonly nullable: boolean;
  readonly required: boolean;
  /** Validated and passed to functions and hooks, but not stored. */
  readonly runTime: boolean;
  readonly primary: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly hidden: boolean;
  /** A value that is there stays as it is. */
  readonly writeOnce: boolean;
  /** How its texts are taken apart into words for `search`; undefined if they are not searched. */
  readonly search?: SearchConfiguration | undefined;
  /** The default value as JSON; null if there is none. */
  readonly default: Json;
  readonly referenceKind?: string | undefined;
  readonly onDelete: DeleteRule;
  readonly readAccess?: FieldAccess | undefined;
  readonly writeAccess?: FieldAccess | undefined;
  readonly metadata?: Json | undefined;
  /** The kinds in whose bodies it was defined; undefined if it was created on its own. */
  readonly definedIn?: readonly string[] | undefined;
}
