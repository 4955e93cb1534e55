/** Schemas of batches: several operations in one request. Pure. */
import { LIMITS } from '../../../shared/limits.js';
import { schemaRef, type Schema } from '../openapi.js';
import { objectSchema } from './object.schema.js';

const NAME: Schema = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' };

const OPERATION: Schema = {
  type: 'object',
  properties: {
    as: { ...NAME, description: 'A name by which later operations refer to the answer.' },
    method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'DELETE'] },
    path: {
      type: 'string',
      pattern: '^/',
      maxLength: LIMITS.batchPath,
      description:
        'Path and query after `/api/lib`, percent-encoded. `{author.id}` stands for what an earlier operation answered.',
    },
    body: {
      description: 'Of POST and PUT. The value `{"$from": "author.id"}` stands for what an earlier operation answered.',
    },
    if_match: { type: 'string', description: 'As the header `If-Match` of an edit or deletion.' },
  },
  required: ['method', 'path'],
  additionalProperties: false,
};

const RESULT: Schema = objectSchema({
  as: { type: ['string', 'null'] },
  status: { type: 'integer', const: 200 },
  content: { description: 'What the operation answers.' },
  messages: schemaRef('kind_no_messages'),
});

export const BATCH_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_batch_body: {
    type: 'object',
    properties: {
      operations: { type: 'array', items: schemaRef('kind_operation'), maxItems: LIMITS.batchOperations },
    },
    required: ['operations'],
    additionalProperties: false,
  },
  kind_operation: OPERATION,
  kind_batch: objectSchema({
    count: { type: 'integer', minimum: 0, maximum: LIMITS.batchOperations },
    items: { type: 'array', items: schemaRef('kind_operation_result'), maxItems: LIMITS.batchOperations },
  }),
  kind_operation_result: RESULT,
};
