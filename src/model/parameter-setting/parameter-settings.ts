/**
 * The settings in the definition of a parameter, beside its id and its type, in the order of records. A new setting is a
 * file beside this one and an entry here; other code names a setting only for what it does.
 */
import type { Json } from '../../shared/json.js';
import { readAccess, writeAccess } from './access.setting.js';
import { defaultValue, type MadeDefault } from './default.setting.js';
import { accept, maxBytes, owned } from './file.setting.js';
import { hidden } from './hidden.setting.js';
import { indexed, unique } from './index.setting.js';
import { helperText, label } from './label.setting.js';
import { maxLength, minLength } from './length.setting.js';
import { multiple } from './multiple.setting.js';
import { own } from './own.setting.js';
import type { ParameterSetting } from './parameter-setting.js';
import { pattern } from './pattern.setting.js';
import { primary } from './primary.setting.js';
import { maxValue, minValue } from './range.setting.js';
import { onDelete, referenceKind } from './reference.setting.js';
import { nullable, required } from './required.setting.js';
import { onlyRunTime } from './run-time.setting.js';
import { scale } from './scale.setting.js';
import { search } from './search.setting.js';
import { sequence } from './sequence.setting.js';
import { strip } from './strip.setting.js';
import { transitions } from './transitions.setting.js';
import { values } from './values.setting.js';
import { writeOnce } from './write-once.setting.js';

/** By their names in records; the comments are shown to authors of functions (`kit/parameter.ts`). */
export const PARAMETER_SETTINGS = {
  /** A name for people. */
  label,
  /** A sentence for callers, shown in the API documentation. */
  helper_text: helperText,
  /** The value if the parameter is missing. */
  default: defaultValue,
  /** The shortest length, in code points; for `binary` in bytes. */
  min_length: minLength,
  /** The greatest length, in code points; for `binary` in bytes. */
  max_length: maxLength,
  /** The least value. */
  min_value: minValue,
  /** The greatest value. */
  max_value: maxValue,
  /** The number of decimals of a `decimal`. */
  scale,
  /** Whether white space at both ends is removed before validation. */
  strip,
  /** The allowed values. */
  values,
  transitions,
  /** A regular expression in RE2 syntax that the value has to match. */
  pattern,
  search,
  /** The kind that a `unit` has to be of. */
  reference_kind: referenceKind,
  on_delete: onDelete,
  accept,
  max_bytes: maxBytes,
  owned,
  /** Whether the value is a list. In a query string the parameter is repeated. */
  multiple,
  /** Whether null is allowed. If omitted, it is unless the parameter is required or has a default. */
  nullable,
  only_run_time: onlyRunTime,
  is_primary: primary,
  /** Whether the parameter has to be present, unless it has a default. */
  required,
  /** Whether the elements of a list have to be distinct. */
  unique,
  indexed,
  sequence,
  own,
  hidden,
  write_once: writeOnce,
  read_access: readAccess,
  write_access: writeAccess,
};

type Settings = typeof PARAMETER_SETTINGS;
export type SettingId = keyof Settings;
export type SettingValue<Id extends SettingId> = Settings[Id]['unset'];

/** Those that may be undefined may also be left out. */
type Optional<Id extends SettingId> = undefined extends SettingValue<Id> ? Id : never;
type Needed<Id extends SettingId> = undefined extends SettingValue<Id> ? never : Id;

export type ParameterSettings = {
  readonly [Id in SettingId as Settings[Needed<Id>]['key']]: SettingValue<Id>;
} & {
  readonly [Id in SettingId as Settings[Optional<Id>]['key']]?: SettingValue<Id>;
} & {
  /** Its name in kinds, link types and functions. */
  readonly id: string;
  /** The kind that it belongs to, where it is `own`. */
  readonly ownKind?: string | undefined;
  readonly metadata?: Json | undefined;
  /** A default that is made when a unit is created; `default` is null then. */
  readonly made?: MadeDefault | undefined;
  /** The kinds in whose bodies it was defined; undefined if it was created on its own. */
  readonly definedIn?: readonly string[] | undefined;
};

/** The limits of a value, each left out where unset. */
export type ValueRules = Partial<
  Pick<
    ParameterSettings,
    'minLength' | 'maxLength' | 'minValue' | 'maxValue' | 'scale' | 'values' | 'pattern' | 'strip'
  >
>;

export const SETTING_LIST = Object.entries(PARAMETER_SETTINGS) as readonly (readonly [SettingId, ParameterSetting])[];

/** The name of a setting in records and bodies: the default is called after the type. */
export function settingName(id: SettingId, type: string): string {
  return id === 'default' ? `default_${type}` : id;
}
