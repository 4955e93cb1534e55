/** Schemas of the messages of agents, and of what is recorded of them. Pure. */
import { schemaRef, type Schema, objectSchema } from '../openapi.js';
import { orNull, TIMESTAMP_SCHEMA } from './value.schema.js';

const STRING: Schema = { type: 'string' };

export const AGENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_agent_message: {
    ...objectSchema({
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer'], description: 'Left out: nothing is answered.' },
      method: { ...STRING, examples: ['tools/list', 'tools/call'] },
      params: { type: 'object', additionalProperties: true },
    }),
    required: ['jsonrpc', 'method'],
    additionalProperties: true,
  },
  kind_agent_call: objectSchema({
    id: { ...STRING, format: 'uuid' },
    at: TIMESTAMP_SCHEMA,
    tool: STRING,
    kind_id: { ...orNull(STRING), description: 'Null where it named none that its key may use.' },
    number: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Of the units that it was answered, or wrote; null for other answers.',
    },
    outcome: { ...STRING, description: '`done`, or the code of the refusal.' },
  }),
  kind_agent_calls: objectSchema({
    count: { type: 'integer', minimum: 0 },
    items: { type: 'array', items: schemaRef('kind_agent_call') },
  }),
};
