/** Schemas of what has changed. Pure. */
import { FEED_OPERATIONS } from '../../../model/changes.js';
import { IDENTIFIER } from '../../../shared/identifiers.js';
import { LIMITS } from '../../../shared/limits.js';
import { objectSchema, schemaRef, type Schema } from '../openapi.js';

const STRING: Schema = { type: 'string' };
const VERSION: Schema = { type: 'integer', minimum: 0 };

const CHANGE: Schema = {
  type: 'object',
  properties: {
    cursor: { ...STRING, description: 'For `since`: the changes after this one.' },
    operation: { type: 'string', enum: [...FEED_OPERATIONS] },
    kind_id: STRING,
    unit_id: { ...STRING, description: 'Of a link, its parent.' },
    version: {
      ...VERSION,
      description: 'That of the `ETag` after the change, in microseconds; of a deletion its time.',
    },
    at: { ...STRING, format: 'date-time', description: 'The version as a time.' },
    unit: {
      anyOf: [schemaRef('kind_unit'), { type: 'null' }],
      description: 'Of `create`, `update` and `enter`: the unit as it is now; null if it was deleted since.',
    },
    unit_version: { ...VERSION, description: 'The version of `unit`.' },
    changes: {
      type: 'object',
      additionalProperties: { type: 'array', minItems: 2, maxItems: 2 },
      description: 'For administrators: the values before and after of the parameters that differ.',
    },
    via: {
      type: 'string',
      enum: ['api', 'function', 'after_commit', 'schedule', 'import', 'revert', 'signup', 'command'],
      description:
        'For administrators, and of what you have written yourself, as `key`, `cascade`, `member` and `member_kind`.',
    },
    key: { type: ['string', 'null'], description: 'The id of the API key.' },
    cascade: { type: 'boolean', const: true, description: 'There where the rule of a reference did it.' },
    member: { type: ['string', 'null'] },
    member_kind: { type: ['string', 'null'] },
    link_id: { ...STRING, description: 'Of a link, as `child_kind_id` and `child_id`.' },
    child_kind_id: STRING,
    child_id: STRING,
  },
  required: ['cursor', 'operation', 'kind_id', 'unit_id', 'version', 'at'],
  additionalProperties: false,
};

const LIVE_QUERY: Schema = {
  type: 'object',
  properties: {
    as: { type: 'string', pattern: IDENTIFIER.source, description: 'The name of the list in the events.' },
    path: { ...STRING, description: 'A list or a unit, such as `/task/unit?order=title`.' },
  },
  required: ['as', 'path'],
  additionalProperties: false,
};

export const CHANGE_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_live_body: {
    type: 'object',
    properties: { queries: { type: 'array', items: LIVE_QUERY, minItems: 1, maxItems: LIMITS.liveQueries } },
    required: ['queries'],
    additionalProperties: false,
  },
  kind_feed_change: CHANGE,
  kind_feed: objectSchema({
    count: { type: 'integer', minimum: 0, description: 'The number of `items`.' },
    items: { type: 'array', items: schemaRef('kind_feed_change') },
    next: { ...STRING, description: 'For `since` of the next request.' },
    more: { type: 'boolean', description: 'Whether another page is there now.' },
  }),
};
