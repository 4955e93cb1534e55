/**
 * Creates the fields of kinds from definitions, and those that every unit has beside the parameters of its kind.
 * `model/build/build-model.ts` puts the latter in order, `sql/write/insert.sql.ts` and `sql/columns.sql.ts` write their values,
 * `sql/definition/model.sql.ts` those of built-in rows; a new one needs a new `BUILT_IN_VERSION`.
 */
import { scalarText, type Json } from '../shared/json.js';
import { getOrInsert } from '../shared/maps.js';
import type { Field, KindDef, KeySource } from './model.js';
import { columnName } from './names.js';
import { parameterDef, type ParameterDef } from './parameter-type/parameter-def.js';
import type { ParameterType } from './parameter-type/parameter-type.js';
import { parameterType } from './parameter-type/type-by-id.js';
import { uuidType } from './parameter-type/unit.type.js';

type FieldSettings = Pick<ParameterDef, 'id' | 'type'> & Partial<ParameterDef>;
type Extras = Partial<Omit<Field, 'id' | 'def'>> & { storedAs?: 'json' };

/** A field of a built-in kind. `storedAs: 'json'` is for a column that holds values of several types. */
export function builtInField(given: FieldSettings, { storedAs, ...extras }: Extras = {}): Field {
  const def = parameterDef(given);
  const type = parameterType(storedAs ?? def.type);
  return {
    id: def.id,
    def,
    type,
    column: columnName(def.id),
    columnType: type.column,
    json: type.json,
    system: false,
    ...(storedAs && { describedAs: def.type }),
    ...extras,
  };
}

/** The type of the values of a field, for a message: `a list of string`. Not every caller may know whose units a reference is to. */
export function typeInWords({ def, type, reference, describedAs }: Field): string {
  if (reference) return def.multiple ? 'a list of references' : 'a reference';
  return `${def.multiple ? 'a list of ' : ''}${describedAs ?? type.id}`;
}

/** Whether a body must set the value. */
export function isRequired({ def, supplied }: Field): boolean {
  return def.default === null && !def.made && !supplied && (def.required || !def.nullable);
}

/** A field that has no column because its value is the same in every unit. */
export function constantField(id: string, constant: Json): Field {
  return builtInField({ id, type: 'string' }, { column: undefined, constant, system: true, recordOnly: true });
}

/** A user's parameter as a kind stores it. @param key the key type of the referenced kind, if it is a reference */
export function parameterField(def: ParameterDef, key: ParameterType | undefined): Field {
  const type = parameterType(def.type);
  const reference = def.referenceKind && key ? { kind: def.referenceKind, key } : undefined;
  return {
    id: def.id,
    def,
    type,
    column: def.runTime ? undefined : def.primary ? 'id' : columnName(def.id),
    columnType: reference?.key.column ?? type.column,
    json: type.json,
    system: false,
    ...(def.sequence && { supplied: true }),
    ...(reference && { reference }),
  };
}

/** The default of a field in the form in which it is bound to a statement; null if there is none. */
export function storedDefault({ def, type }: Field): Json {
  const store = (value: Json): Json => type.accept(value, {}, () => undefined) ?? null;
  return def.multiple && Array.isArray(def.default)
    ? def.default.map(store)
    : def.default === null
      ? null
      : store(def.default);
}

/** A valid value in the form in which records show it, and in which clients may send it back. */
export function shownValue({ def, type, reference }: Field, value: Json): Json {
  // A copy, because functions and hooks may change what they receive.
  if (parameterType(def.type).hasKeys) return JSON.parse(JSON.stringify(value)) as Json;
  // An id is a string in JSON, whatever the type of the key.
  const shown = (each: Exclude<Json, null>): Json => (reference ? scalarText(each) : (type.canonical?.(each) ?? each));
  const one = (each: Json): Json => (each === null ? null : shown(each));
  return def.multiple && Array.isArray(value) ? value.map(one) : one(value);
}

const numbered = new WeakMap<KindDef, readonly Field[]>();

/** The fields of a kind that have a sequence. */
export function numberedFields(kind: KindDef): readonly Field[] {
  return getOrInsert(numbered, kind, () =>
    [...kind.fields.values()].filter(({ def, column }) => def.sequence && column !== undefined),
  );
}

/**
 * Keeps one field per column, because a statement can write a column only once: the key of a kind and its primary
 * parameter have the same one.
 */
export function uniqueColumns(fields: readonly Field[]): Field[] {
  const columns = new Set<string | undefined>();
  return fields.filter(({ column }) => !columns.has(column) && columns.add(column));
}

/**
 * Whether only one unit of a kind can have a value of a field. Not for JSON, which is compared as text: different values
 * can have one text.
 */
export function isUniqueField(kind: KindDef, { id, def, column, type }: Field): boolean {
  if (column === undefined || def.multiple || type.hasKeys) return false;
  return def.unique || kind.unique.some(([only, ...others]) => only === id && others.length === 0);
}

/** The ids of these fields, which parameters may not have. */
export const UNIT_FIELDS = ['id', 'kind_id', 'metadata', 'inserted_at', 'updated_at'] as const;

export const RESERVED_PARAMETERS: ReadonlySet<string> = new Set([...UNIT_FIELDS, 'links']);

/** The field `id`: always a string in JSON, whatever the type of its column. */
export function keyField(source: KeySource, primary: ParameterDef | undefined): Field {
  const type = source === 'uuid' ? uuidType : parameterType(primary?.type ?? 'string');
  return {
    id: 'id',
    def: parameterDef({ id: 'id', type: 'string', nullable: false, label: 'Id', required: false }),
    type,
    column: 'id',
    columnType: type.column,
    json: type.json === 'native' ? 'text' : type.json,
    system: source !== 'identifier',
  };
}

export const METADATA_FIELD = builtInField({
  id: 'metadata',
  type: 'json',
  label: 'Metadata',
  nullable: false,
  default: {},
});

export const TIME_FIELDS: readonly Field[] = [
  builtInField({ id: 'inserted_at', type: 'datetime', label: 'Inserted at', nullable: false }, { system: true }),
  builtInField({ id: 'updated_at', type: 'datetime', label: 'Updated at', nullable: false }, { system: true }),
];

export function isTimeField(id: string): boolean {
  return TIME_FIELDS.some((field) => field.id === id);
}

/** Nullable, because the source of a remote kind may not know when a unit was created. */
export const REMOTE_TIME_FIELDS: readonly Field[] = TIME_FIELDS.map((field) => {
  return { ...field, def: { ...field.def, nullable: true } };
});

/** The field `kind_id`: a constant, or a column in a table that several kinds share. */
export function kindIdField(kindId: string, discriminated: boolean): Field {
  return discriminated
    ? builtInField({ id: 'kind_id', type: 'string', label: 'Kind', nullable: false }, { system: true })
    : constantField('kind_id', kindId);
}
