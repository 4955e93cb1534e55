/** Creates the fields of kinds from definitions. The fields that every unit has are in `fields-of-every-unit.ts`. */
import { scalarText, type Json } from '../shared/json.js';
import type { Field, KindDef } from './model.js';
import { columnName } from './names.js';
import { parameterDef, type ParameterDef } from './parameter-type/parameter-def.js';
import type { ParameterType } from './parameter-type/parameter-type.js';
import { parameterType } from './parameter-type/type-by-id.js';

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
