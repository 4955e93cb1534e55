/**
 * The fields that every unit has beside the parameters of its kind. `model/build/build-model.ts` puts them in order,
 * `sql/write/write.sql.ts` and `sql/unit-version.sql.ts` write their values, `sql/definition/model.sql.ts` those of built-in rows; a new
 * one needs a new `BUILT_IN_VERSION`.
 */
import { builtInField, constantField } from './field.js';
import type { Field, KeySource } from './model.js';
import { parameterDef, type ParameterDef } from './parameter-type/parameter-def.js';
import { parameterType } from './parameter-type/type-by-id.js';
import { uuidType } from './parameter-type/unit.type.js';

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
