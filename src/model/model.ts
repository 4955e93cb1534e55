/**
 * The model of a project: all kinds, parameters, groups and link types as one immutable value with a version.
 * Everything that a request needs to know of the definitions is here; nothing here does I/O.
 */
import type { UnitStorage } from './storage.js';
import { refusal } from '../shared/errors.js';
import type { Json } from '../shared/json.js';
import { didYouMean } from '../shared/did-you-mean.js';
import type { ParameterDef } from './parameter-type/parameter-def.js';
import type { ColumnType, JsonForm, ParameterType } from './parameter-type/parameter-type.js';
import type { BuiltInTraits } from './built-in-traits.js';

/** What a unit of a kind has under one name: a parameter as that kind stores it, or a field that every unit has. */
export interface Field {
  readonly id: string;
  readonly def: ParameterDef;
  /** How values are read and checked. */
  readonly type: ParameterType;
  /** Undefined where nothing is stored: run-time parameters and constants. */
  readonly column: string | undefined;
  /** The column's type: for a reference, that of the referenced kind's key. */
  readonly columnType: ColumnType;
  readonly json: JsonForm;
  /** The value of a field that is the same in every unit of the kind. */
  readonly constant?: Json;
  /** Written by the system alone; in a body it is refused. */
  readonly system: boolean;
  /** The system writes it without making another version of the unit. */
  readonly unversioned?: true;
  /** For a reference: the kind, and the type of its key. */
  readonly reference?: { readonly kind: string; readonly key: ParameterType };
  /** The type that a struct shows, where the stored one is wider. */
  readonly describedAs?: string;
  /** Shows values of the parameter that the record defines: to those alone who may read that one. */
  readonly revealing?: boolean;
  /** Set in what a caller may read: in other units the field reads null, in filters and orders too. */
  readonly shownWhere?: ShownWhere;
  /** In records, but neither in a body nor in a struct of the kind. */
  readonly recordOnly?: boolean;
}

/** The units in which a field is shown: `flag` is false there, and `level` null or one of `among`. Both are columns. */
export interface ShownWhere {
  readonly flag: string;
  readonly level: string;
  readonly among: readonly string[];
}

/**
 * Where a unit's id comes from: generated, given (or made from the label), the value of the primary parameter, or given
 * by the source of a remote kind.
 */
export type KeySource = 'uuid' | 'identifier' | 'natural' | 'source';

export interface KindDef {
  readonly id: string;
  readonly label: string;
  readonly active: boolean;
  readonly storage: UnitStorage;
  readonly public: boolean;
  readonly builtIn: boolean;
  /** What only this one of the built-in kinds is; empty for the kinds of users. */
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
  /** Everything in a unit's record, in its order: id, kind_id, parameters, metadata, inserted_at, updated_at. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The ids of the kind's parameters, in their order. */
  readonly parameters: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
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
}

export interface Model {
  /** Grows by one with every change; the statements of a request carry it, so that a stale model never answers. */
  readonly version: number;
  readonly kinds: ReadonlyMap<string, KindDef>;
  readonly parameters: ReadonlyMap<string, ParameterDef>;
  readonly groups: ReadonlyMap<string, GroupDef>;
  readonly linkTypes: ReadonlyMap<string, LinkTypeDef>;
}

/** The system's own link types, for kinds and groups, and the two directions. */
export const RESERVED_LINK_TYPES: ReadonlySet<string> = new Set(['parameter', 'group', 'parent', 'child']);
export const RESERVED_GROUPS: ReadonlySet<string> = new Set(['unit', 'kind', 'struct', 'link']);

/** The group of the member kinds, and that of the parameter types. */
export const MEMBER_GROUP = 'kind_auth_member';
export const PARAMETER_GROUP = 'parameter';

/** The kinds that use a parameter. */
export function kindsUsing(model: Model, parameterId: string): KindDef[] {
  return [...model.kinds.values()].filter((kind) => !kind.builtIn && kind.parameters.includes(parameterId));
}

/** A field that refers to units of some kind, and the kind that has it. */
export interface Referring {
  readonly kind: KindDef;
  readonly field: Field;
}

/** Every write and deletion asks for them: they are looked for once in a model, whose kinds its versions share. */
const referring = new WeakMap<Model['kinds'], ReadonlyMap<string, readonly Referring[]>>();

/** The fields of other kinds (and its own) that refer to a kind. */
export function referencesTo({ kinds }: Model, kindId: string): readonly Referring[] {
  const known = referring.get(kinds) ?? referringByTarget(kinds);
  referring.set(kinds, known);
  return known.get(kindId) ?? [];
}

function referringByTarget(kinds: Model['kinds']): Map<string, Referring[]> {
  const found = new Map<string, Referring[]>();
  for (const kind of kinds.values()) {
    for (const field of referencesOf(kind)) {
      const id = field.reference?.kind ?? '';
      const target = found.get(id) ?? [];
      target.push({ kind, field });
      found.set(id, target);
    }
  }
  return found;
}

/** By the fields of a kind, which stay the same from one model to the next where the kind is unchanged. */
const references = new WeakMap<KindDef['fields'], readonly Field[]>();

/** The fields of a kind that refer to units. */
export function referencesOf({ fields }: KindDef): readonly Field[] {
  const known = references.get(fields);
  if (known) return known;
  const found = [...fields.values()].filter((field) => field.reference && field.column !== undefined);
  references.set(fields, found);
  return found;
}

export function isMemberKind(kind: KindDef): boolean {
  return kind.groups.includes(MEMBER_GROUP);
}

/** @param readable ids of the groups that the asker may know of @throws KindError 404 */
export function getGroup({ groups }: Model, id: string, readable: readonly string[] = [...groups.keys()]): GroupDef {
  const group = readable.includes(id) ? groups.get(id) : undefined;
  if (group) return group;
  throw refusal('group.unknown', `No group '${id.slice(0, 80)}'${didYouMean(id, readable)}`);
}

/** Whether units of the kind can be linked by users' link types: kinds of the model have their own. */
export function isLinkable({ storage }: KindDef): boolean {
  return storage.links;
}
