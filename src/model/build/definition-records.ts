/** Rows of a project's definition tables, as the loader reads them, and their conversion to definitions. */
import type { Json } from '../../shared/json.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import { fieldAccessOf } from '../parameter-type/field-access.js';
import type { AccessDefault, DeleteRule } from '../parameter-type/parameter-settings.js';
import type { ParameterTypeId } from '../parameter-type/parameter-types.js';
import type { SearchConfiguration } from '../parameter-type/text-search.js';

export interface KindRecord {
  readonly id: string;
  readonly label: string;
  readonly active: boolean;
  readonly remote: boolean;
  readonly public: boolean;
  readonly parameters: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  readonly access: Json;
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

/** A row of the table of parameters; fields that the type does not have are null. */
export interface ParameterRecord {
  readonly id: string;
  readonly kind_id: ParameterTypeId;
  readonly label: string;
  readonly persistence: 'kind_parameter' | 'run_time';
  readonly helper_text: string | null;
  readonly default_value: Json;
  readonly min_length: number | null;
  readonly max_length: number | null;
  readonly min_value: number | string | null;
  readonly max_value: number | string | null;
  readonly scale: number | null;
  readonly strip: boolean | null;
  readonly values: readonly (string | number)[] | null;
  readonly pattern: string | null;
  readonly search: SearchConfiguration | null;
  readonly reference_kind: string | null;
  readonly on_delete: DeleteRule | null;
  readonly multiple: boolean;
  readonly nullable: boolean;
  readonly only_run_time: boolean;
  readonly is_primary: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly hidden: boolean;
  readonly write_once: boolean;
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
}

/** A missing field counts as null: a row that is not written yet lacks the fields that its type does not have. */
export function definitionOf(record: Identified & Partial<ParameterRecord>): ParameterDef {
  return {
    id: record.id,
    type: record.kind_id,
    label: record.label,
    helperText: record.helper_text ?? null,
    minLength: record.min_length ?? undefined,
    maxLength: record.max_length ?? undefined,
    minValue: record.min_value ?? undefined,
    maxValue: record.max_value ?? undefined,
    scale: record.scale ?? undefined,
    values: record.values ?? undefined,
    pattern: record.pattern ?? undefined,
    search: record.search ?? undefined,
    strip: record.strip ?? false,
    multiple: record.multiple ?? false,
    nullable: (record.nullable ?? true) && !record.is_primary,
    required: (record.required ?? false) || record.is_primary === true,
    runTime: (record.only_run_time ?? false) || record.persistence === 'run_time',
    primary: record.is_primary ?? false,
    unique: record.unique ?? false,
    indexed: record.indexed ?? false,
    hidden: record.hidden ?? false,
    writeOnce: record.write_once ?? false,
    default: record.default_value ?? null,
    referenceKind: record.reference_kind ?? undefined,
    onDelete: record.on_delete ?? 'restrict',
    readAccess: fieldAccessOf(record.read_access),
    writeAccess: fieldAccessOf(record.write_access),
    metadata: record.metadata,
    definedIn: record.defined_in ?? undefined,
  };
}
