/** Builds the model of a project from its records and the built-in model. */
import { storageOf } from '../storage.js';
import { getOrInsert } from '../../shared/maps.js';
import { jsonEqual } from '../../shared/json.js';
import { runSync, type WorkInPieces } from '../../shared/work-in-pieces.js';
import {
  BUILT_IN_GROUPS,
  BUILT_IN_KINDS,
  BUILT_IN_LINK_TYPES,
  builtInKindOf,
  builtInParameters,
  grantedFields,
  grantedNames,
  type BuiltInKind,
} from '../built-in/built-in.js';
import { parameterField, keyField, kindIdField, METADATA_FIELD, TIME_FIELDS, REMOTE_TIME_FIELDS } from '../field.js';
import {
  parameterOf,
  type Field,
  type GroupDef,
  type KeySource,
  type KindDef,
  type LinkTypeDef,
  type Model,
  type Originals,
} from '../model.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import type { ParameterType } from '../parameter-type/parameter-type.js';
import { definitionOf, type KindRecord, type ModelRecords } from './definition-records.js';
import { buildLinkType } from './link-types.js';
import { NO_TRAITS } from '../built-in-traits.js';

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
  const { originals = 'all' } = records;
  const sources = records.kinds.map((record) => sourceOf(record, memberships.get(record.id) ?? [], originals));
  const keys = yield* keyTypes(sources, parameters);
  const shared = new Map<ParameterDef, Field>();
  const kinds = new Map<string, KindDef>();
  for (const source of sources) {
    const { record, builtIn } = source;
    const own = { parameters, keys, shared };
    const equal = [known?.kinds.get(record.id), builtIn && builtInByDefault.get(record.id)].find(
      (each) => each && matchesRecord(source, each) && (isFixed(source) || hasSameFields(source, each, own)),
    );
    if (equal) {
      // A new object, because caches by kind may hold results that depend on other kinds.
      kinds.set(record.id, { ...equal });
    } else {
      const shape = isFixed(source) ? builtInShape(source.builtIn) : userShape(record, own);
      kinds.set(record.id, finishKind(source, shape));
    }
    yield;
  }
  const linkTypes = new Map<string, LinkTypeDef>();
  for (const record of records.links) {
    linkTypes.set(record.id, buildLinkType(record, parameters, known?.linkTypes.get(record.id)));
    yield;
  }
  const { version, accessDefault = 'open', trigrams } = records;
  return { version, kinds, parameters, groups, linkTypes, accessDefault, originals, trigrams };
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

/** What a kind is built from. */
interface KindSource {
  /** Its list of parameters names parameters alone, but where the fields are all the kind's own. */
  readonly record: KindRecord;
  readonly groups: readonly string[];
  readonly builtIn: BuiltInKind | undefined;
}

/** Removes what is granted from the list of parameters: the stored list has it, but it is no parameter. */
function sourceOf(record: KindRecord, groups: readonly string[], originals: Originals): KindSource {
  const builtIn = builtInKindOf(record, originals);
  if (builtIn && !builtIn.traits.extensible) return { record, groups, builtIn };
  const granted = new Set(grantedNames({ id: record.id, traits: builtIn?.traits ?? NO_TRAITS }, groups));
  if (granted.size === 0) return { record, groups, builtIn };
  return { record: { ...record, parameters: record.parameters.filter((id) => !granted.has(id)) }, groups, builtIn };
}

/** Whether the kind has the fields that it has in every project. */
function isFixed(source: KindSource): source is KindSource & { builtIn: BuiltInKind } {
  return source.builtIn !== undefined && !source.builtIn.traits.extensible;
}

/** Whether a kind equals its record and groups, without its fields. */
function matchesRecord({ record, groups, builtIn }: KindSource, kind: KindDef): boolean {
  const pairs = [
    [builtIn?.traits ?? NO_TRAITS, kind.traits],
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
  { builtIn }: KindSource,
  { id: kindId, parameters: ids, fields }: KindDef,
  { parameters, keys }: FieldSources,
): boolean {
  const isOwn = new Set(ids);
  if (builtIn?.fields.some((field) => fields.get(field.id) !== field && !isOwn.has(field.id))) return false;
  return ids.every((id) => {
    const def = parameterOf(parameters, kindId, id);
    const field = fields.get(id);
    const key = def?.referenceKind === undefined ? undefined : keys.get(def.referenceKind);
    return field?.def === def && field?.reference?.key === key;
  });
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
  sources: readonly KindSource[],
  parameters: ReadonlyMap<string, ParameterDef>,
): WorkInPieces<Map<string, ParameterType>> {
  const types = new Map<string, ParameterType>();
  for (const { record, builtIn } of sources) {
    const primary = primaryOf(record, parameters);
    types.set(record.id, keyField(builtIn?.key ?? keySource(record, primary), primary).type);
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

function finishKind(source: KindSource, shape: Shape): KindDef {
  const { record, groups, builtIn } = source;
  const fixed = isFixed(source);
  const granted = [...(builtIn && !fixed ? builtIn.fields : []), ...grantedFields(groups)];
  const storage = storageOf(record.remote, fixed);
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
    builtIn: fixed,
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
      public: kind.traits.public ?? false,
      parameters: builtInParameters(kind),
      unique: kind.unique ?? [],
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
