/** Schemas of model files, and of what they change. Pure. */
import { objectSchema, type Schema } from '../openapi.js';

const STRING: Schema = { type: 'string' };
const COUNT: Schema = { type: 'integer', minimum: 0 };

const STEP: Schema = {
  type: 'object',
  properties: {
    change: { type: 'string', enum: ['add', 'edit', 'rename', 'drop'] },
    name: { ...STRING, description: 'By which it is allowed, such as `article.summary` or `article:read`.' },
    was: { ...STRING, description: 'The former name.' },
    fields: { type: 'array', items: STRING, description: 'Those that change.' },
    units: { ...COUNT, description: 'The units that it concerns.' },
    loses: { ...COUNT, description: 'Units, values, links and versions that are lost.' },
    opens: {
      type: 'array',
      items: objectSchema({ who: STRING, what: STRING }),
      description: 'Who may do more than before.',
    },
    refused: {
      ...objectSchema({ number: COUNT, ids: { type: 'array', items: STRING } }),
      description: 'Units that are there and contradict it, with some of them.',
    },
    estimated: { type: 'boolean', description: 'It concerns so many units that it was not tried.' },
  },
  required: ['change', 'name'],
  additionalProperties: false,
};

const CHANGED: Readonly<Record<string, Schema>> = {
  version: { ...COUNT, description: 'Of the model.' },
  steps: { type: 'array', items: STEP },
  breaks: { type: 'array', items: STRING, description: 'What programs that use the API would notice.' },
};

export const MODEL_FILE_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_model_file: {
    type: 'object',
    description: 'A model file. Its own schema is at `/model/schema.json`.',
    properties: { format: STRING, version: { type: 'integer', minimum: 1 } },
    required: ['format', 'version'],
    additionalProperties: true,
  },
  kind_model_plan: objectSchema({ state: { type: 'string', enum: ['equal', 'changes'] }, ...CHANGED }),
  kind_model_applied: objectSchema({ state: { type: 'string', enum: ['equal', 'applied'] }, ...CHANGED }),
};
