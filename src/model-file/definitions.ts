/** The definitions of a model file, each by itself, and what leads from those of one file to those of another. Pure. */
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
    ...(fill !== undefined && { fill }),
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
  /** The new values, by the names of the file. */
  readonly values: FileObject;
  /** All that was there. */
  readonly before: FileObject;
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
 */
export function changesTo(
  wanted: Definitions,
  present: Definitions,
  { partial, drop }: { readonly partial: boolean; readonly drop: ReadonlySet<string> },
): ModelChanges {
  const creates: Definition[] = [];
  const edits: Edit[] = [];
  for (const [key, definition] of wanted) {
    const before = present.get(key);
    if (!before && !isBuiltIn(definition)) creates.push(definition);
    else {
      const values = changedValues(definition, before?.values ?? {}, partial);
      if (Object.keys(values).length > 0) edits.push({ definition, values, before: before?.values ?? {} });
    }
  }
  const deletes: Definition[] = [];
  for (const [key, definition] of present) {
    if (partial ? !drop.has(key) : wanted.has(key)) continue;
    if (!isBuiltIn(definition)) deletes.push(definition);
    else {
      const values = changedValues({ ...definition, values: {} }, definition.values, false);
      edits.push({ definition, values, before: definition.values });
    }
  }
  return { creates, edits, deletes };
}

function changedValues(definition: Definition, before: FileObject, partial: boolean): FileObject {
  const names = partial ? Object.keys(definition.values) : [...fieldsOf(definition.kindId).keys()];
  const changed: Record<string, Json> = {};
  for (const name of names) {
    const preset = defaultOf(definition, name);
    const value = definition.values[name] ?? preset;
    if (!jsonEqual(value, before[name] ?? preset)) changed[name] = value;
  }
  return changed;
}

function isBuiltIn({ section, id }: Definition): boolean {
  return section !== 'parameters' && builtInRecord(section, id) !== undefined;
}
