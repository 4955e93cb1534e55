/** Builds link types from their records. */
import { jsonEqual } from '../../shared/json.js';
import { BUILT_IN_LINK_TYPES } from '../built-in/built-in.js';
import { NO_TRAITS } from '../built-in-traits.js';
import { builtInField, constantField, parameterField, keyField } from '../field.js';
import { sharedParameter, type Field, type KindDef, type LinkTypeDef } from '../model.js';
import { LINK_TABLE, linkColumnName } from '../names.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import { storageOf } from '../storage.js';
import type { LinkTypeRecord } from './definition-records.js';

const text = (id: string, column: string, label: string) =>
  builtInField({ id, type: 'string', label, nullable: false }, { column, system: true });

/** The fields of a link record, in its order. */
const LINK_FIELDS: readonly Field[] = [
  text('parent_id', 'parent_id', 'Parent'),
  text('child_id', 'child_id', 'Child'),
  constantField('type', 'link'),
  text('parent_kind_id', 'parent_kind', 'Kind of the parent'),
  text('child_kind_id', 'child_kind', 'Kind of the child'),
  text('link_id', 'link_id', 'Link type'),
  builtInField({ id: 'inserted_at', type: 'datetime', label: 'Inserted at', nullable: false }, { system: true }),
];

/** Ids that parameters of link types may not have: the fields of a link, also those that a traversal adds. */
export const RESERVED_LINK_PARAMETERS: ReadonlySet<string> = new Set([...LINK_FIELDS.map(({ id }) => id), 'depth']);

const KEY_FIELD = keyField('source', undefined);

/** @param known the type in an earlier model of the project, whose fields are kept if they are the same */
export function buildLinkType(
  { id, parameters: ids, access = null }: LinkTypeRecord,
  parameters: ReadonlyMap<string, ParameterDef>,
  known: LinkTypeDef | undefined,
): LinkTypeDef {
  const builtIn = BUILT_IN_LINK_TYPES.some((each) => each.id === id);
  if (
    known &&
    jsonEqual(known.parameters, ids) &&
    ids.every((each) => hasDefinition(known, sharedParameter(parameters, each)))
  ) {
    return { ...known, access: jsonEqual(known.access, access) ? known.access : access, values: { ...known.values } };
  }
  const defs = ids.flatMap((each) => sharedParameter(parameters, each) ?? []);
  const fields = [...LINK_FIELDS, ...defs.map((def) => linkField(id, def))];
  return { id, builtIn, parameters: ids, access, values: valuesKind(id, ids, fields) };
}

function hasDefinition({ values }: LinkTypeDef, def: ParameterDef | undefined): boolean {
  return def !== undefined && values.fields.get(def.id)?.def === def;
}

function linkField(linkType: string, def: ParameterDef): Field {
  const field = parameterField(def, undefined);
  return { ...field, column: field.column && linkColumnName(linkType, def.id) };
}

function valuesKind(id: string, parameters: readonly string[], fields: readonly Field[]): KindDef {
  return {
    id,
    label: id,
    active: true,
    storage: storageOf(false, true),
    public: false,
    builtIn: false,
    traits: NO_TRAITS,
    access: null,
    table: LINK_TABLE,
    discriminated: false,
    // Links have no id: none is generated, and none may be in a body.
    key: 'source',
    keyField: KEY_FIELD,
    primary: undefined,
    fields: new Map(fields.map((field) => [field.id, field])),
    parameters,
    unique: [],
    indexes: [],
    checks: [],
    accepted: {},
    changes: 'none',
    historyKeep: undefined,
    groups: [],
  };
}

/** The fields of a link type's parameters that are stored. */
export function storedLinkFields({ values, parameters }: LinkTypeDef): Field[] {
  return parameters.flatMap((id) => {
    const field = values.fields.get(id);
    return field?.column === undefined || RESERVED_LINK_PARAMETERS.has(id) ? [] : [field];
  });
}
