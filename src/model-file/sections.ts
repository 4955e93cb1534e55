/** What a model file is made of: its sections, and the fields of their entries, which are those of the API. Pure. */
import { GROUP_KIND, IDENTITY_PROVIDER_KIND, KIND_KIND, LINK_KIND, WEBHOOK_KIND } from '../model/built-in-traits.js';
import { BUILT_IN_GROUPS, BUILT_IN_KINDS } from '../model/built-in/built-in.js';
import { METADATA_FIELD } from '../model/field.js';
import { builtInRecords } from '../model/build/build-model.js';
import type { Field } from '../model/model.js';
import { namedByRecord } from '../shared/identifiers.js';
import type { Json } from '../shared/json.js';
import { settingName } from '../model/parameter-setting/parameter-settings.js';
import { PARAMETER_TYPES } from '../model/parameter-type/type-by-id.js';

export const FORMAT = 'kind-model';
export const FORMAT_VERSION = 1;

/** The sections whose entries are units of one built-in kind, by its id. Parameters have several: one for each type. */
export const SECTION_KINDS = {
  kinds: KIND_KIND,
  groups: GROUP_KIND,
  links: LINK_KIND,
  webhooks: WEBHOOK_KIND,
  identity_providers: IDENTITY_PROVIDER_KIND,
} as const;

export type SectionId = keyof typeof SECTION_KINDS;

export type Section = SectionId | 'parameters';

export const SECTIONS = Object.keys(SECTION_KINDS) as SectionId[];

/** `persistence` says the same as `only_run_time`. */
const WITHOUT: ReadonlySet<string> = new Set(['id', 'kind_id', 'persistence', 'format']);

function isWritten(field: Field): boolean {
  return !field.system && field.constant === undefined && !field.recordOnly && !WITHOUT.has(field.id);
}

const FIELDS: ReadonlyMap<string, ReadonlyMap<string, Field>> = new Map(
  BUILT_IN_KINDS.map(({ id, fields }) => {
    const written = [...fields, METADATA_FIELD].filter(isWritten);
    return [id, new Map(written.map((field) => [fileName(id, field.id), field]))];
  }),
);

/** The fields that an entry of a built-in kind may have, by their names in the file. */
export function fieldsOf(kindId: string): ReadonlyMap<string, Field> {
  return FIELDS.get(kindId) ?? new Map<string, Field>();
}

/** The name in the file of a field of the API: `default_string` is `default`. */
/** The names of the fields of parameters, of whatever type. */
export function fieldsOfAnyType(): ReadonlySet<string> {
  return new Set([...PARAMETER_TYPES.keys()].flatMap((type) => [...fieldsOf(type).keys()]));
}

function fileName(kindId: string, id: string): string {
  return id === settingName('default', kindId) ? 'default' : id;
}

export type FileObject = Readonly<Record<string, Json>>;

interface Named {
  readonly section: Section;
  readonly kindId: string;
  /** Of its record. */
  readonly id: string;
}

/** What a field is where it is left out. */
export function defaultOf({ section, kindId, id }: Named, name: string): Json {
  const builtIn = section === 'parameters' ? undefined : builtInRecord(section, id);
  if (builtIn && name in builtIn) return builtIn[name] ?? null;
  if (name === 'label' && LABELLED.has(section)) return namedByRecord(id).id;
  if (name === 'kind_list' || name === 'parameters') return [];
  return fieldsOf(kindId).get(name)?.def.default ?? null;
}

/** Those that have their id as label where none is given. */
const LABELLED: ReadonlySet<Section> = new Set(['parameters', 'kinds', 'groups', 'links', 'identity_providers']);

/** A built-in definition as a new project has it. */
export function builtInRecord(section: SectionId, id: string): FileObject | undefined {
  return BUILT_IN.get(section)?.get(id);
}

const BUILT_IN: ReadonlyMap<SectionId, ReadonlyMap<string, FileObject>> = (() => {
  const { kinds, links } = builtInRecords();
  const groups = BUILT_IN_GROUPS.map(({ id, label, description }) => ({ id, label, description, kind_list: [] }));
  const byId = (records: readonly { readonly id: string }[]) =>
    new Map(records.map((record) => [record.id, record as unknown as FileObject]));
  return new Map([
    ['kinds', byId(kinds.map((kind) => ({ ...kind, parameters: [] })))],
    ['groups', byId(groups)],
    ['links', byId(links)],
  ]);
})();

/** The name in the API of a field of the file. */
export function apiName(kindId: string, name: string): string {
  return name === 'default' ? settingName('default', kindId) : name;
}
