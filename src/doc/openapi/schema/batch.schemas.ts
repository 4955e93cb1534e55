/** Schemas of batches: several operations in one request. Pure. */
import { LIMITS } from '../../../shared/limits.js';
import { objectSchema, schemaRef, type Schema } from '../openapi.js';

const NAME: Schema = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' };

/** A character of a path: no white space, no control character, no brace. */
const CHARACTER = '[^\\s#{}\\u0000-\\u001f\\u007f]';

const PROPERTIES: Readonly<Record<string, Schema>> = {
  as: { ...NAME, description: 'A name by which later operations refer to the answer.' },
  path: {
    type: 'string',
    pattern: `^/${CHARACTER}*(?:\\{${CHARACTER}*\\}${CHARACTER}*)*$`,
    maxLength: LIMITS.batchPath,
    description:
      'Path and query after `/api/lib`, percent-encoded. `{author.id}` stands for what an earlier operation answered.',
  },
  if_match: { type: 'string', description: 'As the header `If-Match` of an edit or deletion.' },
};

const BODY: Schema = {
  description: 'The value `{"$from": "author.id"}` stands for what an earlier operation answered.',
};

/** @param more the properties that only such operations have */
const operation = (methods: readonly string[], more: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: { method: { type: 'string', enum: methods }, ...PROPERTIES, ...more },
  required: ['method', 'path'],
  additionalProperties: false,
});

const OPERATION: Schema = { anyOf: [operation(['GET', 'DELETE'], {}), operation(['POST', 'PUT'], { body: BODY })] };

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
