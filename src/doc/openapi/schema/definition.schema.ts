/**
 * Schemas of fields of built-in kinds whose definitions do not describe them completely: ids, lists of ids, rules.
 * Pure.
 */
import { SCOPED_OPERATIONS } from '../../../access/key-scope.js';
import { checkParameter, emptyDefinition } from '../../../model/check/check-parameter.js';
import { RESERVED_KINDS } from '../../../model/built-in/built-in.js';
import { isMemberKind, RESERVED_GROUPS, RESERVED_LINK_TYPES, type Field, type KindDef } from '../../../model/model.js';
import type { ParameterDef } from '../../../model/parameter-type/parameter-def.js';
import { LEVELS } from '../../../model/access-levels.js';
import { CHANGES, MOST_DAYS } from '../../../model/changes.js';
import { SETTING_LIST } from '../../../model/parameter-setting/parameter-settings.js';
import type { ParameterTypeId } from '../../../model/parameter-type/parameter-types.js';
import { isParameterTypeId, parameterType } from '../../../model/parameter-type/type-by-id.js';
import { PatternChecks } from '../../../model/check/pattern-checks.js';
import {
  API_KEY_KIND,
  WEBHOOK_KIND,
  GROUP_KIND,
  IDENTITY_PROVIDER_KIND,
  KIND_KIND,
  LINK_KIND,
  LINK_OPERATIONS,
  OPERATIONS,
} from '../../../model/built-in-traits.js';
import { Faults } from '../../../shared/errors.js';
import { IDENTIFIER } from '../../../shared/identifiers.js';
import { LIMITS } from '../../../shared/limits.js';
import { schemaRef, type Schema } from '../openapi.js';
import { inputValue } from './value.schema.js';
import { EMAIL_PATTERN } from '../../../shared/email.js';
import { RESERVED_PARAMETERS } from '../../../model/field.js';

/** The settings of a parameter that the service refuses together (`model/parameter-setting/`). */
interface Setting {
  readonly field: string;
  readonly value: Schema;
  readonly words: string;
  /** A new parameter without the field has this value. */
  readonly byDefault?: true;
}

const setting = (field: string, value: string | boolean = true): Setting => ({
  field,
  value: { const: value },
  words: value === true ? `\`${field}\`` : `\`${field}: ${value}\``,
});

const primary = setting('is_primary');
const multiple = setting('multiple');
const single: Setting = { ...setting('multiple', false), words: 'no `multiple`', byDefault: true };
const unique = setting('unique');
const once = setting('write_once');
const hidden = setting('hidden');
const search: Setting = { ...setting('search'), value: { type: 'string' } };
const setNull = setting('on_delete', 'set_null');
const ruled: Setting = {
  ...setting('read_access'),
  value: { not: { enum: [...LEVELS, null] } },
  words: 'a rule in `read_access`',
};
const notStored = [setting('only_run_time'), setting('persistence', 'run_time')];

const TOGETHER: readonly (readonly Setting[])[] = [
  ...[multiple, hidden, ruled, ...notStored].map((other) => [primary, other]),
  ...notStored.flatMap((other) => [
    [unique, single, other],
    ...[setting('indexed'), once, search].map((each) => [each, other]),
  ]),
  ...[multiple, primary, setting('required'), ...notStored].map((other) => [setting('sequence'), other]),
  [search, multiple],
  [search, hidden],
  [setNull, once],
  [setNull, setting('nullable', false)],
  [setting('only_run_time'), setting('persistence', 'kind_parameter')],
  [setting('only_run_time', false), setting('persistence', 'run_time')],
];

const TEXTS = TOGETHER.map((settings) => settings.map(({ words }) => words).join(' with '));

/** What no body of a parameter matches, whatever its type. */
const CONTRADICTION: Schema = {
  type: 'object',
  description: `Refused together: ${TEXTS.join('; ')}.`,
  anyOf: TOGETHER.map((settings) => allOf(settings, false)),
};

/** The part of the schema of a body that refuses contradictions. An edit may name a setting without the other. */
export function withoutContradictions(type: ParameterTypeId, create: boolean): Schema {
  const { fields, sortable } = parameterType(type);
  const given = (value: Schema): Setting => ({ field: `default_${type}`, value, words: '' });
  const own = [
    ...(create ? TOGETHER.filter((settings) => settings.some(({ byDefault }) => byDefault)) : []),
    ...(sortable ? [] : [[unique, single]]),
    ...(fields.includes('default') ? [[multiple, given({ not: { type: ['array', 'null'] } })]] : []),
    ...(fields.includes('default') && type !== 'json' ? [[single, given({ type: 'array' })]] : []),
  ];
  const ofAll = schemaRef('kind_contradiction');
  return { not: own.length === 0 ? ofAll : { anyOf: [ofAll, ...own.map((settings) => allOf(settings, create))] } };
}

function allOf(settings: readonly Setting[], create: boolean): Schema {
  return {
    properties: Object.fromEntries(settings.map(({ field, value }) => [field, value])),
    required: settings.filter(({ byDefault }) => !create || !byDefault).map(({ field }) => field),
  };
}

const IDENTIFIER_SCHEMA: Schema = { type: 'string', pattern: IDENTIFIER.source };
const IDENTIFIERS: Schema = { type: 'array', items: schemaRef('kind_identifier'), uniqueItems: true };

/** A rule is a filter, so it contains a parenthesis. */
const RULE: Schema = {
  type: 'string',
  pattern: '\\(',
  description:
    'A filter over the unit. `@member.id` and `@member.<parameter>` are of the member who sends the request; in `update` and `write_access`, `@before.<parameter>` is the stored value.',
  examples: ['eq(owner,@member.id)', 'eq(@member.role,editor)', 'or(eq(state,draft),eq(team.lead,@member.id))'],
};

/** Shared schemas of definitions. */
export const DEFINITION_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_identifier: IDENTIFIER_SCHEMA,
  kind_metadata: { type: 'object', description: 'Whatever is to be kept with it.', additionalProperties: true },
  kind_access: {
    type: 'object',
    description: `Who may do what with units of the kind. What is left out has its default. A level is one of ${LEVELS.join(', ')}: everybody, members, administrators, no request. Administrators pass every rule.`,
    examples: [
      { read: 'anyone', create: 'member', update: 'eq(owner,@member.id)', delete: 'admin' },
      { read: ['eq(owner,@member.id)', 'eq(@member.role,agent)'], create: 'eq(owner,@member.id)' },
    ],
    properties: Object.fromEntries(OPERATIONS.map((operation) => [operation, schemaRef('kind_access_level')])),
    additionalProperties: false,
  },
  kind_accepted: {
    type: 'object',
    description:
      'Why others are meant to do an operation, for the report of access. What is said of an operation goes when its access changes.',
    properties: Object.fromEntries(
      OPERATIONS.map((operation) => [operation, { type: 'string', minLength: 1, maxLength: LIMITS.acceptedLength }]),
    ),
    additionalProperties: false,
  },
  kind_link_access: {
    type: 'object',
    description:
      "Who may create (and change the values of) and delete links of the type, in place of the right `link` of the parent's kind, which decides what is left out. Paths in rules begin with `parent.` or `child.`.",
    properties: Object.fromEntries(LINK_OPERATIONS.map((operation) => [operation, schemaRef('kind_access_level')])),
    additionalProperties: false,
  },
  kind_access_level: {
    description: 'A level, a rule, or a list of rules of which any lets in.',
    anyOf: [
      { type: 'string', enum: LEVELS },
      RULE,
      { type: 'array', items: RULE, minItems: 1, maxItems: LIMITS.accessRules },
    ],
  },
  kind_transitions: {
    type: 'object',
    description:
      'From each value the values that may follow it, under `initial` those of new units. `when` is a level, or rules over the stored unit.',
    additionalProperties: {
      type: 'array',
      maxItems: LIMITS.transitions,
      items: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            properties: { to: { type: 'string' }, when: schemaRef('kind_access_level') },
            required: ['to'],
            additionalProperties: false,
          },
        ],
      },
    },
  },
  kind_key_scope: {
    type: 'array',
    description: 'What an API key may do at most: these operations on units of these kinds.',
    maxItems: LIMITS.scopeParts,
    items: {
      type: 'object',
      properties: {
        kinds: { type: 'array', items: schemaRef('kind_identifier'), minItems: 1, maxItems: LIMITS.scopeKinds },
        operations: {
          type: 'array',
          items: { type: 'string', enum: SCOPED_OPERATIONS },
          minItems: 1,
          maxItems: SCOPED_OPERATIONS.length,
        },
      },
      required: ['kinds', 'operations'],
      additionalProperties: false,
    },
  },
  kind_contradiction: CONTRADICTION,
  kind_checks: {
    type: 'array',
    description:
      'Conditions that each unit satisfies, over parameters of its own. A comparison with null is unknown, as in SQL, and what is unknown passes.',
    items: {
      type: 'object',
      properties: {
        id: schemaRef('kind_identifier'),
        filter: { type: 'string', description: 'As `lte_field(starts,ends)`.' },
        text: { type: 'string', minLength: 1, maxLength: LIMITS.checkTextLength, description: 'What a refusal says.' },
      },
      required: ['id', 'filter', 'text'],
      additionalProperties: false,
    },
    maxItems: LIMITS.checksPerKind,
  },
  kind_parameter_lists: {
    type: 'array',
    items: { ...IDENTIFIERS, minItems: 1, maxItems: LIMITS.listedColumns },
    uniqueItems: true,
    maxItems: LIMITS.columnLists,
  },
};

/** Schemas by `kind.field`, for bodies and answers. */
const FIELD_SCHEMAS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  [`${KIND_KIND}.parameters`, IDENTIFIERS],
  [`${KIND_KIND}.unique`, schemaRef('kind_parameter_lists')],
  [`${KIND_KIND}.indexes`, schemaRef('kind_parameter_lists')],
  [`${KIND_KIND}.checks`, schemaRef('kind_checks')],
  [`${KIND_KIND}.access`, schemaRef('kind_access')],
  [`${KIND_KIND}.accepted`, schemaRef('kind_accepted')],
  [
    `${KIND_KIND}.changes`,
    { type: 'string', enum: CHANGES, description: 'What is recorded of the changes of its units.' },
  ],
  [
    `${KIND_KIND}.history_keep`,
    {
      type: 'integer',
      minimum: 1,
      maximum: MOST_DAYS,
      description: 'Days for which its history is kept; null for ever.',
    },
  ],
  [`${LINK_KIND}.parameters`, IDENTIFIERS],
  [`${LINK_KIND}.access`, schemaRef('kind_link_access')],
  [`${GROUP_KIND}.kind_list`, IDENTIFIERS],
  [`${API_KEY_KIND}.scope`, schemaRef('kind_key_scope')],
  [
    `${IDENTITY_PROVIDER_KIND}.claims`,
    {
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: LIMITS.claimName },
      description: 'Names of claims by the parameters of new members that they fill: those that a sign-up may give.',
    },
  ],
  [`${WEBHOOK_KIND}.headers`, schemaRef('kind_webhook_headers')],
]);

/** The schema of a field in answers; undefined if its definition describes it. */
export function outputFieldSchema(kind: KindDef, { id, constant }: Field): Schema | undefined {
  if (id === 'metadata') return schemaRef('kind_metadata');
  if (!kind.builtIn) return undefined;
  if (isParameterTypeId(kind.id)) {
    if (id === 'reference_kind') return schemaRef('kind_identifier');
    if (id === 'read_access' || id === 'write_access') return schemaRef('kind_access_level');
    if (id === 'transitions') return schemaRef('kind_transitions');
    if (id === 'accept') return ACCEPTED_TYPES;
    if (id === 'values' && constant === undefined) return allowedValues(kind.id);
  }
  return FIELD_SCHEMAS.get(`${kind.id}.${id}`);
}

/** The schema of a field in bodies; undefined if its definition describes it. */
export function inputFieldSchema(kind: KindDef, field: Field, create: boolean): Schema | undefined {
  const { id } = field;
  if (create && kind.key === 'identifier' && id === 'id') return newIdSchema(kind);
  if (isMemberKind(kind) && id === 'email') return { ...inputValue(field), pattern: EMAIL_PATTERN };
  if (kind.builtIn && kind.id === WEBHOOK_KIND && id === 'operations') return { ...inputValue(field), minItems: 1 };
  if (kind.builtIn && isParameterTypeId(kind.id)) {
    if (neverAllows(kind.id, id)) return { type: 'boolean', const: false };
    if (id === 'persistence' && neverAllows(kind.id, 'only_run_time'))
      return { type: 'string', const: 'kind_parameter' };
  }
  return outputFieldSchema(kind, field);
}

/** The id of a new definition, which must not be reserved. */
function newIdSchema(kind: KindDef): Schema {
  const reserved = RESERVED_IDS.get(kind.id) ?? RESERVED_PARAMETERS;
  const system = { pattern: '^kind_' };
  return { ...IDENTIFIER_SCHEMA, not: { anyOf: [{ enum: [...reserved] }, system] } };
}

const RESERVED_IDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [KIND_KIND, RESERVED_KINDS],
  [GROUP_KIND, RESERVED_GROUPS],
  [LINK_KIND, RESERVED_LINK_TYPES],
]);

const ACCEPTED_TYPES: Schema = {
  type: 'array',
  items: { type: 'string', pattern: '^[a-z0-9][a-z0-9!#$&^_.+-]*/([a-z0-9][a-z0-9!#$&^_.+-]*|\\*)$' },
  minItems: 1,
  maxItems: LIMITS.acceptedTypes,
  uniqueItems: true,
  description: 'The media types of the files that the reference takes, such as `image/png` or `image/*`.',
};

/** The allowed values of a parameter have its type. */
function allowedValues(type: ParameterTypeId): Schema {
  const items = { type: parameterType(type).schema['type'] };
  return { type: 'array', items, minItems: 1, maxItems: LIMITS.allowedValues, uniqueItems: true };
}

/** Whether no parameter of a type can have a flag, with one value or with a list. */
function neverAllows(type: ParameterTypeId, flag: string): boolean {
  const [, setting] = SETTING_LIST.find(([id]) => id === flag) ?? [];
  if (setting?.field.type !== 'boolean') return false;
  return [false, true].every((multiple) => hasFaults(type, { multiple, [setting.key]: true }));
}

function hasFaults(type: ParameterTypeId, flags: Partial<ParameterDef>): boolean {
  const faults = new Faults();
  checkParameter({ ...emptyDefinition('any', type), ...flags }, faults, new PatternChecks());
  return faults.any;
}

/** Requires an id or a label, because either can be derived from the other. */
export const ID_OR_LABEL: Schema = {
  anyOf: [
    { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    { type: 'object', properties: { label: { type: 'string', minLength: 1 } }, required: ['label'] },
  ],
};

/**
 * The list of a kind's or link type's parameters: each entry is an id, or a definition of one of the types (`types`: their schema
 * names).
 */
export function parameterListSchema(types: ReadonlyMap<string, string>, maxItems: number): Schema {
  const definitions = [...types].map(([type, name]) => ({
    allOf: [
      schemaRef(name),
      { type: 'object', properties: { kind_id: { type: 'string', const: type } }, required: ['kind_id'] },
    ],
  }));
  return {
    ...IDENTIFIERS,
    items: { anyOf: [schemaRef('kind_identifier'), ...definitions] },
    maxItems,
  };
}
