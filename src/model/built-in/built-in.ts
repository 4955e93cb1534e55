/**
 * The built-in model as a value. Provisioning creates its tables with the same diff and DDL as changes by users; a test
 * compares a provisioned project with it.
 */
import type { Json } from '../../shared/json.js';
import { builtInField as field, constantField, UNIT_FIELDS } from '../field.js';
import type { Field, KeySource, KindDef, Originals } from '../model.js';
import type { ParameterSetting } from '../parameter-setting/parameter-setting.js';
import { SETTING_LIST, settingName } from '../parameter-setting/parameter-settings.js';
import {
  MEMBER_FIELDS,
  MEMBER_STRUCT,
  OWN_RECORD_NAMES,
  SESSION_NAMES,
  CREDENTIAL_FIELDS,
  API_KEY_FIELDS,
  PASSKEY_FIELDS,
} from './member-fields.js';
import { MOST_DAYS } from '../changes.js';
import { MEMBER_GROUP, PARAMETER_GROUP } from '../model.js';
import { FILE_FIELDS, FILE_FIELDS_OF_OWNERS, FILE_NAMES } from './file-fields.js';
import { IDENTITY_FIELDS, IDENTITY_KEY, IDENTITY_PROVIDER_FIELDS } from './identity-fields.js';
import { WEBHOOK_FIELDS } from './webhook-fields.js';
import type { ParameterTypeId } from '../parameter-type/parameter-types.js';
import { fieldAccessType } from '../parameter-type/field-access.js';
import type { ParameterType } from '../parameter-type/parameter-type.js';
import { PARAMETER_TYPES } from '../parameter-type/type-by-id.js';
import {
  ADMIN_KIND,
  API_KEY_KIND,
  CREDENTIAL_KIND,
  FILE_KIND,
  GROUP_KIND,
  IDENTITY_KIND,
  IDENTITY_PROVIDER_KIND,
  KIND_KIND,
  LINK_KIND,
  LINK_TYPE,
  PASSKEY_KIND,
  NO_TRAITS,
  WEBHOOK_KIND,
  type BuiltInTraits,
} from '../built-in-traits.js';

/**
 * Raise it whenever the tables of the built-in model change, or the indexes of all kinds, so that existing projects are
 * upgraded. A release with an older one does not start on a database any more.
 */
export const BUILT_IN_VERSION = 15;

export interface BuiltInKind {
  readonly id: string;
  readonly label: string;
  readonly table: string;
  readonly discriminated: boolean;
  readonly key: KeySource;
  /** Without id, kind_id, metadata, inserted_at and updated_at, which every kind has. */
  readonly fields: readonly Field[];
  readonly traits: BuiltInTraits;
  /** Lists of fields whose values are unique together. */
  readonly unique?: readonly (readonly string[])[];
  /** Of an extensible one: ids that parameters of projects may not have, beside those of its fields. */
  readonly reserved?: readonly string[];
}

/** The table that all parameter types share. */
export const PARAMETER_TABLE = '_parameter';

const label = field({ id: 'label', type: 'string', label: 'Label', nullable: false, maxLength: 500 });
const keyLabel = field({ id: 'label', type: 'string', label: 'Label', nullable: false, default: '', maxLength: 500 });
const flag = (id: string, text: string, value = false) =>
  field({ id, type: 'boolean', label: text, nullable: false, default: value });

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
  // A filter names parameters and values that not everyone may read.
  field({ id: 'checks', type: 'json', label: 'Checks', nullable: true, default: [] }, { revealing: 'rights' }),
  access,
  field({ id: 'accepted', type: 'json', label: 'Accepted access', nullable: true }, { revealing: 'rights' }),
  field({ id: 'changes', type: 'string', label: 'Changes', nullable: false, default: 'none' }),
  field({
    id: 'history_keep',
    type: 'integer',
    label: 'Days of history',
    nullable: true,
    minValue: 1,
    maxValue: MOST_DAYS,
  }),
];

const GROUP_FIELDS: readonly Field[] = [
  label,
  field({ id: 'description', type: 'text', label: 'Description', nullable: false, default: '' }),
  field({ id: 'kind_list', type: 'string', label: 'Kinds', multiple: true, nullable: false, default: [] }),
];

/** The fields of parameters that are no settings; `persistence` says the same as `only_run_time`. */
const OTHER_FIELDS: readonly Field[] = [
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
];

function parameterFields(id: ParameterTypeId, { fields }: ParameterType): readonly Field[] {
  const [first, ...others] = SETTING_LIST.flatMap(([setting, { unset, isOwn, isShownByAll, ...spec }]) => {
    if (!isOwn || fields.includes(setting)) return [settingField(settingName(setting, id), id, { unset, ...spec })];
    return isShownByAll ? [constantField(setting, (unset ?? null) as Json)] : [];
  });
  return [...(first ? [first] : []), ...OTHER_FIELDS, ...others];
}

function settingField(
  id: string,
  of: ParameterTypeId,
  { unset, field: { type, ...spec }, stored }: Pick<ParameterSetting, 'unset' | 'field' | 'stored'>,
): Field {
  if (type === 'boolean') return flag(id, spec.label, unset === true);
  if (type !== 'access') return field({ id, type: type === 'own' ? of : type, ...spec }, stored);
  return field({ id, type: 'string', ...spec }, { type: fieldAccessType, json: fieldAccessType.json, ...stored });
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

/** Members have the API keys, passkeys and identities of their own; administrators pass every rule. */
const OWN = ['eq(member,@member.id)'];
/** Files are of the members who have made them, and those read them too who may read what uses them. */
const OWN_FILE = ['eq(owner,@member.id)'];

const FILE_TRAITS: BuiltInTraits = {
  extensible: true,
  contents: true,
  public: true,
  levels: { create: 'member', link: 'member', function: 'member' },
  rules: { read: [...OWN_FILE, 'referred()'], update: OWN_FILE, delete: OWN_FILE },
};

/** In the order in which lists show them. */
export const BUILT_IN_KINDS: readonly BuiltInKind[] = [
  builtInKind(KIND_KIND, 'Kind', 'identifier', KIND_FIELDS, {
    holdsKinds: true,
    changes: 'history',
    neverNobody: ['read', 'update'],
    existsCode: 'kind.exists',
  }),
  builtInKind(GROUP_KIND, 'Group', 'identifier', GROUP_FIELDS, { changes: 'history', existsCode: 'group.exists' }),
  builtInKind(LINK_KIND, 'Link', 'identifier', [label, parameterList, access], {
    changes: 'history',
    existsCode: 'link.exists',
  }),
  ...[...PARAMETER_TYPES].map(([id, type]) => ({
    id,
    label: type.label,
    table: PARAMETER_TABLE,
    discriminated: true,
    key: 'identifier' as const,
    fields: parameterFields(id, type),
    traits: { changes: 'history', existsCode: 'parameter.exists' } as const,
  })),
  builtInKind(CREDENTIAL_KIND, 'System user', 'uuid', CREDENTIAL_FIELDS, { sealed: true }),
  builtInKind(ADMIN_KIND, 'Administrator', 'uuid', [], {
    levels: { read: 'admin' },
    closed: ['signup'],
    changes: 'feed',
  }),
  builtInKind(API_KEY_KIND, 'API key', 'uuid', [keyLabel, ...API_KEY_FIELDS], {
    rules: { read: OWN, create: OWN, update: OWN, delete: OWN },
    notByKeys: ['create', 'update'],
    alone: true,
    secret: 'secret',
  }),
  builtInKind(PASSKEY_KIND, 'Passkey', 'uuid', [keyLabel, ...PASSKEY_FIELDS], {
    rules: { read: OWN, update: OWN, delete: OWN },
    // They are made by POST /auth/passkey alone.
    closed: ['create'],
    alone: true,
  }),
  builtInKind(IDENTITY_PROVIDER_KIND, 'Identity provider', 'identifier', IDENTITY_PROVIDER_FIELDS, {
    levels: { read: 'admin' },
    administratorsOnly: true,
    notByKeys: ['create', 'update', 'delete'],
    alone: true,
    existsCode: 'provider.exists',
  }),
  {
    ...builtInKind(IDENTITY_KIND, 'Identity', 'uuid', IDENTITY_FIELDS, {
      rules: { read: OWN, delete: OWN },
      // They are made, and used, by who comes back from an identity provider.
      closed: ['create', 'update'],
      alone: true,
    }),
    unique: [[...IDENTITY_KEY]],
  },
  builtInKind(WEBHOOK_KIND, 'Webhook', 'identifier', [keyLabel, ...WEBHOOK_FIELDS], {
    levels: { read: 'admin' },
    administratorsOnly: true,
    changes: 'history',
    existsCode: 'webhook.exists',
    secret: 'secret',
  }),
  { ...builtInKind(FILE_KIND, 'File', 'uuid', FILE_FIELDS, FILE_TRAITS), reserved: FILE_NAMES },
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
    reserved: [...SESSION_NAMES, ...OWN_RECORD_NAMES],
    struct: MEMBER_STRUCT,
  },
];

/** The fields that groups add to their kinds. */
export function grantedFields(groups: readonly string[]): Field[] {
  return BUILT_IN_GROUPS.filter(({ id }) => groups.includes(id)).flatMap(({ grants }) => grants);
}

const BY_ID: ReadonlyMap<string, BuiltInKind> = new Map(BUILT_IN_KINDS.map((kind) => [kind.id, kind]));

/** The built-in kind of a record: its list of parameters names `id`, as that of no other kind can. */
export function builtInKindOf(
  { id, parameters }: { id: string; parameters: readonly string[] },
  originals: Originals = 'all',
): BuiltInKind | undefined {
  const kind = parameters.includes('id') ? BY_ID.get(id) : undefined;
  return kind?.traits.contents && originals === 'owner' ? { ...kind, fields: FILE_FIELDS_OF_OWNERS } : kind;
}

/** The built-in kind that a kind extends. */
export function extendedKind({ traits, id }: Pick<KindDef, 'traits' | 'id'>): BuiltInKind | undefined {
  return traits.extensible ? BY_ID.get(id) : undefined;
}

/** The names in a record's list of parameters that are no parameters. */
export function grantedNames(kind: Pick<KindDef, 'traits' | 'id'>, groups: readonly string[]): string[] {
  const builtIn = extendedKind(kind);
  return [...(builtIn ? builtInParameters(builtIn) : []), ...grantedFields(groups).map((field) => field.id)];
}

/** The list `parameters` in the record of a kind with parameters of its own: what is granted, then these. */
export function listedParameters(
  kind: Pick<KindDef, 'traits' | 'id'>,
  groups: readonly string[],
  own: readonly string[],
): string[] {
  const granted = grantedNames(kind, groups);
  return [...granted, ...own.filter((id) => !granted.includes(id))];
}

/** The list `parameters` in a built-in kind's record: all fields but hidden ones and those that only records have. */
export function builtInParameters(kind: BuiltInKind): string[] {
  const granted = BUILT_IN_GROUPS.filter((group) => group.kinds.includes(kind.id)).flatMap((group) => group.grants);
  const own = [...granted, ...kind.fields].filter((field) => !field.recordOnly && !field.def.hidden);
  const [id, kindId, ...rest] = UNIT_FIELDS;
  return [id, kindId, ...own.map((field) => field.id), ...rest];
}

export const BUILT_IN_LINK_TYPES: readonly { readonly id: string; readonly label: string }[] = [
  { id: LINK_TYPE, label: 'Link' },
];

const RESERVED = ['auth', 'doc', 'unit', 'struct', 'function', 'project', 'model'];

/** The kinds that only the system can use. */
export const SEALED_KINDS: readonly string[] = BUILT_IN_KINDS.filter(({ traits }) => traits.sealed).map(({ id }) => id);

/** The fields of built-in kinds that projects extend. */
export const EXTENDED_FIELDS: readonly Field[] = BUILT_IN_KINDS.flatMap(({ traits, fields }) => {
  return traits.extensible ? fields : [];
});

/** The built-in kinds that are the same in every project. */
export const FIXED_KINDS: readonly string[] = BUILT_IN_KINDS.filter(({ traits }) => !traits.extensible).map(
  ({ id }) => id,
);

/** Ids of kinds that no module of a project serves. */
export const SYSTEM_KINDS: ReadonlySet<string> = new Set([...RESERVED, ...FIXED_KINDS]);

/** Ids that users' kinds may not have. */
export const RESERVED_KINDS: ReadonlySet<string> = new Set([...RESERVED, ...BUILT_IN_KINDS.map((kind) => kind.id)]);
