/**
 * Schemas that are the same in every document, such as the envelope and its messages. Their names: `names.ts`. Pure.
 */
import { ADMIN_KIND } from '../../../model/built-in-traits.js';
import { PARAMETER_TYPES } from '../../../model/parameter-type/type-by-id.js';
import { SETTING_LIST } from '../../../model/parameter-setting/parameter-settings.js';
import { ERRORS } from '../../../shared/errors.js';
import { SEEN_BY_ADMINISTRATORS } from '../../../tenancy/project-settings.js';
import { CHANGES_SCHEMA } from './changes.schema.js';
import { DEFINITION_SCHEMAS } from './definition.schema.js';
import { schemaRef, type Schema, objectSchema } from '../openapi.js';
import { ACCESS_SCHEMAS } from './access.schemas.js';
import { AGENT_SCHEMAS } from './agent.schema.js';
import { BATCH_SCHEMAS } from './batch.schemas.js';
import { CHANGE_SCHEMAS } from './change.schema.js';
import { FUNCTION_SCHEMAS } from './function.schema.js';
import { MODEL_FILE_SCHEMAS } from './model-file.schemas.js';
import { WEBHOOK_SCHEMAS } from './webhook.schema.js';
import { LINK_SCHEMAS } from './link.schema.js';
import { orNull, TIMESTAMP_SCHEMA } from './value.schema.js';

const STRING_SCHEMA: Schema = { type: 'string' };
const BOOLEAN_SCHEMA: Schema = { type: 'boolean' };
const UUID_SCHEMA: Schema = { type: 'string', format: 'uuid' };

/** The content of an answer without data. */
export const NULL_SCHEMA: Schema = { type: 'null' };

/** The envelope with a given content. */
export function envelopeSchema(content: Schema): Schema {
  return objectSchema({ content, messages: schemaRef('kind_no_messages') });
}

/** The same of a write of definitions, whose dry run can say what it changes. */
export function definitionEnvelopeSchema(content: Schema): Schema {
  const { properties, ...envelope } = envelopeSchema(content);
  return { ...envelope, properties: { ...(properties as object), changes: schemaRef('kind_changes') } };
}

/** `{count, items}`: a page of a list. */
export function pageSchema(items: Schema): Schema {
  const properties = {
    count: schemaRef('kind_count'),
    items: { type: 'array', items },
    next: schemaRef('kind_next'),
    explain: schemaRef('kind_query_explanation'),
  };
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
    unit: { type: 'string', description: 'In an edit or deletion by filter, the id of the unit to blame.' },
    check: { type: 'string', description: 'The check of the kind to blame.' },
    operation: { type: 'integer', minimum: 0, description: 'In a batch, the operation to blame.' },
    line: { type: 'integer', minimum: 1, description: 'In an import, the line in which the record begins.' },
    record: { type: 'integer', minimum: 1, description: 'In an import, the number of the record.' },
  },
  required: ['code', 'text'],
  additionalProperties: false,
};

const IMPORTED = Object.fromEntries(
  ['count', 'created', 'updated', 'unchanged', 'ignored', 'failed'].map((name) => [
    name,
    { type: 'integer', minimum: 0 },
  ]),
);

const DESCRIPTOR_PROPERTIES: Readonly<Record<string, Schema>> = {
  id: STRING_SCHEMA,
  type: { type: 'string', enum: [...PARAMETER_TYPES.keys()] },
  ...Object.fromEntries(SETTING_LIST.flatMap(([id, { struct }]) => (struct ? [[id, struct.schema]] : []))),
};

const DESCRIPTOR: Schema = {
  ...objectSchema(DESCRIPTOR_PROPERTIES),
  properties: {
    ...DESCRIPTOR_PROPERTIES,
    reference_kind: {
      type: ['string', 'null'],
      description: 'Of a `unit`: the kind that it refers to; null where the caller may do nothing with that one.',
    },
    accept: {
      type: 'array',
      items: STRING_SCHEMA,
      description: 'Of a reference to files that does not take all: the media types that it takes, such as `image/*`.',
    },
    max_bytes: { type: 'integer', minimum: 1, description: 'Of a reference to files: the size of the largest.' },
    hidden: { type: 'boolean', const: true, description: 'Of one that is in no answer: it can be written only.' },
    persistence: { type: 'string', const: 'run_time', description: 'Of the password of members: it is not stored.' },
  },
};

/** The member session that sign-up, sign-in and refresh answer; it also has the member's own parameters. */
const SESSION: Schema = {
  type: 'object',
  properties: {
    access_token: { type: 'string', description: 'The bearer of later requests.' },
    refresh_token: {
      type: ['string', 'null'],
      description: 'The bearer of `refresh`; good once. Null if it was asked for as a cookie.',
    },
    auth_token: { type: 'null' },
    kind_id: STRING_SCHEMA,
    kind_system_user: UUID_SCHEMA,
    id: UUID_SCHEMA,
    email: STRING_SCHEMA,
    first_name: STRING_SCHEMA,
    last_name: STRING_SCHEMA,
    first_access_time: { ...TIMESTAMP_SCHEMA },
    last_access_time: { ...TIMESTAMP_SCHEMA },
    inserted_at: { ...TIMESTAMP_SCHEMA },
    metadata: { type: 'object', additionalProperties: true },
  },
  required: ['access_token', 'refresh_token', 'auth_token', 'kind_id', 'id'],
  additionalProperties: true,
};

/** The member that is signed in; it also has the member's own parameters. */
const ME: Schema = {
  type: 'object',
  properties: {
    id: UUID_SCHEMA,
    kind_id: STRING_SCHEMA,
    administrator: { ...BOOLEAN_SCHEMA, description: `Whether it is a unit of \`${ADMIN_KIND}\`.` },
    groups: { type: 'array', items: STRING_SCHEMA, description: 'Ids of the groups of its kind.' },
  },
  required: ['id', 'kind_id', 'administrator', 'groups'],
  additionalProperties: true,
};

const OWN_SESSION = objectSchema({
  id: UUID_SCHEMA,
  made_at: { ...TIMESTAMP_SCHEMA },
  last_used_at: { ...TIMESTAMP_SCHEMA, description: 'To the minute; it may lag behind by one.' },
  address: orNull({ ...STRING_SCHEMA, description: 'Of the client at sign-in or at the last refresh.' }),
  user_agent: orNull({ ...STRING_SCHEMA, description: 'Of the same client; at most 300 characters.' }),
  current: { ...BOOLEAN_SCHEMA, description: 'Whether it is the session of this request.' },
});

const NULLABLE_TIMESTAMP = orNull({
  ...TIMESTAMP_SCHEMA,
  description: 'Null where the source of a remote kind does not tell.',
});

const UNIT: Schema = {
  type: 'object',
  description: 'A unit: these fields, and the parameters of its kind.',
  properties: {
    id: STRING_SCHEMA,
    kind_id: STRING_SCHEMA,
    metadata: { type: 'object', additionalProperties: true },
    inserted_at: NULLABLE_TIMESTAMP,
    updated_at: NULLABLE_TIMESTAMP,
    links: schemaRef('kind_links'),
  },
  additionalProperties: true,
};

const COUNT: Schema = { type: 'integer', minimum: 0 };
const SECONDS = orNull({ type: 'number', minimum: 0, description: 'Null without requests.' });

const MINUTE: Schema = objectSchema({
  begin: TIMESTAMP_SCHEMA,
  requests: COUNT,
  refused: { ...COUNT, description: 'Of these, answered with 4xx.' },
  failed: { ...COUNT, description: 'Of these, answered with 5xx.' },
  p50_seconds: SECONDS,
  p99_seconds: SECONDS,
});

export const SHARED_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...DEFINITION_SCHEMAS,
  kind_error_code: { type: 'string', enum: Object.keys(ERRORS) },
  kind_message: MESSAGE,
  kind_import: objectSchema({ ...IMPORTED, errors: { type: 'array', items: schemaRef('kind_message') } }),
  kind_no_messages: { type: 'array', items: schemaRef('kind_message'), maxItems: 0 },
  kind_error: objectSchema({
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
  kind_query_explanation: {
    ...objectSchema({
      milliseconds: { type: 'number', minimum: 0, description: 'What PostgreSQL needs for all statements.' },
      summary: { type: 'array', items: STRING_SCHEMA, minItems: 1, description: 'What is slow, in sentences.' },
      missing_indexes: {
        type: 'array',
        items: objectSchema({
          kind: STRING_SCHEMA,
          parameters: {
            type: 'array',
            items: STRING_SCHEMA,
            minItems: 1,
            description: 'One, to be `indexed`; several, to be a list in `indexes` of the kind.',
          },
          why: STRING_SCHEMA,
        }),
      },
      messages: {
        type: 'array',
        items: objectSchema({
          parameter: { ...STRING_SCHEMA, description: 'The path in the filter.' },
          text: STRING_SCHEMA,
        }),
        description: 'Of an empty page: values in the filter that no unit can have, or that stand in wrong quotes.',
      },
      statements: {
        type: 'array',
        items: objectSchema({
          milliseconds: { type: 'number', minimum: 0 },
          plan: {
            type: 'object',
            description: "The root of PostgreSQL's plan, as EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) shows it.",
          },
        }),
      },
    }),
    description: 'Only with `explain=true`, for administrators.',
  },
  kind_descriptor: DESCRIPTOR,
  kind_struct: objectSchema({
    label: STRING_SCHEMA,
    parameters: { type: 'array', items: schemaRef('kind_descriptor') },
  }),
  kind_session: SESSION,
  kind_me: ME,
  kind_own_session: OWN_SESSION,
  kind_ways: objectSchema({
    password: BOOLEAN_SCHEMA,
    mail_code: { ...BOOLEAN_SCHEMA, description: 'Whether codes are mailed that sign in (`POST /auth/code`).' },
    passkey: BOOLEAN_SCHEMA,
    providers: {
      type: 'array',
      items: objectSchema({ id: STRING_SCHEMA, label: STRING_SCHEMA }),
      description: 'Identity providers, which a page offers by their labels.',
    },
    signup: { type: 'array', items: STRING_SCHEMA, description: 'The kinds that strangers may sign up to.' },
    verify_email: {
      ...BOOLEAN_SCHEMA,
      description: 'Whether members are held back until they have proved their address.',
    },
  }),
  kind_second_step: objectSchema({
    password: { ...BOOLEAN_SCHEMA, description: 'Whether there is a password; who has another way in may have none.' },
    totp: { ...BOOLEAN_SCHEMA, description: 'Whether codes of an authenticator app are asked for.' },
    passkeys: { type: 'integer', minimum: 0, description: 'How many passkeys can be used.' },
    recovery_codes: { type: 'integer', minimum: 0, description: 'How many recovery codes are left.' },
  }),
  kind_totp: objectSchema({
    secret: { ...STRING_SCHEMA, description: 'In base32, to be typed.' },
    uri: { ...STRING_SCHEMA, description: '`otpauth://…`, to be shown as a QR code.' },
  }),
  kind_recovery_codes: objectSchema({
    recovery_codes: { type: 'array', items: STRING_SCHEMA, description: 'Each works once, and none is shown again.' },
  }),
  kind_discovery: objectSchema({
    issuer: STRING_SCHEMA,
    authorization_endpoint: STRING_SCHEMA,
    token_endpoint: STRING_SCHEMA,
  }),
  kind_ticket: objectSchema({
    ticket: { ...STRING_SCHEMA, description: 'The query parameter `link` of the start; once, within five minutes.' },
  }),
  kind_passkey: {
    type: 'object',
    required: ['id', 'label', 'backed_up'],
    properties: { id: STRING_SCHEMA, label: STRING_SCHEMA, backed_up: BOOLEAN_SCHEMA },
    description: 'The unit of the new passkey.',
  },
  kind_passkey_options: objectSchema({
    challenge_id: { ...STRING_SCHEMA, description: 'To be sent back with what the device answers.' },
    options: {
      type: 'object',
      description:
        'For `PublicKeyCredential.parseCreationOptionsFromJSON`, or for a sign-in `parseRequestOptionsFromJSON`.',
    },
  }),
  kind_mail: objectSchema({
    sent: { ...BOOLEAN_SCHEMA, description: 'False without `MAIL_URL`: then mails are only written to files.' },
  }),
  kind_unit: UNIT,
  ...LINK_SCHEMAS,
  ...BATCH_SCHEMAS,
  ...CHANGE_SCHEMAS,
  ...AGENT_SCHEMAS,
  ...FUNCTION_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...MODEL_FILE_SCHEMAS,
  kind_file_url: objectSchema({
    url: { ...STRING_SCHEMA, description: 'Path and query, to which `size`, `format` and `download` may be appended.' },
    expires_at: { ...TIMESTAMP_SCHEMA, description: 'When it ends, unless the content is replaced or deleted before.' },
  }),
  kind_settings: objectSchema(
    Object.fromEntries(
      SEEN_BY_ADMINISTRATORS.map(({ name, form, about }): [string, Schema] => [name, { ...form, description: about }]),
    ),
  ),
  kind_nested_unit: {
    type: 'object',
    description:
      'With `nest`: a unit of a kind that this document does not describe, or one that the caller may not read, whose values are null.',
    // It has the values that `include` names; as in records, nothing is said of them.
    properties: { id: STRING_SCHEMA },
    required: ['id'],
  },
  kind_upsert_results: {
    type: 'array',
    items: { type: 'string', enum: ['created', 'updated', 'unchanged', 'ignored'] },
    description: 'Only with `on_conflict`: what happened to each unit, in the order of the body.',
  },
  ...ACCESS_SCHEMAS,
  kind_changes: CHANGES_SCHEMA,
  kind_health: objectSchema({ status: { type: 'string', const: 'ok' } }),
  kind_minute: MINUTE,
};
