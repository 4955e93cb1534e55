/** Schemas of what administrators are told of access, and members of their own. Pure. */
import { EFFECTIVE_LEVELS } from '../../../access/level.js';
import { RIGHTS, TOLD_OPERATIONS } from '../../../access/own-rights.js';
import { AUDIENCES } from '../../../access/report.js';
import { LINK_OPERATIONS, OPERATIONS } from '../../../model/built-in-traits.js';
import { ACCESS_DEFAULTS, LEVELS } from '../../../model/access-levels.js';
import { schemaRef, type Schema, objectSchema } from '../openapi.js';

const STRING_SCHEMA: Schema = { type: 'string' };
const BOOLEAN_SCHEMA: Schema = { type: 'boolean' };

const NULLABLE_BOOLEAN: Schema = { type: ['boolean', 'null'] };

const DECISION = objectSchema({
  allowed: BOOLEAN_SCHEMA,
  level: { type: ['string', 'null'], enum: [...EFFECTIVE_LEVELS, null] },
  stored: BOOLEAN_SCHEMA,
  rules: { type: 'array', items: objectSchema({ rule: STRING_SCHEMA, holds: BOOLEAN_SCHEMA }) },
  because: STRING_SCHEMA,
});

const LINK_DECISION = objectSchema({
  allowed: NULLABLE_BOOLEAN,
  level: { type: ['string', 'null'], enum: [...LEVELS, null] },
  stored: { type: 'boolean', const: true },
  rules: { type: 'array', items: objectSchema({ rule: STRING_SCHEMA, holds: NULLABLE_BOOLEAN }) },
  because: STRING_SCHEMA,
});

const EXPLAINED: Readonly<Record<string, Schema>> = {
  id: STRING_SCHEMA,
  kind_id: STRING_SCHEMA,
  member: { anyOf: [objectSchema({ id: STRING_SCHEMA, kind_id: STRING_SCHEMA }), { type: 'null' }] },
  operations: {
    type: 'object',
    properties: Object.fromEntries(OPERATIONS.map((operation) => [operation, schemaRef('kind_decision')])),
    additionalProperties: false,
  },
  parameters: objectSchema({
    read: { type: 'array', items: STRING_SCHEMA },
    write: { type: 'array', items: STRING_SCHEMA },
  }),
};

const EXPLANATION: Schema = {
  ...objectSchema(EXPLAINED),
  properties: {
    ...EXPLAINED,
    links: {
      type: 'object',
      description: 'Of link types with their own `access`, for this unit as the parent: the operations on links.',
      additionalProperties: {
        type: 'object',
        properties: Object.fromEntries(LINK_OPERATIONS.map((each) => [each, schemaRef('kind_link_decision')])),
        additionalProperties: false,
      },
    },
  },
};

/** Who may do something. */
export const REPORTED_RIGHTS: Readonly<Record<string, Schema>> = {
  who: {
    type: 'string',
    enum: AUDIENCES,
    description: 'Who may do it at most, also by other settings: what may not be read cannot be written.',
  },
  by_rule: { ...BOOLEAN_SCHEMA, description: 'Whether rules limit the units, or the members.' },
  stranger: {
    ...BOOLEAN_SCHEMA,
    description: 'Whether requests without a token may do it, or every member where anyone can sign up.',
  },
  stranger_writes: { ...BOOLEAN_SCHEMA, description: 'Whether strangers may write so, without a rule.' },
};

/** What an entry is about: one of these. */
export const REPORTED_IDS: Readonly<Record<string, Schema>> = {
  kind: STRING_SCHEMA,
  link_type: STRING_SCHEMA,
  function: { ...STRING_SCHEMA, description: 'After its kind: `city.greet`.' },
  endpoint: { ...STRING_SCHEMA, description: 'After its kind: `order.stripe`.' },
  field: { ...STRING_SCHEMA, description: 'After its kind: `city.name`.' },
};

const REPORTED: Readonly<Record<string, Schema>> = {
  operation: { type: 'string', enum: [...OPERATIONS, 'call', 'write'] },
  level: {
    type: ['string', 'null'],
    enum: [...EFFECTIVE_LEVELS, null],
    description: 'The setting, stored or default; null where it is rules.',
  },
  rules: { type: 'array', items: STRING_SCHEMA, description: 'Of which one has to match.' },
  stored: { ...BOOLEAN_SCHEMA, description: 'False for a default.' },
  ...REPORTED_RIGHTS,
  accepted: {
    type: ['string', 'null'],
    description: 'Why the owner of the kind, or of the module, wants it so, if that was said.',
  },
};

const REPORTED_ENTRY: Schema = {
  ...objectSchema(REPORTED),
  properties: {
    ...REPORTED_IDS,
    ...REPORTED,
  },
};

const REPORT = objectSchema({
  access_default: { type: 'string', enum: ACCESS_DEFAULTS },
  sign_up: { type: 'array', items: STRING_SCHEMA, description: 'The member kinds that anyone can sign up to.' },
  stranger_may_write: BOOLEAN_SCHEMA,
  access: {
    type: 'array',
    items: REPORTED_ENTRY,
    description:
      'Each about a kind, a link type with its own access, a function, an endpoint, or a field with its own access.',
  },
});

const RIGHT: Schema = {
  type: 'string',
  enum: RIGHTS,
  description: 'None; some, by a rule; or all that the caller may read.',
};

const LINK_RIGHT: Schema = {
  type: ['string', 'null'],
  enum: [...RIGHTS, null],
  description: "Null where the right `link` of the parent's kind decides.",
};

const OWN_RIGHTS = objectSchema({
  administrator: { ...BOOLEAN_SCHEMA, description: 'Whether it may know everything of the project.' },
  kinds: {
    type: 'array',
    description: 'The kinds with whose units the caller may do something.',
    items: objectSchema({
      id: STRING_SCHEMA,
      ...Object.fromEntries(TOLD_OPERATIONS.map((operation) => [operation, RIGHT])),
      read_only: { type: 'array', items: STRING_SCHEMA, description: 'The fields that it may read and not set.' },
    }),
  },
  link_types: {
    type: 'array',
    description: 'The link types with their own `access`.',
    items: objectSchema({
      id: STRING_SCHEMA,
      ...Object.fromEntries(LINK_OPERATIONS.map((operation) => [operation, LINK_RIGHT])),
    }),
  },
});

export const ACCESS_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_decision: DECISION,
  kind_link_decision: LINK_DECISION,
  kind_explanation: EXPLANATION,
  kind_access_report: REPORT,
  kind_rights: OWN_RIGHTS,
};
