/** Rows of a project's definition tables, as the loader reads them, and their conversion to definitions. */
import type { Json } from '../../shared/json.js';
import type { AccessDefault } from '../access-levels.js';
import type { Originals } from '../model.js';
import type { Changes } from '../changes.js';
import type { AcceptedAccess, KindCheck } from '../model.js';
import { withMadeDefault } from '../made-default.js';
import { namedByRecord } from '../../shared/identifiers.js';
import {
  SETTING_LIST,
  type ParameterSettings,
  type SettingId,
  type SettingValue,
} from '../parameter-setting/parameter-settings.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import type { ParameterTypeId } from '../parameter-type/parameter-types.js';

export interface KindRecord {
  readonly id: string;
  readonly label: string;
  readonly active: boolean;
  readonly remote: boolean;
  readonly public: boolean;
  readonly parameters: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  /** Null is none. */
  readonly checks: readonly KindCheck[] | null;
  /** Null is none. */
  readonly accepted: AcceptedAccess | null;
  readonly access: Json;
  /** Left out for `none`. */
  readonly changes?: Changes;
  /** Days of history; null or left out for ever. */
  readonly history_keep?: number | null;
}

export interface GroupRecord {
  readonly id: string;
  readonly label: string;
  readonly kind_list: readonly string[];
}

export interface LinkTypeRecord {
  readonly id: string;
  readonly parameters: readonly string[];
  readonly access?: Json;
}

type StoredSettings = {
  readonly [Id in Exclude<SettingId, 'label' | 'default' | 'read_access' | 'write_access'>]: Exclude<
    SettingValue<Id>,
    undefined
  > | null;
};

/** A row of the table of parameters; fields that the type does not have are null. */
export interface ParameterRecord extends StoredSettings {
  readonly id: string;
  readonly kind_id: ParameterTypeId;
  readonly label: string;
  readonly persistence: 'kind_parameter' | 'run_time';
  readonly default_value: Json;
  /** A level, a rule, or a JSON list of rules. */
  readonly read_access: string | null;
  readonly write_access: string | null;
  readonly metadata?: Json;
  /** Not part of records in responses. */
  readonly defined_in?: readonly string[] | null;
}

type Identified = Pick<ParameterRecord, 'id' | 'kind_id' | 'label'>;

export interface ModelRecords {
  readonly version: number;
  readonly kinds: readonly KindRecord[];
  readonly parameters: readonly ParameterRecord[];
  readonly groups: readonly GroupRecord[];
  readonly links: readonly LinkTypeRecord[];
  /** `open` if it is left out. */
  readonly accessDefault?: AccessDefault;
  /** `all` if it is left out. */
  readonly originals?: Originals | undefined;
  readonly trigrams?: string | undefined;
}

/** A missing field counts as null: a row that is not written yet lacks the fields that its type does not have. */
export function definitionOf(record: Identified & Partial<ParameterRecord>): ParameterDef {
  const values = record as Readonly<Record<string, Json | undefined>>;
  // One property after the other: objects that are made from entries, and copies of them, are slow to make and to read.
  const def: Record<string, unknown> = {};
  for (const [id, { key, unset, read }] of SETTING_LIST) def[key] = read ? read(values) : (values[id] ?? unset);
  return withMadeDefault(
    Object.assign(def as ParameterSettings, namedByRecord(record.id), {
      type: record.kind_id,
      metadata: record.metadata,
      definedIn: record.defined_in ?? undefined,
    }),
  );
}
