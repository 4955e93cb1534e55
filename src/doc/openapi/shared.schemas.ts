/** Schemas that every document has: the envelope, its messages, and what is the same in every project; see `names.ts` for their names. Pure. */
import { OPERATIONS } from '../../model/built-in-traits.js';
import { PARAMETER_TYPES } from '../../model/parameter-type/registry.js';
import { ERRORS } from '../../shared/errors.js';
import { DEFINITION_SCHEMAS } from './definition.schema.js';
import { schemaRef, type Schema } from './openapi.js';
import { orNull, TIMESTAMP_SCHEMA } from './value.schema.js';

const STRING: Schema = { type: 'string' };
const FLAG: Schema = { type: 'boolean' };
const UUID: Schema = { type: 'string', format: 'uuid' };
const LENGTH: Schema = { type: ['integer', 'null'], minimum: 0 };

function record(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The content of an answer that shows nothing. */
export const NOTHING: Schema = { type: 'null' };

/** The envelope around a content. */
export function enveloped(content: Schema): Schema {
  return record({ content, messages: schemaRef('kind_no_messages') });
}

/** `{count, items}`: a page of a list. */
export function pageOf(items: Schema): Schema {
  const properties = { count: schemaRef('kind_count'), items: { type: 'array', items }, next: schemaRef('kind_next') };
  return { type: 'object', properties, required: ['count', 'items'], additionalProperties: false };
}

const MESSAGE: Schema = {
  type: 'object',
  properties: {
    code: {
      description: 'Stable, for programs: one of these, or that of a function of the project.',
      anyOf: [schemaRef('kind_error_code'), { type: 'string', pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$' }],
    },
    text: { type: 'string', minLength: 1, description: 'For a person.' },
    parameter: { type: 'string', description: 'The parameter to blame, where one is.' },
    index: { type: 'integer', minimum: 0, description: 'In a bulk write, the object to blame.' },
  },
  required: ['code', 'text'],
  additionalProperties: false,
};

const DESCRIBED: Readonly<Record<string, Schema>> = {
  id: STRING,
  label: STRING,
  type: { type: 'string', enum: [...PARAMETER_TYPES.keys()] },
  default: {},
  helper_text: { type: ['string', 'null'] },
  required: FLAG,
  multiple: FLAG,
  strip: FLAG,
  min_length: LENGTH,
  max_length: LENGTH,
  values: { type: ['array', 'null'], items: {} },
};

const DESCRIPTOR: Schema = {
  ...record(DESCRIBED),
  properties: {
    ...DESCRIBED,
    reference_kind: {
      type: ['string', 'null'],
      description: 'Of a `unit`: the kind that it refers to; null where the caller may do nothing with that one.',
    },
    persistence: { type: 'string', const: 'run_time', description: 'Of the password of members: it is not stored.' },
  },
};

/** Of sign-up, sign-in and refresh; the member's own parameters come along. */
const SESSION: Schema = {
  type: 'object',
  properties: {
    access_token: { type: 'string', description: 'The bearer of later requests.' },
    refresh_token: { type: 'string', description: 'The bearer of `refresh`; good once.' },
    auth_token: { type: 'null' },
    kind_id: STRING,
    kind_system_user: UUID,
    id: UUID,
    email: STRING,
    first_name: STRING,
    last_name: STRING,
    first_access_time: { ...TIMESTAMP_SCHEMA },
    last_access_time: { ...TIMESTAMP_SCHEMA },
    inserted_at: { ...TIMESTAMP_SCHEMA },
    metadata: { type: 'object', additionalProperties: true },
  },
  required: ['access_token', 'refresh_token', 'auth_token', 'kind_id', 'id'],
  additionalProperties: true,
};

const WHEN = orNull({ ...TIMESTAMP_SCHEMA, description: 'Null where the source of a remote kind does not tell.' });

const UNIT: Schema = {
  type: 'object',
  description: 'A unit: these fields, and the parameters of its kind.',
  properties: {
    id: STRING,
    kind_id: STRING,
    metadata: { type: 'object', additionalProperties: true },
    inserted_at: WHEN,
    updated_at: WHEN,
    links: schemaRef('kind_links'),
  },
  additionalProperties: true,
};

const STEP = record({
  link_id: STRING,
  parent_id: STRING,
  child_id: STRING,
  depth: { type: 'integer', minimum: 0, description: '0 for a direct neighbour.' },
});

const LINKED_UNIT: Schema = {
  allOf: [
    schemaRef('kind_unit'),
    { type: 'object', properties: { link: { ...STEP, description: 'How it was reached.' } }, required: ['link'] },
  ],
};

const LINKED_UNITS: Schema = { type: 'array', items: schemaRef('kind_linked_unit') };

const LINK = record({
  parent_id: STRING,
  child_id: STRING,
  type: { type: 'string', const: 'link' },
  parent_kind_id: STRING,
  child_kind_id: STRING,
  link_id: STRING,
  inserted_at: { ...TIMESTAMP_SCHEMA },
});

const DECISION = record({
  allowed: FLAG,
  level: { type: ['string', 'null'], enum: ['anyone', 'member', 'admin', 'nobody', 'self', null] },
  stored: FLAG,
  rules: { type: 'array', items: record({ rule: STRING, holds: FLAG }) },
  because: STRING,
});

const EXPLANATION = record({
  id: STRING,
  kind_id: STRING,
  member: { anyOf: [record({ id: STRING, kind_id: STRING }), { type: 'null' }] },
  operations: {
    type: 'object',
    properties: Object.fromEntries(OPERATIONS.map((operation) => [operation, schemaRef('kind_decision')])),
    additionalProperties: false,
  },
  parameters: record({ read: { type: 'array', items: STRING }, write: { type: 'array', items: STRING } }),
});

export const SHARED_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...DEFINITION_SCHEMAS,
  kind_error_code: { type: 'string', enum: Object.keys(ERRORS) },
  kind_message: MESSAGE,
  kind_no_messages: { type: 'array', items: schemaRef('kind_message'), maxItems: 0 },
  kind_error: record({
    content: { type: 'null' },
    messages: { type: 'array', items: schemaRef('kind_message'), minItems: 1 },
  }),
  kind_count: {
    type: 'integer',
    minimum: -1,
    description: 'All that match; -1 where `count=none` asked for no number.',
  },
  kind_next: {
    type: ['string', 'null'],
    description: 'Only with `cursor`: where the next page begins; null at the end.',
  },
  kind_descriptor: DESCRIPTOR,
  kind_struct: record({ label: STRING, parameters: { type: 'array', items: schemaRef('kind_descriptor') } }),
  kind_session: SESSION,
  kind_unit: UNIT,
  kind_link: LINK,
  kind_linked_unit: LINKED_UNIT,
  kind_links: { ...record({ parent: LINKED_UNITS, child: LINKED_UNITS }), description: 'Only with `load_links`.' },
  kind_decision: DECISION,
  kind_explanation: EXPLANATION,
  kind_health: record({ status: { type: 'string', const: 'ok' } }),
};
