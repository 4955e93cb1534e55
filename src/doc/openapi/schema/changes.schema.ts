/** What `dry_run=changes` answers beside the content. */
import { objectSchema, type Schema } from '../openapi.js';
import { REPORTED_IDS, REPORTED_RIGHTS } from './access.schemas.js';
import { orNull } from './value.schema.js';

const TEXT: Schema = { type: 'string' };
const TEXTS: Schema = { type: 'array', items: TEXT };
const BOOLEAN: Schema = { type: 'boolean' };
const COUNT: Schema = orNull({ type: 'integer', minimum: 1 });
const MORE: Schema = { type: 'integer', minimum: 1, description: 'How many others there are.' };

const STEPS = [
  'rename_column',
  'rename_table',
  'create_table',
  'drop_table',
  'add_column',
  'drop_column',
  'set_not_null',
  'drop_not_null',
  'create_index',
  'drop_index',
  'create_sequence',
  'drop_sequence',
  'add_check',
  'drop_check',
  'add_foreign_key',
  'drop_foreign_key',
] as const;

function listOf(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: 'array', items: { type: 'object', properties, required, additionalProperties: false } };
}

const BEFORE_AND_AFTER: Schema = { type: 'array', minItems: 2, maxItems: 2, description: 'Before and after.' };

const DEFINITIONS = listOf(
  {
    definition: { type: 'string', enum: ['kind', 'parameter', 'group', 'link', 'project'] },
    id: TEXT,
    change: { type: 'string', enum: ['renamed', 'created', 'changed', 'deleted'] },
    was: { ...TEXT, description: 'The former id of one that gets another.' },
    settings: { ...TEXTS, description: 'The names of the settings that change.' },
    access: BEFORE_AND_AFTER,
    read_access: BEFORE_AND_AFTER,
    write_access: BEFORE_AND_AFTER,
    access_default: BEFORE_AND_AFTER,
  },
  ['definition', 'change'],
);

const TABLES = listOf(
  {
    step: { type: 'string', enum: STEPS },
    table: TEXT,
    columns: TEXTS,
    column: TEXT,
    to: { ...TEXT, description: 'The new name.' },
    type: { ...TEXT, description: 'Of a column, as PostgreSQL names it.' },
    not_null: BOOLEAN,
    default: { description: 'What existing rows get.' },
    index: TEXT,
    unique: BOOLEAN,
    method: { type: 'string', enum: ['btree', 'gin', 'trigram', 'search'] },
    in_background: { ...BOOLEAN, description: 'Whether it is built after the change.' },
    target: { ...TEXT, description: 'The table that a reference leads to.' },
    on_delete: { type: 'string', enum: ['restrict', 'set_null', 'cascade'] },
    constraint: TEXT,
    check: { ...TEXT, description: 'The id of a check of a kind.' },
    sequence: TEXT,
    numbers: {
      ...objectSchema({ table: TEXT, column: TEXT }),
      description: 'The column whose rows get numbers, where they have none.',
    },
  },
  ['step'],
);

const LOSSES = listOf(
  {
    kind_id: TEXT,
    link_id: TEXT,
    parameter: { ...TEXT, description: 'The units or links lose its value; without it, they are deleted.' },
    units: COUNT,
    links: COUNT,
    versions: { ...COUNT, description: 'Of the history of its units.' },
  },
  [],
);

const RIGHTS = objectSchema(REPORTED_RIGHTS);

const ACCESS = listOf({ ...REPORTED_IDS, operation: TEXT, before: orNull(RIGHTS), after: RIGHTS }, [
  'operation',
  'before',
  'after',
]);

export const CHANGES_SCHEMA: Schema = {
  type: 'object',
  description: 'With `dry_run=changes`: what a change of definitions, or a deletion of units, does.',
  properties: {
    definitions: DEFINITIONS,
    tables: { ...TABLES, description: 'The steps in their order.' },
    losses: { ...LOSSES, description: 'What is deleted. Null: the caller may not know the number.' },
    access: {
      ...ACCESS,
      description: 'For administrators: what others may do afterwards, without functions. Null: it was not there.',
    },
    more_access: MORE,
    more_definitions: MORE,
    more_tables: MORE,
  },
  required: ['definitions', 'tables', 'losses'],
  additionalProperties: false,
};
