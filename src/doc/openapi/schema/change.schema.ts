/** Schemas of what has changed. Pure. */
import { FEED_OPERATIONS } from '../../../model/changes.js';
import { IDENTIFIER } from '../../../shared/identifiers.js';
import { LIMITS } from '../../../shared/limits.js';
import { objectSchema, schemaRef, type Schema } from '../openapi.js';

const STRING: Schema = { type: 'string' };
const VERSION: Schema = { type: 'integer', minimum: 0 };

/** Who made a change, and how. */
const ORIGIN: Readonly<Record<string, Schema>> = {
  via: {
    type: 'string',
    enum: ['api', 'function', 'after_commit', 'schedule', 'import', 'revert', 'signup', 'command'],
    description:
      'For those with the right `history`, and of what you have written yourself, as `key`, `cascade`, `member` and `member_kind`.',
  },
  key: { type: ['string', 'null'], description: 'The id of the API key.' },
  cascade: { type: 'boolean', const: true, description: 'There where the rule of a reference did it.' },
  member: { type: ['string', 'null'] },
  member_kind: { type: ['string', 'null'] },
  erased: { type: 'boolean', const: true, description: 'There where the values were removed for good.' },
};

const CHANGED: Schema = {
  type: 'object',
  additionalProperties: { type: 'array', minItems: 2, maxItems: 2 },
  description: 'The values before and after of the parameters that differ.',
};

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
      ...CHANGED,
      description: 'For those with the right `history`: the values before and after of the parameters that differ.',
    },
    ...ORIGIN,
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

const HISTORY_VERSION: Schema = {
  type: 'object',
  properties: {
    unit_id: { ...STRING, description: 'In the history of a whole kind.' },
    version: { ...VERSION, description: 'That of the `ETag`, in microseconds; of a deletion its time.' },
    at: { ...STRING, format: 'date-time', description: 'The version as a time.' },
    operation: { type: 'string', enum: ['create', 'update', 'delete'] },
    ...ORIGIN,
    changes: CHANGED,
  },
  required: ['version', 'at', 'operation', 'member', 'member_kind', 'via', 'key', 'changes'],
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
  kind_version: HISTORY_VERSION,
  kind_versions: {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: -1, description: 'How many match; -1 where they were not counted.' },
      items: { type: 'array', items: schemaRef('kind_version') },
      next: { type: ['string', 'null'], description: 'With `cursor`: that of the next page.' },
    },
    required: ['count', 'items'],
    additionalProperties: false,
  },
  kind_reverted: objectSchema({
    unit: schemaRef('kind_unit'),
    left_out: {
      type: 'array',
      items: objectSchema({ parameter: STRING, code: STRING }),
      description: 'What was not put back: what is gone, and what the caller may not read there, or write now.',
    },
  }),
};
