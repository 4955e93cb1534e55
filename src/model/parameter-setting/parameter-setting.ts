/**
 * The interface of a setting in the definitions of parameters. A setting is one file in this folder and an entry in
 * `parameter-settings.ts`; records, structs, declarations of functions, the API document and the console follow from it.
 */
import type { ErrorCode } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';

/** @param Key its property of a definition (`ParameterDef`); in records and bodies it has its id in the list */
export interface ParameterSetting<Key extends string = string, Value = unknown> {
  readonly key: Key;
  /** The value where nothing is given. */
  readonly unset: Value;
  /** Only parameters of types that name it in their `fields` have it; left out: all. */
  readonly isOwn?: true;
  /** Records of the other types show it nevertheless, unset. */
  readonly isShownByAll?: true;
  /** It limits values, and so the default. */
  readonly isLimit?: true;
  /** The field of records, from which the column, the checks of bodies and the JSON schema follow. */
  readonly field: SettingField;
  readonly stored?: SettingColumn;
  /** The value in a record; left out: that of the field. Fields of other types are missing, or null. */
  readonly read?: (record: Readonly<Record<string, Json | undefined>>) => Value;
  /** The value in a valid body; left out: what is given, and null unsets. */
  readonly parse?: (given: Json) => Value;
  /** Reports what contradicts other settings. Faults of the type alone are those of the field. */
  readonly check?: (def: never, context: CheckContext) => void;
  /** Structs show it, as a field of this type. */
  readonly struct?: { readonly type: 'string' | 'text' | 'boolean' | 'integer' | 'json'; readonly schema: JsonSchema };
  /** In the declarations of functions, the type of the value; left out: it has no meaning there. */
  readonly declared?: Declared;
  /** How the console edits it; left out: elsewhere. */
  readonly form?: SettingForm;
}

type Declared = 'boolean' | 'string' | 'number' | 'any';

/** A setting that parameters of functions have too. */
export interface DeclaredSetting<Key extends string, Value> extends ParameterSetting<Key, Value> {
  readonly declared: Declared;
}

type JsonSchema = Readonly<Record<string, Json>>;

/** The definition of the field; `own` is the type of the parameter itself, `access` a level or rules. */
interface SettingField {
  readonly type: 'boolean' | 'string' | 'text' | 'integer' | 'json' | 'own' | 'access';
  readonly label: string;
  readonly helperText?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly maxLength?: number;
  readonly values?: readonly string[];
}

interface SettingColumn {
  /** The name of the column, if it is not the id. */
  readonly column?: string;
  /** The column holds values of several types. */
  readonly storedAs?: 'json';
  /** What it tells of units to callers who may read definitions. */
  readonly revealing?: 'values' | 'rights';
}

/** What settings ask of a parameter type. */
interface TypeOfParameter {
  readonly id: string;
  readonly keyable: boolean;
  readonly sortable: boolean;
  accept(value: unknown, rules: object, report: (code: ErrorCode, text: string) => void): unknown;
  compare?(a: Json, b: Json): number;
}

type Report = (setting: string, text: string, code?: ErrorCode) => void;

export interface CheckContext {
  readonly type: TypeOfParameter;
  readonly report: Report;
  /** Has a pattern checked, which may take long. */
  readonly checkPattern: (pattern: string, report: (code: ErrorCode, text: string) => void) => void;
}

interface SettingForm {
  readonly control: 'text' | 'long_text' | 'number' | 'flag' | 'list' | 'kind' | 'choice' | 'default' | 'transitions';
  readonly label: string;
  readonly help: string;
  /** The place among those that are shown at first; the others are behind a button. */
  readonly place?: number;
  /** What it is called in a list of parameters that have it. */
  readonly word?: string;
  readonly choices?: readonly string[];
  /** Types where it makes sense; left out: all that have it. */
  readonly isFor?: (type: TypeOfParameter) => boolean;
  /** Units keep it from being changed (docs/model.md, rejected changes). */
  readonly isLockedByUnits?: true;
  readonly isNotForLinks?: true;
}
