/** Builds the model of a project from its records and the built-in model. */
import { storageOf } from '../storage.js';
import { getOrInsert } from '../../shared/maps.js';
import { jsonEqual } from '../../shared/json.js';
import { runSync, type WorkInPieces } from '../../shared/work-in-pieces.js';
import {
  BUILT_IN_GROUPS,
  BUILT_IN_KINDS,
  BUILT_IN_LINK_TYPES,
  grantedFields,
  type BuiltInKind,
} from '../built-in/built-in.js';
import {
  parameterField,
  keyField,
  kindIdField,
  METADATA_FIELD,
  TIME_FIELDS,
  REMOTE_TIME_FIELDS,
  UNIT_FIELDS,
} from '../field.js';
import {
  parameterOf,
  type Field,
  type GroupDef,
  type KeySource,
  type KindDef,
  type LinkTypeDef,
  type Model,
} from '../model.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import type { ParameterType } from '../parameter-type/parameter-type.js';
import { definitionOf, type KindRecord, type ModelRecords } from './definition-records.js';
import { buildLinkType } from './link-types.js';
import { NO_TRAITS } from '../built-in-traits.js';

const BUILT_IN: ReadonlyMap<string, BuiltInKind> = new Map(BUILT_IN_KINDS.map((kind) => [kind.id, kind]));

export function buildModel(records: ModelRecords): Model {
  return runSync(modelInPieces(records));
}

type Kinds = Model['kinds'];

let unchangedBuiltIn: Kinds | undefined;

/** The built-in kinds as every new project has them: all models share their fields. */
function builtInKinds(): Kinds {
  unchangedBuiltIn ??= runSync(modelInPieces(builtInRecords(), undefined, new Map())).kinds;
  return unchangedBuiltIn;
}

/**
 * Takes unchanged definitions of parameters, and the fields of unchanged kinds, from `known`, an earlier model of the
 * project. `isUnchanged` relies on that, and it saves time and memory for large models.
 */
export function* modelInPieces(
  records: ModelRecords,
  known?: Model,
  builtInByDefault: Kinds = builtInKinds(),
): WorkInPieces<Model> {
  const parameters = new Map<string, ParameterDef>();
  for (const record of records.parameters) {
    parameters.set(record.id, keptDefinition(definitionOf(record), known?.parameters.get(record.id)));
    yield;
  }
  const groups = buildGroups(records);
  const memberships = yield* membershipsOf(groups);
  const kindRecords = records.kinds.map((record) => withoutGranted(record, memberships.get(record.id) ?? []));
  const keys = yield* keyTypes(kindRecords, parameters);
  const shared = new Map<ParameterDef, Field>();
  const kinds = new Map<string, KindDef>();
  for (const record of kindRecords) {
    const groupsOfKind = memberships.get(record.id) ?? [];
    const builtIn = BUILT_IN.get(record.id);
    const equal = [known?.kinds.get(record.id), builtIn && builtInByDefault.get(record.id)].find(
      (each) => each && matchesRecord(record, groupsOfKind, each) && (builtIn || hasSameFields(each, parameters, keys)),
    );
    if (equal) {
      // A new object, because caches by kind may hold results that depend on other kinds.
      kinds.set(record.id, { ...equal });
    } else {
      const shape = builtIn ? builtInShape(builtIn) : userShape(record, { parameters, keys, shared });
      kinds.set(record.id, finishKind(record, shape, groupsOfKind, builtIn));
    }
    yield;
  }
  const linkTypes = new Map<string, LinkTypeDef>();
  for (const record of records.links) {
    linkTypes.set(record.id, buildLinkType(record, parameters, known?.linkTypes.get(record.id)));
    yield;
  }
  const { version, accessDefault = 'open', trigrams } = records;
  return { version, kinds, parameters, groups, linkTypes, accessDefault, trigrams };
}

/** Whether a kind has the same fields in two models, of which one was built with the other as `known`. */
export function isUnchanged(kind: Pick<KindDef, 'fields'>, other: Pick<KindDef, 'fields'> | undefined): boolean {
  return kind.fields === other?.fields;
}

/** Returns the known definition if the new one is equal. */
function keptDefinition(definition: ParameterDef, known: ParameterDef | undefined): ParameterDef {
  if (!known) return definition;
  const keys = Object.keys(definition) as (keyof ParameterDef)[];
  return keys.every((key) => jsonEqual(definition[key], known[key])) ? known : definition;
}

/** Whether a kind equals its record and groups, without its fields. */
function matchesRecord(record: KindRecord, groups: readonly string[], kind: KindDef): boolean {
  const pairs = [
    [record.label, kind.label],
    [record.active, kind.active],
    [storageOf(record.remote, kind.builtIn).type, kind.storage.type],
    [record.public, kind.public],
    [record.access, kind.access],
    [record.parameters, kind.parameters],
    [record.unique, kind.unique],
    [record.indexes, kind.indexes],
    [record.checks ?? [], kind.checks],
    [record.accepted ?? {}, kind.accepted],
    [record.changes ?? 'none', kind.changes],
    [record.history_keep ?? null, kind.historyKeep ?? null],
    [groups, kind.groups],
  ] as const;
  return pairs.every(([recorded, built]) => jsonEqual(recorded, built));
}

function hasSameFields(
  { id: kindId, parameters: ids, fields }: KindDef,
  parameters: ReadonlyMap<string, ParameterDef>,
  keys: ReadonlyMap<string, ParameterType>,
): boolean {
  return ids.every((id) => {
    const def = parameterOf(parameters, kindId, id);
    const field = fields.get(id);
    const key = def?.referenceKind === undefined ? undefined : keys.get(def.referenceKind);
    return field?.def === def && field?.reference?.key === key;
  });
}

/** Removes the fields granted by groups from a user's kind: the stored list has them, but they are not parameters. */
function withoutGranted(record: KindRecord, groups: readonly string[]): KindRecord {
  if (BUILT_IN.get(record.id)) return record;
  const granted = new Set(grantedFields(groups).map(({ id }) => id));
  return granted.size === 0 ? record : { ...record, parameters: record.parameters.filter((id) => !granted.has(id)) };
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

function* membershipsOf(groups: ReadonlyMap<string, GroupDef>): WorkInPieces<Map<string, string[]>> {
  const memberships = new Map<string, string[]>();
  for (const group of groups.values()) {
    for (const kind of group.kinds) getOrInsert(memberships, kind, () => []).push(group.id);
    yield;
  }
  return memberships;
}

/** The type of each kind's key, which is also the column type of references to it. */
function* keyTypes(
  kinds: readonly KindRecord[],
  parameters: ReadonlyMap<string, ParameterDef>,
): WorkInPieces<Map<string, ParameterType>> {
  const types = new Map<string, ParameterType>();
  for (const record of kinds) {
    const source = BUILT_IN.get(record.id)?.key;
    const primary = primaryOf(record, parameters);
    types.set(record.id, keyField(source ?? keySource(record, primary), primary).type);
    yield;
  }
  return types;
}

function keySource({ remote }: KindRecord, primary: ParameterDef | undefined): KeySource {
  if (primary) return 'natural';
  return remote ? 'source' : 'uuid';
}

function primaryOf(
  record: Pick<KindRecord, 'id' | 'parameters'>,
  parameters: ReadonlyMap<string, ParameterDef>,
): ParameterDef | undefined {
  return record.parameters.map((id) => parameterOf(parameters, record.id, id)).find((def) => def?.primary);
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

/** What the fields of users' kinds are built from. */
interface FieldSources {
  readonly parameters: ReadonlyMap<string, ParameterDef>;
  readonly keys: ReadonlyMap<string, ParameterType>;
  /** The fields built so far: kinds that use the same parameter share its field. */
  readonly shared: Map<ParameterDef, Field>;
}

function userShape(record: KindRecord, { parameters, keys, shared }: FieldSources): Shape {
  const primary = primaryOf(record, parameters);
  const own = record.parameters.flatMap((id) => {
    const def = parameterOf(parameters, record.id, id);
    if (!def) return [];
    return [
      getOrInsert(shared, def, () => parameterField(def, def.referenceKind ? keys.get(def.referenceKind) : undefined)),
    ];
  });
  return { table: record.id, discriminated: false, key: keySource(record, primary), primary, own };
}

function finishKind(
  record: KindRecord,
  shape: Shape,
  groups: readonly string[],
  builtIn: BuiltInKind | undefined,
): KindDef {
  const granted = grantedFields(groups);
  const storage = storageOf(record.remote, builtIn !== undefined);
  const ownIds = new Set(shape.own.map((field) => field.id));
  const key = keyField(shape.key, shape.primary);
  const fields = [
    key,
    kindIdField(record.id, shape.discriminated),
    ...granted.filter((field) => !ownIds.has(field.id)),
    ...shape.own,
    METADATA_FIELD,
    ...(storage.timestamps ? TIME_FIELDS : REMOTE_TIME_FIELDS),
  ];
  return {
    id: record.id,
    label: record.label,
    active: record.active,
    storage,
    public: record.public,
    builtIn: builtIn !== undefined,
    traits: builtIn?.traits ?? NO_TRAITS,
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
    checks: record.checks ?? [],
    accepted: record.accepted ?? {},
    changes: record.changes ?? 'none',
    historyKeep: record.history_keep ?? undefined,
    groups,
  };
}

/** The records of a project that has only the built-in model. */
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
      checks: [],
      accepted: null,
      access: null,
      changes: kind.traits.changes ?? 'none',
    })),
    groups: BUILT_IN_GROUPS.map(({ id, label, kinds }) => ({ id, label, kind_list: kinds })),
    links: BUILT_IN_LINK_TYPES.map((type) => ({ ...type, parameters: [] })),
  };
}

/** The list `parameters` in a built-in kind's record: all fields but hidden ones and those that only records have. */
function builtInParameters(kind: BuiltInKind): string[] {
  const granted = BUILT_IN_GROUPS.filter((group) => group.kinds.includes(kind.id)).flatMap((group) => group.grants);
  const own = [...granted, ...kind.fields].filter((field) => !field.recordOnly && !field.def.hidden);
  const [id, kindId, ...rest] = UNIT_FIELDS;
  return [id, kindId, ...own.map((field) => field.id), ...rest];
}
