/** Schemas of the list of functions. Pure. */
import { EFFECTIVE_LEVELS } from '../../../access/level.js';
import { schemaRef, type Schema } from '../openapi.js';
import { objectSchema } from './object.schema.js';
import { orNull } from './value.schema.js';

const STRING: Schema = { type: 'string' };
const BOOLEAN: Schema = { type: 'boolean' };
const DESCRIPTORS: Schema = { type: 'array', items: schemaRef('kind_descriptor') };

const FUNCTION = objectSchema({
  kind_id: STRING,
  name: STRING,
  of_unit: { ...BOOLEAN, description: 'Whether it is called on a unit.' },
  methods: { type: 'array', items: { type: 'string', enum: ['GET', 'POST'] } },
  description: STRING,
  parameters: DESCRIPTORS,
  returns: orNull({
    ...objectSchema({ kind_id: orNull(STRING), parameters: orNull(DESCRIPTORS) }),
    description: 'A unit of a kind, or values; null if it does not say.',
  }),
  timeout: { type: ['number', 'null'], description: 'Milliseconds; null for that of the service.' },
  open: { ...BOOLEAN, description: 'Whether requests without a token may call it.' },
  access: {
    anyOf: [{ type: 'string', enum: [...EFFECTIVE_LEVELS] }, { type: 'array', items: STRING }, { type: 'null' }],
    description: 'For administrators: a level, or rules.',
  },
});

const FAULT = objectSchema({
  file: { ...STRING, description: 'Its path in the folder of functions.' },
  line: { type: ['integer', 'null'], minimum: 1 },
  text: STRING,
});

const MODULE = objectSchema({
  kind_id: orNull(STRING),
  file: STRING,
  hooks: { type: 'array', items: STRING },
  remote: { ...BOOLEAN, description: 'Whether it is the source of a remote kind.' },
  faults: { type: 'array', items: schemaRef('kind_function_fault'), description: 'Empty if it is loaded.' },
});

export const FUNCTION_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_function: FUNCTION,
  kind_function_fault: FAULT,
  kind_function_module: MODULE,
  kind_functions: objectSchema({
    count: { type: 'integer', minimum: 0 },
    items: { type: 'array', items: schemaRef('kind_function') },
    modules: {
      type: ['array', 'null'],
      items: schemaRef('kind_function_module'),
      description:
        'For administrators, on the first page: those of the project, and those for all projects that are for its kinds.',
    },
  }),
};
