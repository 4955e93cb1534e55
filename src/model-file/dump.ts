/** The model file of a project, from what it has stored. Pure. */
import { parameterOwner, type Model } from '../model/model.js';
import { grantedNames } from '../model/built-in/built-in.js';
import { jsonEqual, type Json } from '../shared/json.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import {
  builtInRecord,
  defaultOf,
  fieldsOf,
  type FileObject,
  FORMAT,
  FORMAT_VERSION,
  SECTION_KINDS,
  SECTIONS,
  type Section,
  type SectionId,
} from './sections.js';

/** A record of the API. */
export type DefinitionRecord = FileObject & { readonly id: string };

interface StoredDefinitions {
  readonly model: Model;
  /** Those that differ from what a new project has. */
  readonly settings: FileObject;
  /** By the kind of the records: of the sections, and of all types of parameters. */
  readonly records: ReadonlyMap<string, readonly DefinitionRecord[]>;
}

/** What is the default is left out. Sections and ids are sorted; the parameters of a kind are in its order. */
export function* modelFileOf(stored: StoredDefinitions): WorkInPieces<FileObject> {
  const dump = new Dump(stored);
  const sections: [string, FileObject][] = [
    ['settings', sorted(Object.entries(stored.settings))],
    ['parameters', sorted(dump.parameters())],
  ];
  for (const section of SECTIONS) {
    const entries: [string, Json][] = [];
    for (const record of stored.records.get(SECTION_KINDS[section]) ?? []) {
      const entry = dump.entry(section, record);
      if (entry !== undefined) entries.push([record.id, entry]);
      yield;
    }
    sections.push([section, sorted(entries)]);
  }
  const filled = sections.filter(([, entries]) => Object.keys(entries).length > 0);
  return { format: FORMAT, version: FORMAT_VERSION, ...Object.fromEntries(filled) };
}

class Dump {
  readonly #model: Model;
  /** The records of parameters, with the ids of their types, by id. */
  readonly #parameters: ReadonlyMap<string, { readonly type: string; readonly record: DefinitionRecord }>;
  readonly #inline: ReadonlySet<string>;

  constructor({ model, records }: StoredDefinitions) {
    this.#model = model;
    const ofSections = new Set<string>(Object.values(SECTION_KINDS));
    this.#parameters = new Map(
      [...records].flatMap(([type, of]) =>
        ofSections.has(type) ? [] : of.map((record) => [record.id, { type, record }] as const),
      ),
    );
    this.#inline = inlineParameters(model);
  }

  /** The shared ones that stand by themselves. */
  parameters(): [string, Json][] {
    const shared = [...this.#parameters.values()].filter(
      ({ record }) => record['own'] !== true && !this.#inline.has(record.id),
    );
    return shared.map(({ type, record }) => [record.id, parameterEntry(type, record)]);
  }

  /** Undefined for a built-in definition as every project has it. */
  entry(section: SectionId, record: DefinitionRecord): Json | undefined {
    const kindId = SECTION_KINDS[section];
    const builtIn = builtInRecord(section, record.id);
    const fields = entryOf(section, kindId, record);
    const isEmpty = Object.keys(fields).length === 0;
    if (section === 'groups') return groupEntry(fields, this.#ownKinds(record), builtIn !== undefined);
    const lists = section === 'kinds' || section === 'links';
    const parameters = lists ? this.#listOf(section, record) : {};
    if (Object.keys(parameters).length > 0) return { ...fields, parameters };
    return builtIn && isEmpty ? undefined : fields;
  }

  /** The parameters of a kind or link type: null for a shared one that stands elsewhere. */
  #listOf(section: 'kinds' | 'links', { id, parameters }: DefinitionRecord): FileObject {
    const kind = section === 'kinds' ? this.#model.kinds.get(id) : undefined;
    if (kind?.builtIn) return {};
    const granted = new Set(kind ? grantedNames(kind, kind.groups) : []);
    const own = (parameters as readonly string[]).filter((name) => !granted.has(name));
    return Object.fromEntries(
      own.map((name) => {
        const recordId = kind?.fields.get(name)?.def.ownKind === undefined ? name : `${id}.${name}`;
        const stored = this.#parameters.get(recordId);
        const isHere = stored && (stored.record['own'] === true || this.#inline.has(recordId));
        return [name, isHere ? parameterEntry(stored.type, stored.record) : null];
      }),
    );
  }

  /** The kinds of a group that no group has in every project. */
  #ownKinds({ kind_list: kinds }: DefinitionRecord): readonly string[] {
    return (kinds as readonly string[]).filter((id) => !this.#model.kinds.get(id)?.builtIn);
  }
}

function groupEntry(fields: FileObject, kinds: readonly string[], isBuiltIn: boolean): Json | undefined {
  const others = Object.entries(fields).filter(([name]) => name !== 'kind_list');
  if (others.length > 0) return { ...Object.fromEntries(others), kind_list: kinds };
  return isBuiltIn && kinds.length === 0 ? undefined : kinds;
}

function parameterEntry(type: string, record: DefinitionRecord): FileObject {
  return { type, ...entryOf('parameters', type, record) };
}

/** The fields of a record that are other than those of a new one. */
function entryOf(section: Section, kindId: string, record: DefinitionRecord): FileObject {
  const entry: Record<string, Json> = {};
  for (const [name, { id, def, sealed }] of fieldsOf(kindId)) {
    if (def.hidden || sealed || id === 'parameters') continue;
    const value = record[id] ?? null;
    if (!jsonEqual(value, defaultOf({ section, kindId, id: record.id }, name))) entry[name] = value;
  }
  return entry;
}

/** The shared parameters that were defined in the body of the only kind or link type that has them. */
function inlineParameters({ kinds, linkTypes, parameters }: Model): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  const use = (id: string, owner: string) => users.set(id, [...(users.get(id) ?? []), owner]);
  for (const kind of kinds.values()) {
    if (kind.builtIn) continue;
    for (const id of kind.parameters) {
      if (kind.fields.get(id)?.def.ownKind === undefined) use(id, parameterOwner('kind', kind.id));
    }
  }
  for (const { id: linkId, parameters: names } of linkTypes.values()) {
    for (const id of names) use(id, parameterOwner('link', linkId));
  }
  const isInline = ([id, [owner, ...others]]: [string, string[]]) =>
    owner !== undefined && others.length === 0 && parameters.get(id)?.definedIn?.includes(owner) === true;
  return new Set([...users].filter(isInline).map(([id]) => id));
}

function sorted(entries: readonly (readonly [string, Json])[]): FileObject {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
