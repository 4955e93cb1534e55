/**
 * The built-in model as a value. Provisioning creates its tables with the same diff and DDL as changes by users; a test
 * compares a provisioned project with it.
 */
import type { Json } from '../../shared/json.js';
import { builtInField as field, constantField } from '../field.js';
import type { Field, KeySource } from '../model.js';
import { MEMBER_FIELDS, MEMBER_STRUCT, SESSION_NAMES } from './member-fields.js';
import { MEMBER_GROUP, PARAMETER_GROUP } from '../model.js';
import { DELETE_RULES, LEVELS } from '../parameter-type/parameter-settings.js';
import { SEARCH_CONFIGURATIONS } from '../parameter-type/text-search.js';
import type { ParameterTypeId } from '../parameter-type/parameter-types.js';
import { fieldAccessType } from '../parameter-type/field-access.js';
import type { OwnField, ParameterType } from '../parameter-type/parameter-type.js';
import { PARAMETER_TYPES } from '../parameter-type/type-by-id.js';
import {
  ADMIN_KIND,
  API_KEY_KIND,
  CREDENTIAL_KIND,
  GROUP_KIND,
  KIND_KIND,
  LINK_KIND,
  LINK_TYPE,
  NO_TRAITS,
  type BuiltInTraits,
} from '../built-in-traits.js';
import { API_KEY_FIELDS } from './api-key-fields.js';
import { CREDENTIAL_FIELDS } from './credential-fields.js';

/**
 * Raise it whenever the tables of the built-in model change, or the indexes of all kinds, so that existing projects are
 * upgraded. A release with an older one does not start on a database any more.
 */
export const BUILT_IN_VERSION = 1;

export interface BuiltInKind {
  readonly id: string;
  readonly label: string;
  readonly table: string;
  readonly discriminated: boolean;
  readonly key: KeySource;
  /** Without id, kind_id, metadata, inserted_at and updated_at, which every kind has. */
  readonly fields: readonly Field[];
  readonly traits: BuiltInTraits;
}

/** The table that all parameter types share. */
export const PARAMETER_TABLE = '_parameter';

const label = field({ id: 'label', type: 'string', label: 'Label', nullable: false, maxLength: 500 });
const keyLabel = field({ id: 'label', type: 'string', label: 'Label', nullable: false, default: '', maxLength: 500 });
const flag = (id: string, text: string, value = false) =>
  field({ id, type: 'boolean', label: text, nullable: false, default: value });
const level = (id: string, text: string) =>
  field(
    { id, type: 'string', label: text, helperText: `${LEVELS.join(', ')}, a rule over the unit, or a list of rules` },
    { type: fieldAccessType, json: fieldAccessType.json, revealing: 'rights' },
  );

const parameterList = field({
  id: 'parameters',
  type: 'string',
  label: 'Parameters',
  multiple: true,
  nullable: false,
  default: [],
});

const access = field({ id: 'access', type: 'json', label: 'Access', nullable: true }, { revealing: 'rights' });

const KIND_FIELDS: readonly Field[] = [
  constantField('type', KIND_KIND),
  label,
  flag('active', 'Active', true),
  field({ id: 'remote', type: 'boolean', label: 'Remote', nullable: false, required: true, default: false }),
  flag('public', 'Public'),
  parameterList,
  field({ id: 'unique', type: 'json', label: 'Unique together', nullable: false, default: [] }),
  field({ id: 'indexes', type: 'json', label: 'Indexes', nullable: false, default: [] }),
  access,
];

const GROUP_FIELDS: readonly Field[] = [
  label,
  field({ id: 'description', type: 'text', label: 'Description', nullable: false, default: '' }),
  field({ id: 'kind_list', type: 'string', label: 'Kinds', multiple: true, nullable: false, default: [] }),
];

const OWN_FIELDS: Readonly<Record<OwnField, (type: ParameterTypeId) => Field>> = {
  default: (type) =>
    field(
      { id: `default_${type}`, type, label: 'Default' },
      { column: 'default_value', storedAs: 'json', revealing: 'values' },
    ),
  min_length: () =>
    field({ id: 'min_length', type: 'integer', label: 'Shortest', minValue: 0 }, { revealing: 'values' }),
  max_length: () =>
    field({ id: 'max_length', type: 'integer', label: 'Longest', minValue: 0 }, { revealing: 'values' }),
  min_value: (type) => field({ id: 'min_value', type, label: 'Smallest' }, { storedAs: 'json', revealing: 'values' }),
  max_value: (type) => field({ id: 'max_value', type, label: 'Largest' }, { storedAs: 'json', revealing: 'values' }),
  scale: () => field({ id: 'scale', type: 'integer', label: 'Decimals', minValue: 0, maxValue: 1000 }),
  strip: () => flag('strip', 'Strip white space'),
  values: () => field({ id: 'values', type: 'json', label: 'Allowed values' }, { revealing: 'values' }),
  pattern: () => field({ id: 'pattern', type: 'string', label: 'Pattern', maxLength: 500 }, { revealing: 'values' }),
  search: () => field({ id: 'search', type: 'string', label: 'Search', values: SEARCH_CONFIGURATIONS }),
  reference_kind: () =>
    field({ id: 'reference_kind', type: 'string', label: 'Referenced kind', required: true, nullable: false }),
  on_delete: () =>
    field({
      id: 'on_delete',
      type: 'string',
      label: 'On delete',
      values: DELETE_RULES,
      default: 'restrict',
      nullable: false,
    }),
};

/** Fields in the records of all types, with their value for types that do not have them. */
const ALWAYS_SHOWN: readonly [OwnField, Json][] = [
  ['min_length', null],
  ['max_length', null],
  ['strip', false],
  ['values', null],
];

function parameterFields(id: ParameterTypeId, type: ParameterType): readonly Field[] {
  return [
    label,
    field({
      id: 'format',
      type: 'string',
      label: 'Format',
      nullable: false,
      default: 'attribute',
      values: ['attribute'],
    }),
    field({
      id: 'persistence',
      type: 'string',
      label: 'Persistence',
      nullable: false,
      default: 'kind_parameter',
      values: ['kind_parameter', 'run_time'],
    }),
    field({ id: 'helper_text', type: 'text', label: 'Helper text' }),
    ...type.fields.map((name) => OWN_FIELDS[name](id)),
    ...ALWAYS_SHOWN.filter(([own]) => !type.fields.includes(own)).map(([own, value]) => constantField(own, value)),
    flag('multiple', 'Multiple'),
    flag('nullable', 'Nullable', true),
    flag('only_run_time', 'Only at run time'),
    flag('is_primary', 'Primary'),
    flag('required', 'Required'),
    flag('unique', 'Unique'),
    flag('indexed', 'Indexed'),
    flag('hidden', 'Hidden'),
    flag('write_once', 'Write once'),
    level('read_access', 'Read access'),
    level('write_access', 'Write access'),
  ];
}

const builtInKind = (
  id: string,
  text: string,
  key: KeySource,
  fields: readonly Field[],
  traits: BuiltInTraits = NO_TRAITS,
): BuiltInKind => ({
  id,
  label: text,
  table: id,
  discriminated: false,
  key,
  fields,
  traits,
});

/** Members have the API keys of their own; administrators pass every rule. */
const OWN_KEY = 'eq(member,@member.id)';

/** In the order in which lists show them. */
export const BUILT_IN_KINDS: readonly BuiltInKind[] = [
  builtInKind(KIND_KIND, 'Kind', 'identifier', KIND_FIELDS, {
    holdsKinds: true,
    neverNobody: ['read', 'update'],
    existsCode: 'kind.exists',
  }),
  builtInKind(GROUP_KIND, 'Group', 'identifier', GROUP_FIELDS, { existsCode: 'group.exists' }),
  builtInKind(LINK_KIND, 'Link', 'identifier', [label, parameterList, access], { existsCode: 'link.exists' }),
  ...[...PARAMETER_TYPES].map(([id, type]) => ({
    id,
    label: type.label,
    table: PARAMETER_TABLE,
    discriminated: true,
    key: 'identifier' as const,
    fields: parameterFields(id, type),
    traits: { existsCode: 'parameter.exists' } as const,
  })),
  builtInKind(CREDENTIAL_KIND, 'System user', 'uuid', CREDENTIAL_FIELDS, { sealed: true }),
  builtInKind(ADMIN_KIND, 'Administrator', 'uuid', [], { levels: { read: 'admin' }, closed: ['signup'] }),
  builtInKind(API_KEY_KIND, 'API key', 'uuid', [keyLabel, ...API_KEY_FIELDS], {
    rules: { read: OWN_KEY, create: OWN_KEY, update: OWN_KEY, delete: OWN_KEY },
    notByKeys: ['create', 'update'],
    secret: 'secret',
  }),
];

interface BuiltInGroup {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly kinds: readonly string[];
  /** Fields that the group adds to its kinds. */
  readonly grants: readonly Field[];
  /** Ids that parameters of these kinds may not have, beside those of granted fields. */
  readonly reserved: readonly string[];
  /** What a struct shows in place of granted fields. */
  readonly struct: readonly Field[];
}

export const BUILT_IN_GROUPS: readonly BuiltInGroup[] = [
  {
    id: PARAMETER_GROUP,
    label: 'Parameter types',
    description: 'The types of which parameters are made',
    kinds: [...PARAMETER_TYPES.keys()],
    grants: [],
    reserved: [],
    struct: [],
  },
  {
    id: MEMBER_GROUP,
    label: 'Member kinds',
    description: 'Kinds whose units are members, who can sign in',
    kinds: [ADMIN_KIND],
    grants: MEMBER_FIELDS,
    reserved: SESSION_NAMES,
    struct: MEMBER_STRUCT,
  },
];

/** The fields that groups add to their kinds. */
export function grantedFields(groups: readonly string[]): Field[] {
  return BUILT_IN_GROUPS.filter(({ id }) => groups.includes(id)).flatMap(({ grants }) => grants);
}

/** The list `parameters` in the record of a user's kind: fields granted by groups, then its own parameters. */
export function listedParameters(groups: readonly string[], own: readonly string[]): string[] {
  const granted = grantedFields(groups).map(({ id }) => id);
  return [...granted, ...own.filter((id) => !granted.includes(id))];
}

export const BUILT_IN_LINK_TYPES: readonly { readonly id: string; readonly label: string }[] = [
  { id: LINK_TYPE, label: 'Link' },
];

const RESERVED = ['auth', 'doc', 'unit', 'struct', 'function', 'project'];

/** The kinds that only the system can use. */
export const SEALED_KINDS: readonly string[] = BUILT_IN_KINDS.filter(({ traits }) => traits.sealed).map(({ id }) => id);

/** Ids that users' kinds may not have. */
export const RESERVED_KINDS: ReadonlySet<string> = new Set([...RESERVED, ...BUILT_IN_KINDS.map((kind) => kind.id)]);
