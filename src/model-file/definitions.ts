/** The definitions of a model file, each by itself, and what leads from those of one file to those of another. Pure. */
import { MEMBER_GROUP } from '../model/model.js';
import type { ParameterTypeId } from '../model/parameter-type/parameter-types.js';
import { parameterType } from '../model/parameter-type/type-by-id.js';
import { Faults } from '../shared/errors.js';
import { parameterRecordId } from '../shared/identifiers.js';
import { isPlainObject, jsonEqual, type Json } from '../shared/json.js';
import {
  builtInRecord,
  defaultOf,
  fieldsOf,
  SECTION_KINDS,
  SECTIONS,
  type FileObject,
  type Section,
} from './sections.js';

export interface Definition {
  readonly section: Section;
  /** The kind of its record: `kind`, or the type of a parameter. */
  readonly kindId: string;
  /** Of its record: `price`, `article.state`. */
  readonly id: string;
  /** By the names of the file; `parameters` of kinds and link types is the list of their names. */
  readonly values: FileObject;
  /** The kind or link type in whose body it is defined. */
  readonly owner?: string;
  /** Its former name. */
  readonly was?: string;
  /** What nulls become. */
  readonly fill?: Json;
}

/** By section and id: `kinds/article`, `parameters/article.state`. */
export type Definitions = ReadonlyMap<string, Definition>;

/** @param file that was checked, or dumped */
export function definitionsIn(file: FileObject): Definitions {
  const found = new Map<string, Definition>();
  const add = (definition: Definition): void => {
    const key = `${definition.section}/${definition.id}`;
    if (!found.has(key)) found.set(key, definition);
  };
  for (const [id, entry] of entriesOf(file['parameters'])) add(parameterOf(id, entry));
  for (const section of SECTIONS) {
    for (const [id, given] of Object.entries((file[section] ?? {}) as FileObject)) {
      const entry: FileObject = Array.isArray(given) ? { kind_list: given as Json[] } : ((given ?? {}) as FileObject);
      const { was, parameters, ...values } = entry;
      const listed = entriesOf(parameters, true);
      for (const [name, inner] of listed) if (Object.keys(inner).length > 0) add(parameterOf(name, inner, id));
      const isListing = section === 'kinds' || section === 'links';
      add({
        section,
        kindId: SECTION_KINDS[section],
        id,
        values:
          isListing && parameters !== undefined ? { ...values, parameters: listed.map(([name]) => name) } : values,
        ...(typeof was === 'string' && { was }),
      });
    }
  }
  return found;
}

function parameterOf(name: string, { type, was, fill, ...values }: FileObject, owner?: string): Definition {
  const ownKind = values['own'] === true ? owner : undefined;
  return {
    section: 'parameters',
    kindId: type as string,
    id: parameterRecordId({ id: name, ownKind }),
    values,
    ...(owner !== undefined && { owner }),
    ...(typeof was === 'string' && { was: parameterRecordId({ id: was, ownKind }) }),
    ...(fill !== undefined && fill !== null && { fill }),
  };
}

/** @param empty whether a name alone is an entry without fields */
function entriesOf(section: Json | undefined, empty = false): [string, FileObject][] {
  if (!isPlainObject(section)) return [];
  const entries = Object.entries(section as FileObject);
  return entries.flatMap(([id, entry]): [string, FileObject][] => {
    if (isPlainObject(entry)) return [[id, entry]];
    return empty ? [[id, {}]] : [];
  });
}

/** A definition of which fields change. */
export interface Edit {
  readonly definition: Definition;
  /** The former type of a parameter that gets another one. */
  readonly from?: ParameterTypeId;
  /** The new values, by the names of the file. */
  readonly values: FileObject;
  /** All that was there, of the new type. */
  readonly before: FileObject;
  /** The same of the former type. */
  readonly former?: FileObject;
}

export interface ModelChanges {
  readonly creates: readonly Definition[];
  readonly edits: readonly Edit[];
  readonly deletes: readonly Definition[];
}

/**
 * What leads from the present definitions to those of a file, after renames. A whole file is meant whole: what it does not
 * name is deleted, and a field that an entry lacks has its default. In a partial one that stays.
 * @param drop the keys of what a partial file deletes
 * @throws KindError 400 where a parameter would get a type that loses something
 */
export function changesTo(
  wanted: Definitions,
  present: Definitions,
  { partial, drop }: { readonly partial: boolean; readonly drop: ReadonlySet<string> },
): ModelChanges {
  const creates: Definition[] = [];
  const edits: Edit[] = [];
  const faults = new Faults();
  const members = (wanted.get(`groups/${MEMBER_GROUP}`)?.values['kind_list'] ?? []) as readonly string[];
  for (const [key, definition] of wanted) {
    const stored = present.get(key);
    if (!stored && !isBuiltIn(definition)) {
      creates.push(definition);
      continue;
    }
    const from = stored && stored.kindId !== definition.kindId ? (stored.kindId as ParameterTypeId) : undefined;
    if (from !== undefined && WIDER_TYPES.get(from) !== definition.kindId) {
      faults.add('model.bad_file', typeText(definition, from));
      continue;
    }
    const before = from === undefined ? (stored?.values ?? {}) : widened(stored?.values ?? {}, definition.kindId);
    const values = changedValues(definition, before, { partial, isMembers: members.includes(definition.id) });
    if (from !== undefined || Object.keys(values).length > 0) {
      edits.push({ definition, values, before, ...(from !== undefined && { from, former: stored?.values ?? {} }) });
    }
  }
  faults.throwIfAny();
  const deletes: Definition[] = [];
  for (const [key, definition] of present) {
    if (partial ? !drop.has(key) : wanted.has(key)) continue;
    if (!isBuiltIn(definition)) deletes.push(definition);
    else {
      const values = changedValues({ ...definition, values: {} }, definition.values, {});
      edits.push({ definition, values, before: definition.values });
    }
  }
  return { creates, edits, deletes };
}

/** The type that a parameter can get without a loss, by its own. */
const WIDER_TYPES: ReadonlyMap<string, ParameterTypeId> = new Map([
  ['string', 'text'],
  ['integer', 'decimal'],
]);

function typeText({ id, kindId }: Definition, from: string): string {
  const allowed = [...WIDER_TYPES].map(([type, wider]) => `${type} to ${wider}`).join(', ');
  return `'${id}' is of type ${from}, and of type ${kindId} in the file: make a new parameter (types change from ${allowed} alone)`;
}

/** Fields whose values are of the type of the parameter. */
const OF_THE_TYPE: ReadonlySet<string> = new Set(['default', 'min_value', 'max_value']);

/** The values of a parameter once it has another type: without the fields that this one lacks. */
function widened(before: FileObject, type: string): FileObject {
  const to = parameterType(type as ParameterTypeId);
  const form = (value: Json): Json =>
    Array.isArray(value) ? (value as Json[]).map(form) : value === null ? null : (to.canonical?.(value) ?? value);
  const kept = Object.entries(before).filter(([name]) => fieldsOf(type).has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, OF_THE_TYPE.has(name) ? form(value) : value]));
}

interface Changed {
  readonly partial?: boolean;
  /** Whether it is a kind of members. */
  readonly isMembers?: boolean;
}

function changedValues(definition: Definition, before: FileObject, { partial, isMembers }: Changed): FileObject {
  const names = partial ? Object.keys(definition.values) : [...fieldsOf(definition.kindId).keys()];
  const changed: Record<string, Json> = {};
  for (const name of names) {
    // The changes of members are always recorded.
    const isRecorded = isMembers === true && definition.section === 'kinds' && name === 'changes';
    const preset = isRecorded ? 'feed' : defaultOf(definition, name);
    const value = definition.values[name] ?? preset;
    if (!jsonEqual(value, before[name] ?? preset)) changed[name] = value;
  }
  return changed;
}

function isBuiltIn({ section, id }: Definition): boolean {
  return section !== 'parameters' && builtInRecord(section, id) !== undefined;
}
