/** Builds the model of a project from its records and the built-in model. */
import { BUILT_IN_GROUPS, BUILT_IN_KINDS, BUILT_IN_LINK_TYPES, type BuiltInKind } from './built-in.js';
import { keyField, kindIdField, METADATA_FIELD, parameterField, TIME_FIELDS, REMOTE_TIME_FIELDS } from './field.js';
import type { Field, GroupDef, KeySource, KindDef, LinkTypeDef, Model } from './model.js';
import type { ParameterDef } from './parameter-def.js';
import type { ParameterType } from './parameter-type/parameter-type.js';
import { definitionOf, type KindRecord, type ModelRecords } from './records.js';
import { PLAIN } from './special.js';

const BUILT_IN: ReadonlyMap<string, BuiltInKind> = new Map(BUILT_IN_KINDS.map((kind) => [kind.id, kind]));

export function buildModel(records: ModelRecords): Model {
  const parameters = new Map(records.parameters.map((record) => [record.id, definitionOf(record)]));
  const groups = buildGroups(records);
  const memberships = membershipsOf(groups);
  const keys = keyTypes(records.kinds, parameters);
  const kinds = records.kinds.map((record): [string, KindDef] => {
    const groupsOfKind = memberships.get(record.id) ?? [];
    const builtIn = BUILT_IN.get(record.id);
    const shape = builtIn ? builtInShape(builtIn) : userShape(record, parameters, keys);
    return [record.id, finishKind(record, shape, groupsOfKind, builtIn)];
  });
  return {
    version: records.version,
    kinds: new Map(kinds),
    parameters,
    groups,
    linkTypes: new Map(records.links.map(({ id }): [string, LinkTypeDef] => [id, { id, builtIn: isBuiltInLink(id) }])),
  };
}

function buildGroups(records: ModelRecords): Map<string, GroupDef> {
  const builtIn = new Set(BUILT_IN_GROUPS.map((group) => group.id));
  return new Map(
    records.groups.map((record) => [
      record.id,
      { id: record.id, label: record.label, kinds: record.kind_list, builtIn: builtIn.has(record.id) },
    ]),
  );
}

function membershipsOf(groups: ReadonlyMap<string, GroupDef>): Map<string, string[]> {
  const memberships = new Map<string, string[]>();
  for (const group of groups.values()) {
    for (const kind of group.kinds) memberships.set(kind, [...(memberships.get(kind) ?? []), group.id]);
  }
  return memberships;
}

/** The type of each kind's key, which a reference's column takes on. */
function keyTypes(
  kinds: readonly KindRecord[],
  parameters: ReadonlyMap<string, ParameterDef>,
): Map<string, ParameterType> {
  return new Map(
    kinds.map((record) => {
      const source = BUILT_IN.get(record.id)?.key;
      const primary = primaryOf(record, parameters);
      return [record.id, keyField(source ?? keySource(record, primary), primary).type];
    }),
  );
}

function keySource({ remote }: KindRecord, primary: ParameterDef | undefined): KeySource {
  if (primary) return 'natural';
  return remote ? 'source' : 'uuid';
}

function primaryOf(
  record: Pick<KindRecord, 'parameters'>,
  parameters: ReadonlyMap<string, ParameterDef>,
): ParameterDef | undefined {
  return record.parameters.map((id) => parameters.get(id)).find((def) => def?.primary);
}

interface Shape {
  readonly table: string;
  readonly discriminated: boolean;
  readonly key: KeySource;
  readonly primary: ParameterDef | undefined;
  readonly own: readonly Field[];
}

function builtInShape(kind: BuiltInKind): Shape {
  return { table: kind.table, discriminated: kind.discriminated, key: kind.key, primary: undefined, own: kind.fields };
}

function userShape(
  record: KindRecord,
  parameters: ReadonlyMap<string, ParameterDef>,
  keys: ReadonlyMap<string, ParameterType>,
): Shape {
  const primary = primaryOf(record, parameters);
  const own = record.parameters.flatMap((id) => {
    const def = parameters.get(id);
    return def ? [parameterField(def, def.referenceKind ? keys.get(def.referenceKind) : undefined)] : [];
  });
  return { table: record.id, discriminated: false, key: keySource(record, primary), primary, own };
}

function finishKind(
  record: KindRecord,
  shape: Shape,
  groups: readonly string[],
  builtIn: BuiltInKind | undefined,
): KindDef {
  const granted = BUILT_IN_GROUPS.filter((group) => groups.includes(group.id)).flatMap((group) => group.grants);
  const ownIds = new Set(shape.own.map((field) => field.id));
  const key = keyField(shape.key, shape.primary);
  const fields = [
    key,
    kindIdField(record.id, shape.discriminated),
    ...granted.filter((field) => !ownIds.has(field.id)),
    ...shape.own,
    METADATA_FIELD,
    ...(record.remote ? REMOTE_TIME_FIELDS : TIME_FIELDS),
  ];
  return {
    id: record.id,
    label: record.label,
    active: record.active,
    remote: record.remote,
    public: record.public,
    builtIn: builtIn !== undefined,
    special: builtIn?.special ?? PLAIN,
    access: record.access,
    table: shape.table,
    discriminated: shape.discriminated,
    key: shape.key,
    keyField: key,
    primary: shape.own.find((field) => field.id === shape.primary?.id),
    fields: new Map(fields.map((field) => [field.id, field])),
    parameters: record.parameters,
    unique: record.unique,
    indexes: record.indexes,
    groups,
  };
}

function isBuiltInLink(id: string): boolean {
  return BUILT_IN_LINK_TYPES.some((type) => type.id === id);
}

/** The records of a project that has nothing but the built-in model. */
export function builtInRecords(): ModelRecords {
  return {
    version: 0,
    parameters: [],
    kinds: BUILT_IN_KINDS.map((kind) => ({
      id: kind.id,
      label: kind.label,
      active: true,
      remote: false,
      public: false,
      parameters: builtInParameters(kind),
      unique: [],
      indexes: [],
      access: null,
    })),
    groups: BUILT_IN_GROUPS.map(({ id, label, kinds }) => ({ id, label, kind_list: kinds })),
    links: BUILT_IN_LINK_TYPES,
  };
}

/** The list `parameters` of a built-in kind's record: all field names of its units but those that only the record shows. */
function builtInParameters(kind: BuiltInKind): string[] {
  const granted = BUILT_IN_GROUPS.filter((group) => group.kinds.includes(kind.id)).flatMap((group) => group.grants);
  const own = [...granted, ...kind.fields].filter((field) => !field.recordOnly && !field.def.hidden);
  return ['id', 'kind_id', ...own.map((field) => field.id), 'metadata', 'inserted_at', 'updated_at'];
}
