/**
 * The model of a project: all kinds, parameters, groups and link types as one immutable value with a version.
 * Requests read all definitions from it. Pure.
 */
import type { UnitStorage } from './storage.js';
import { getOrInsert } from '../shared/maps.js';
import { refusal } from '../shared/errors.js';
import type { Json } from '../shared/json.js';
import { parameterRecordId } from '../shared/identifiers.js';
import { didYouMean, shortened } from '../shared/texts.js';
import type { ParameterDef } from './parameter-type/parameter-def.js';
import type { AccessDefault } from './access-levels.js';
import type { Changes } from './changes.js';
import type { ColumnType, JsonForm, ParameterType } from './parameter-type/parameter-type.js';
import {
  FILE_KIND,
  GROUP_KIND,
  KIND_KIND,
  LINK_KIND,
  SYSTEM_LINK_TYPES,
  type BuiltInTraits,
  type Operation,
} from './built-in-traits.js';

/** A field of the units of a kind: a parameter as the kind stores it, or a field that every unit has. */
export interface Field {
  readonly id: string;
  readonly def: ParameterDef;
  /** Parses and validates the values. */
  readonly type: ParameterType;
  /** Undefined for fields that are not stored: run-time parameters and constants. */
  readonly column: string | undefined;
  /** The column's type: for a reference, that of the referenced kind's key. */
  readonly columnType: ColumnType;
  readonly json: JsonForm;
  /** The value of a field that is the same in every unit of the kind. */
  readonly constant?: Json;
  /** Only the system sets it; a body cannot change it. */
  readonly system: boolean;
  /** The system gives a new unit a value if the body has none. */
  readonly supplied?: true;
  /** The system writes it without changing the version of the unit. */
  readonly unversioned?: true;
  /** Its values are encrypted for their place: project, kind, unit and field (`shared/secret-box.ts`). */
  readonly sealed?: SealedField;
  /** For a reference: the referenced kind, and the type of its key. */
  readonly reference?: { readonly kind: string; readonly key: ParameterType };
  /** The type that a struct shows, if the column has a wider one. */
  readonly describedAs?: string;
  /**
   * What of a definition only some callers see: `values` of the parameter that the record defines who may read it, and
   * `rights` administrators.
   */
  readonly revealing?: 'values' | 'rights';
  /** Restricts the field to some units, or none, for a caller; in others its value is null, also in filters and orders. */
  readonly shownWhere?: ShownWhere | 'nowhere';
  /** Part of records, but not of bodies and structs of the kind. */
  readonly recordOnly?: boolean;
  /** Hooks neither get nor set it. */
  readonly withoutHooks?: true;
  /** Made for an answer whose `include` names it: it is not stored, and nothing is selected or ordered by it. */
  readonly madeForAnswer?: true;
}

/** How a field is kept encrypted. */
interface SealedField {
  /** What other fields of a unit become where its value is removed, because no key opens it. */
  readonly lost: Readonly<Record<string, Json>>;
}

/** The units that show a field: those whose `flag` is false and whose `level` is null or in `among`. */
interface ShownWhere {
  readonly flag: Field;
  readonly level: Field;
  readonly among: readonly string[];
}

/**
 * Where the id of a unit comes from: generated (`uuid`), set in the body or derived from the label (`identifier`), the
 * value of the primary parameter (`natural`), or returned by the source of a remote kind (`source`).
 */
export type KeySource = 'uuid' | 'identifier' | 'natural' | 'source';

/** A condition that every unit of a kind satisfies, unless a comparison with null leaves it open. */
export interface KindCheck {
  readonly id: string;
  readonly filter: string;
  /** What the refusal of a unit says. */
  readonly text: string;
}

/** The operations that others are meant to do, with the reason of each. */
export type AcceptedAccess = Readonly<Partial<Record<Operation, string>>>;

export interface KindDef {
  readonly id: string;
  readonly label: string;
  readonly active: boolean;
  readonly storage: UnitStorage;
  readonly public: boolean;
  readonly builtIn: boolean;
  /** How a built-in kind differs from the others; empty for users' kinds. */
  readonly traits: BuiltInTraits;
  /** As stored; `access/` compiles it. */
  readonly access: Json;
  readonly table: string;
  /** The table is shared with other kinds and has a column `kind_id`. */
  readonly discriminated: boolean;
  readonly key: KeySource;
  /** The field `id`. */
  readonly keyField: Field;
  /** The primary parameter of a natural key. */
  readonly primary: Field | undefined;
  /** All fields of a record, in its order: id, kind_id, parameters, metadata, inserted_at, updated_at. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The ids of the kind's parameters, in their order. */
  readonly parameters: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  readonly checks: readonly KindCheck[];
  readonly accepted: AcceptedAccess;
  readonly changes: Changes;
  /** Days for which its history is kept; undefined for ever. */
  readonly historyKeep: number | undefined;
  /** The groups that the kind is in. */
  readonly groups: readonly string[];
}

export interface GroupDef {
  readonly id: string;
  readonly label: string;
  readonly kinds: readonly string[];
  readonly builtIn: boolean;
}

export interface LinkTypeDef {
  readonly id: string;
  readonly builtIn: boolean;
  /** The ids of its parameters, in their order. */
  readonly parameters: readonly string[];
  /** As stored; `access/` compiles it. */
  readonly access: Json;
  /**
   * Its links as units of a kind, so that their values are validated, filtered and shown as those of units. The fields
   * are those of a link record and the parameters; all are columns of the table of links.
   */
  readonly values: KindDef;
}

/** Who sees pictures as they were uploaded: all who may read them, or their owner and administrators. */
export type Originals = 'all' | 'owner';

export interface Model {
  /** Incremented by every change. Statements check it, so that no request is answered from an outdated model. */
  readonly version: number;
  readonly kinds: ReadonlyMap<string, KindDef>;
  /** By the ids of their records. */
  readonly parameters: ReadonlyMap<string, ParameterDef>;
  readonly groups: ReadonlyMap<string, GroupDef>;
  readonly linkTypes: ReadonlyMap<string, LinkTypeDef>;
  /** What operations that a kind's `access` does not name default to. */
  readonly accessDefault: AccessDefault;
  /** The setting of the project, with which fields of files are hidden. */
  readonly originals: Originals;
  /** The schema of PostgreSQL's extension pg_trgm; undefined where the database does not have it. */
  readonly trigrams?: string | undefined;
}

/** Ids that no user's link type may have: those of the system, and the two directions. */
export const RESERVED_LINK_TYPES: ReadonlySet<string> = new Set([...SYSTEM_LINK_TYPES, 'parent', 'child']);
/** Ids that no user's group may have: they are segments of paths. */
export const RESERVED_GROUPS: ReadonlySet<string> = new Set(['unit', 'kind', 'struct', 'link']);

/** The groups of the member kinds, and of the parameter types. */
export const MEMBER_GROUP = 'kind_auth_member';
export const PARAMETER_GROUP = 'parameter';

/**
 * The parameter that a kind names: its own one, or a shared one.
 * @param parameters by the ids of their records
 */
export function parameterOf(parameters: Model['parameters'], kindId: string, id: string): ParameterDef | undefined {
  return parameters.get(parameterRecordId({ id, ownKind: kindId })) ?? sharedParameter(parameters, id);
}

/** A parameter that any kind or link type may name. */
export function sharedParameter(parameters: Model['parameters'], id: string): ParameterDef | undefined {
  const def = parameters.get(id);
  return def?.ownKind === undefined ? def : undefined;
}

/** The id of the record that defines a parameter of a kind; of an unknown one its name. */
export function recordOfParameter({ fields }: Pick<KindDef, 'fields'>, id: string): string {
  return parameterRecordId(fields.get(id)?.def ?? { id });
}

/** The kinds that use a parameter. */
export function kindsUsing(model: Model, recordId: string): KindDef[] {
  return [...model.kinds.values()].filter(
    (kind) => !kind.builtIn && kind.parameters.some((id) => recordOfParameter(kind, id) === recordId),
  );
}

/** The name of a kind or link type in the list `defined_in` of the parameters that its body defined. */
export function parameterOwner(sort: 'kind' | 'link', id: string): string {
  return sort === 'kind' ? id : `link/${id}`;
}

/** The link types that use a parameter. */
export function linkTypesUsing({ linkTypes }: Model, parameterId: string): LinkTypeDef[] {
  return [...linkTypes.values()].filter(({ parameters }) => parameters.includes(parameterId));
}

/** A field that refers to units of some kind, and the kind that has it. */
export interface Referring {
  readonly kind: KindDef;
  readonly field: Field;
}

/** Cached, because every write and deletion needs them. Models with the same `kinds` share an entry. */
const referring = new WeakMap<Model['kinds'], ReadonlyMap<string, readonly Referring[]>>();

/** The fields of all kinds, including the kind itself, that refer to a kind. */
export function referencesTo({ kinds }: Model, kindId: string): readonly Referring[] {
  return getOrInsert(referring, kinds, () => referringByTarget(kinds)).get(kindId) ?? [];
}

function referringByTarget(kinds: Model['kinds']): Map<string, Referring[]> {
  const found = new Map<string, Referring[]>();
  for (const kind of kinds.values()) {
    for (const field of referencesOf(kind)) {
      getOrInsert(found, field.reference?.kind ?? '', () => []).push({ kind, field });
    }
  }
  return found;
}

/** Cached by the `fields` of a kind, which are the same object in the next model if the kind is unchanged. */
const references = new WeakMap<KindDef['fields'], readonly Field[]>();

/** The fields of a kind that refer to units. */
export function referencesOf({ fields }: KindDef): readonly Field[] {
  return getOrInsert(references, fields, () => {
    return [...fields.values()].filter((field) => field.reference && field.column !== undefined);
  });
}

/** Whether the units of a kind are definitions, of which the model is made. */
export function isDefinitionKind({ id, groups }: Pick<KindDef, 'id' | 'groups'>): boolean {
  return id === KIND_KIND || id === GROUP_KIND || id === LINK_KIND || groups.includes(PARAMETER_GROUP);
}

export function isMemberKind(kind: KindDef): boolean {
  return kind.groups.includes(MEMBER_GROUP);
}

/** Whether there is a kind of that id, whose units are members. */
export function hasMemberKind({ kinds }: Model, id: string): boolean {
  const kind = kinds.get(id);
  return kind !== undefined && isMemberKind(kind);
}

/** The kind of members that can sign in: undefined if it is inactive, or no member kind any more. */
export function activeMemberKind({ kinds }: Model, id: string): KindDef | undefined {
  const kind = kinds.get(id);
  return kind?.active && isMemberKind(kind) ? kind : undefined;
}

/** @param id of a built-in kind, which every model has @throws Error if the model lacks it */
export function getBuiltInKind({ kinds }: Model, id: string): KindDef {
  const kind = kinds.get(id);
  if (!kind) throw new Error(`the model has no kind '${id}'`);
  return kind;
}

/** Whether the project has files: not where it has a kind `file` of its own. */
export function hasFiles({ kinds }: Model): boolean {
  return kinds.get(FILE_KIND)?.traits.contents === true;
}

/** @param readable ids of the groups that the caller may know of @throws KindError 404 */
export function getGroup({ groups }: Model, id: string, readable: readonly string[] = [...groups.keys()]): GroupDef {
  const group = readable.includes(id) ? groups.get(id) : undefined;
  if (group) return group;
  throw refusal('group.unknown', `No group '${shortened(id)}'${didYouMean(id, readable)}`);
}

/** Whether units of the kind can be linked by users' link types. */
export function isLinkable({ storage }: KindDef): boolean {
  return storage.links;
}
