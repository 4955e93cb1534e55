/** Schemas of links of any type, which are the same in every document. Pure. */
import { LIMITS } from '../../../shared/limits.js';
import { schemaRef, type Schema } from '../openapi.js';
import { objectSchema } from './object.schema.js';
import { TIMESTAMP_SCHEMA } from './value.schema.js';

const STRING_SCHEMA: Schema = { type: 'string' };

/** With the values of the parameters of the link type. */
const withLinkValues = (schema: Schema): Schema => ({
  ...schema,
  description: 'The link, with the values of the parameters of its type.',
  additionalProperties: true,
});

/** The fields of a link in a traversal, whatever its type. */
export const LINK_STEP_PROPERTIES: Readonly<Record<string, Schema>> = {
  link_id: STRING_SCHEMA,
  parent_id: STRING_SCHEMA,
  child_id: STRING_SCHEMA,
  depth: { type: 'integer', minimum: 0, description: '0 for a direct neighbour.' },
  inserted_at: { ...TIMESTAMP_SCHEMA },
};

const LINKED_UNIT: Schema = {
  allOf: [
    schemaRef('kind_unit'),
    { type: 'object', properties: { link: schemaRef('kind_link_step') }, required: ['link'] },
  ],
};

const LOADED_LINKS: Schema = {
  anyOf: [
    { type: 'array', items: schemaRef('kind_linked_unit') },
    { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
  ],
};

/** The fields of a link record, whatever its type. */
export const LINK_PROPERTIES: Readonly<Record<string, Schema>> = {
  parent_id: STRING_SCHEMA,
  child_id: STRING_SCHEMA,
  type: { type: 'string', const: 'link' },
  parent_kind_id: STRING_SCHEMA,
  child_kind_id: STRING_SCHEMA,
  link_id: STRING_SCHEMA,
  inserted_at: { ...TIMESTAMP_SCHEMA },
};

const LINK_VALUES: Schema = {
  type: 'object',
  description: 'Values of the parameters of the link type.',
  additionalProperties: true,
};

/** @param values of the parameters of the link type; undefined for any */
export const linksBodySchema = (values?: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: {
    items: {
      type: 'array',
      maxItems: LIMITS.bulk,
      description: 'The other units, each once, with the values of their links.',
      items: {
        type: 'object',
        properties: { kind_id: STRING_SCHEMA, id: STRING_SCHEMA, ...values },
        required: ['kind_id', 'id'],
        additionalProperties: values === undefined,
      },
    },
    replace: {
      type: 'boolean',
      default: false,
      description:
        'Whether the links of the unit are exactly these afterwards: others are deleted, and values that are given ' +
        'replace those of links that exist.',
    },
  },
  required: ['items'],
  additionalProperties: false,
});

export const LINK_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_link: withLinkValues(objectSchema(LINK_PROPERTIES)),
  kind_link_step: withLinkValues(objectSchema(LINK_STEP_PROPERTIES)),
  kind_link_values: LINK_VALUES,
  kind_links_body: linksBodySchema(),
  kind_linked_unit: LINKED_UNIT,
  kind_links: {
    type: 'object',
    properties: { parent: LOADED_LINKS, child: LOADED_LINKS },
    minProperties: 1,
    additionalProperties: false,
    description:
      'Only with `load_links`: the linked units, or with `count` their numbers by link type; with `direction` of one direction alone.',
  },
};
