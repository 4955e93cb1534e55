/** Schemas of the list of functions, and of the bodies and answers of their calls. Pure. */
import { EFFECTIVE_LEVELS } from '../../../access/level.js';
import { schemaRef, type Schema, objectSchema } from '../openapi.js';
import { isRequired } from '../../../model/field.js';
import { orNull, defaultOf, valueDescription, inputValue } from './value.schema.js';
import { RUN_OUTCOMES } from '../../../sql/server/run.sql.js';
import type { Field } from '../../../model/model.js';

const STRING: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
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
  schedule: {
    ...orNull(objectSchema({ cron: STRING, timezone: STRING })),
    description: 'For administrators: when it runs by itself.',
  },
  next_at: { ...orNull(TIME), description: 'When it runs next; null if it does not.' },
  open: { ...BOOLEAN, description: 'Whether requests without a token may call it.' },
  access: {
    anyOf: [{ type: 'string', enum: [...EFFECTIVE_LEVELS] }, { type: 'array', items: STRING }, { type: 'null' }],
    description: 'For administrators: a level, or rules.',
  },
});

const RUN = objectSchema({
  id: { ...STRING, format: 'uuid' },
  kind_id: STRING,
  function: STRING,
  tick: { ...TIME, description: 'When it was due; of a run that somebody has started, when it was.' },
  started_at: orNull(TIME),
  ended_at: orNull(TIME),
  outcome: {
    type: 'string',
    enum: RUN_OUTCOMES,
    description:
      '`skipped`: another run went on at its tick. `lost`: its process has ended; it runs again, unless a later tick has come.',
  },
  code: { ...orNull(STRING), description: 'Why it failed, as `text`.' },
  text: orNull(STRING),
  file: { ...orNull(STRING), description: 'Where it failed: a path in the folder of functions, as `line`.' },
  line: { type: ['integer', 'null'], minimum: 1 },
});

const FAILURE = objectSchema({
  id: { ...STRING, format: 'uuid' },
  kind_id: STRING,
  event_id: { ...STRING, format: 'uuid', description: 'That of the event that the hook got.' },
  unit_id: STRING,
  operation: { type: 'string', enum: ['create', 'update', 'delete', 'link', 'unlink'] },
  attempts: { type: 'integer', minimum: 1 },
  failed_at: TIME,
  code: { ...STRING, description: 'Why it failed, as `text`.' },
  text: STRING,
  file: { ...orNull(STRING), description: 'Where it failed: a path in the folder of functions, as `line`.' },
  line: { type: ['integer', 'null'], minimum: 1 },
});

const FAULT = objectSchema({
  file: { ...STRING, description: 'Its path in the folder of functions.' },
  line: { type: ['integer', 'null'], minimum: 1 },
  text: STRING,
});

const ENDPOINT = objectSchema({
  name: STRING,
  methods: { type: 'array', items: STRING },
});

const MODULE = objectSchema({
  kind_id: orNull(STRING),
  file: STRING,
  endpoints: {
    type: 'array',
    items: schemaRef('kind_function_endpoint'),
    description: 'What other services call, without a token.',
  },
  hooks: { type: 'array', items: STRING },
  remote: { ...BOOLEAN, description: 'Whether it is the source of a remote kind.' },
  faults: { type: 'array', items: schemaRef('kind_function_fault'), description: 'Empty if it is loaded.' },
});

export const FUNCTION_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_function: FUNCTION,
  kind_function_endpoint: ENDPOINT,
  kind_function_failure: FAILURE,
  kind_function_failures: objectSchema({
    count: { type: 'integer', minimum: 0 },
    items: { type: 'array', items: schemaRef('kind_function_failure') },
  }),
  kind_function_fault: FAULT,
  kind_function_module: MODULE,
  kind_function_run: RUN,
  kind_function_runs: objectSchema({
    count: { type: 'integer', minimum: 0 },
    items: { type: 'array', items: schemaRef('kind_function_run') },
  }),
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

/** The body of a function call. `mayRead`: whether the caller may read units of a kind. */
export function functionBody(parameters: readonly Field[], mayRead: (kindId: string) => boolean): Schema {
  return declaredObject(parameters, (field) => functionParameter(field, mayRead));
}

/** The values that a function returns. They are validated like those of a body. */
export function functionAnswer(values: readonly Field[], mayRead: (kindId: string) => boolean): Schema {
  return declaredObject(values, (field) => declaredValue(field, mayRead));
}

export function functionParameter(field: Field, mayRead: (kindId: string) => boolean): Schema {
  return { ...declaredValue(field, mayRead), ...defaultOf(field.def) };
}

function declaredObject(fields: readonly Field[], schemaOf: (field: Field) => Schema): Schema {
  const required = fields.filter(isRequired).map(({ id }) => id);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.id, schemaOf(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function declaredValue(field: Field, mayRead: (kindId: string) => boolean): Schema {
  const value = inputValue(field);
  const description = valueDescription(field, mayRead);
  return {
    ...(description !== undefined && { description }),
    ...(field.def.nullable ? orNull(value) : value),
  };
}
