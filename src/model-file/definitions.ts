/** The definitions of a model file, each by itself, and what leads from those of one file to those of another. Pure. */
import { MEMBER_GROUP } from '../model/model.js';
import type { ParameterTypeId } from '../model/parameter-type/parameter-types.js';
import { parameterType } from '../model/parameter-type/type-by-id.js';
import { Faults } from '../shared/errors.js';
import { isIdentifier, namedByRecord, parameterRecordId } from '../shared/identifiers.js';
import { isPlainObject, jsonEqual, type Json } from '../shared/json.js';
import { getOrInsert } from '../shared/maps.js';
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
  /** The kind of its record: `kind`, or the type of a parameter; empty where a partial file leaves out the type. */
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

/** Whether it is a parameter of one kind alone. */
export function isOwnOfKind({ section, id }: Pick<Definition, 'section' | 'id'>): boolean {
  return section === 'parameters' && namedByRecord(id).ownKind !== undefined;
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
          isListing && parameters !== undefined
            ? { ...values, parameters: parameters === null ? null : listed.map(([name]) => name) }
            : values,
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
    kindId: (type ?? UNTYPED) as string,
    id: parameterRecordId({ id: name, ownKind }),
    values: type === undefined ? values : canonical(type as string, values),
    ...(owner !== undefined && { owner }),
    ...(typeof was === 'string' && { was: parameterRecordId({ id: was, ownKind }) }),
    ...(fill !== undefined && fill !== null && { fill }),
  };
}

const UNTYPED = '';

function formerKeyOf({ section, was = '' }: Definition): string {
  return `${section}/${was}`;
}

interface NamedAnew {
  /** With their present types. */
  readonly renamed: readonly Definition[];
  /** Those that change places, which they may have done before. */
  readonly swapped: readonly Definition[];
}

/**
 * The definitions whose former names are there. Where something stays at the new name, the file means that it was renamed
 * before if it has a definition of the former name as well; else it contradicts the project.
 */
export function renamesIn(file: Definitions, present: Definitions): NamedAnew {
  const given = [...file].filter(([, { was }]) => was !== undefined);
  const next = new Map(given.map(([key, definition]) => [formerKeyOf(definition), key]));
  /** The last of those that move on, one to the place of the other: nothing is there, or what stays. */
  const endOf = (start: string): string => {
    let key = start;
    for (let to = next.get(key); present.has(key) && to !== undefined && to !== start; to = next.get(key)) key = to;
    return key;
  };
  const renamed: Definition[] = [];
  const swapped: Definition[] = [];
  for (const [key, definition] of given) {
    const former = formerKeyOf(definition);
    const stored = present.get(former);
    if (!stored) continue;
    const end = endOf(key);
    const isSwapped = end === former;
    if (!isSwapped && present.has(end) && file.has(former)) continue;
    renamed.push({ ...definition, kindId: stored.kindId });
    if (isSwapped) swapped.push(definition);
  }
  return { renamed, swapped };
}

/** The definitions of a file, in which parameters without a type have that of the project, after renames. @throws KindError 400 */
export function withTypes(file: Definitions, present: Definitions): Definitions {
  const faults = new Faults();
  const typed = new Map<string, Definition>();
  for (const [key, definition] of file) {
    typed.set(key, definition);
    if (definition.kindId !== UNTYPED) continue;
    const { id, values } = definition;
    const refuse = (text: string) => faults.add('model.bad_file', text, { parameter: `parameters.${id}` });
    const kindId = present.get(key)?.kindId;
    if (kindId === undefined) {
      refuse(`'${id}' has no type, and there is no such parameter yet: give it one`);
      continue;
    }
    const unknown = Object.keys(values).find((name) => !fieldsOf(kindId).has(name));
    if (unknown !== undefined) refuse(`'${id}' is of type ${kindId}, which has no '${unknown}'`);
    else typed.set(key, { ...definition, kindId, values: canonical(kindId, values) });
  }
  faults.throwIfAny();
  return typed;
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
 * @param drop the names of what a partial file drops
 * @throws KindError 400 where a parameter would get a type that loses something, or stop being one of its kind alone
 */
export function changesTo(
  file: Definitions,
  present: Definitions,
  { partial, drop }: { readonly partial: boolean; readonly drop: readonly string[] },
): ModelChanges {
  const creates: Definition[] = [];
  const edits: Edit[] = [];
  const faults = new Faults();
  const dropped = droppedBy(drop, file, faults);
  const wanted = partial ? withListsOf(present, file, dropped.listed) : file;
  refuseShared(wanted, present, partial, faults);
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
    if (partial ? !dropped.keys.has(key) : wanted.has(key)) continue;
    if (!isBuiltIn(definition)) deletes.push(definition);
    else {
      const values = changedValues({ ...definition, values: {} }, definition.values, {});
      edits.push({ definition, values, before: definition.values });
    }
  }
  return { creates, edits, deletes };
}

/** The field with the names of what belongs to a definition. */
const LISTS: Readonly<Partial<Record<Section, string>>> = {
  kinds: 'parameters',
  links: 'parameters',
  groups: 'kind_list',
};

interface Dropped {
  readonly keys: ReadonlySet<string>;
  /** What goes from the list of a definition, by its key. */
  readonly listed: ReadonlyMap<string, ReadonlySet<string>>;
}

function droppedBy(names: readonly string[], file: Definitions, faults: Faults): Dropped {
  const keys = new Set<string>();
  const listed = new Map<string, Set<string>>();
  for (const name of names) {
    const { section, id, member } = droppedPlace(name);
    const key = `${section}/${id}`;
    const named = file.get(key);
    if (member === undefined) keys.add(key);
    else getOrInsert(listed, key, () => new Set()).add(member);
    const isNamed = member === undefined ? named : namesIn(named?.values[LISTS[section] ?? '']).includes(member);
    if (isNamed) faults.add('model.bad_file', `drop: '${name}' is also in the file`, { parameter: 'drop' });
  }
  return { keys, listed };
}

interface DroppedPlace {
  readonly section: Section;
  readonly id: string;
  /** What goes from its list. */
  readonly member: string | undefined;
}

/** What is meant by `article`, `article.summary`, `parameters.price`, `links.cites`, `links.cites.page`. */
export function droppedPlace(name: string): DroppedPlace {
  const [first = '', ...rest] = name.split('.');
  const [section, id = '', member]: readonly [Section, ...string[]] =
    rest.length > 0 && isSection(first) ? [first, ...rest] : ['kinds', first, ...rest];
  return { section, id, member };
}

/** What has other names is never dropped. */
const KEPT: ReadonlySet<string> = new Set(['settings', 'units']);

/** Whether a definition, or what is in one, may have the name. */
export function isDroppable(name: string): boolean {
  const [first = '', ...rest] = name.split('.');
  const isWithin = rest.length > 0 && isSection(first);
  const ids = isWithin ? rest : [first, ...rest];
  const most = isWithin && LISTS[first] === undefined ? 1 : 2;
  return ids.length <= most && ids.every(isIdentifier) && !(rest.length > 0 && KEPT.has(first));
}

function isSection(name: string): name is Section {
  return name === 'parameters' || SECTIONS.some((section) => section === name);
}

/** The definitions of a partial file, whose lists have what is there already, without what is dropped. */
function withListsOf(present: Definitions, file: Definitions, dropped: Dropped['listed']): Definitions {
  const wanted = new Map(file);
  for (const key of new Set([...file.keys(), ...dropped.keys()])) {
    const [stored, given] = [present.get(key), file.get(key)];
    const list = stored && LISTS[stored.section];
    const added = list === undefined ? undefined : given?.values[list];
    if (!stored || list === undefined || added === null || (added === undefined && !dropped.has(key))) continue;
    const names = [...namesIn(stored.values[list]), ...namesIn(added)];
    const left = [...new Set(names)].filter((name) => !dropped.get(key)?.has(name));
    wanted.set(key, { ...(given ?? stored), values: { ...given?.values, [list]: left } });
  }
  return wanted;
}

export function namesIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? (list as string[]) : [];
}

/** The shared parameters of which a file has own ones, in kinds that have the shared one. */
export function sharedThatPart(file: Definitions, present: Definitions): Definition[] {
  const parting = [...file.values()].flatMap(({ section, id, values, owner }) => {
    if (section !== 'parameters' || values['own'] !== true || present.has(`parameters/${id}`)) return [];
    const { id: name } = namedByRecord(id);
    const shared = present.get(`parameters/${name}`);
    const isShared = namesIn(present.get(`kinds/${owner ?? ''}`)?.values['parameters']).includes(name);
    return shared && isShared ? [shared] : [];
  });
  return [...new Set(parting)];
}

/** A parameter of one kind alone stays so. */
function refuseShared(wanted: Definitions, present: Definitions, partial: boolean, faults: Faults): void {
  for (const { section, id, values } of wanted.values()) {
    if (section !== 'kinds') continue;
    for (const name of namesIn(values['parameters'])) {
      const key = `parameters/${parameterRecordId({ id: name, ownKind: id })}`;
      const isAlone = partial && wanted.get(`parameters/${name}`)?.owner !== id;
      if (!present.has(key) || wanted.has(key) || isAlone) continue;
      const path = `kinds.${id}.parameters.${name}`;
      const text = `${path} belongs to this kind alone, and stays so: define it here, with own: true`;
      faults.add('model.bad_file', text, { parameter: path });
    }
  }
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
  const kept = Object.entries(before).filter(([name]) => fieldsOf(type).has(name));
  return canonical(type, Object.fromEntries(kept));
}

/** Values in the form in which they are stored. */
function canonical(type: string, values: FileObject): FileObject {
  const of = parameterType(type as ParameterTypeId);
  const form = (value: Json): Json => {
    if (Array.isArray(value)) return (value as Json[]).map(form);
    if (values['strip'] === true && typeof value === 'string') return value.trim();
    // One that is made is no value of the type.
    const isMade = typeof value === 'string' && value.startsWith('@');
    return value === null || isMade ? value : (of.canonical?.(value) ?? value);
  };
  const formed = ([name, value]: [string, Json]): [string, Json] => [name, OF_THE_TYPE.has(name) ? form(value) : value];
  return Object.fromEntries(Object.entries(values).map(formed));
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
    const given = definition.values[name] ?? preset;
    const value = name === 'access' ? accessOf(given, preset, partial ? before[name] : null) : given;
    if (!jsonEqual(value, before[name] ?? preset)) changed[name] = value;
  }
  return changed;
}

/** Null is the default of an operation. @param before what stays where it is not named */
function accessOf(given: Json, preset: Json, before: Json | undefined): Json {
  if (!isPlainObject(given)) return given;
  const settings: Record<string, Json> = { ...(isPlainObject(before) && before), ...given };
  const defaults: FileObject = isPlainObject(preset) ? preset : {};
  for (const name of Object.keys(settings)) {
    settings[name] ??= defaults[name] ?? null;
    if (settings[name] === null) delete settings[name];
  }
  return Object.keys(settings).length > 0 ? settings : null;
}

function isBuiltIn({ section, id }: Definition): boolean {
  return section !== 'parameters' && builtInRecord(section, id) !== undefined;
}
