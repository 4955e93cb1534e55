/** The JSON Schema of a model file, for editors: its keys, and the forms of their values. `check.ts` says more. Pure. */
import { ACCESS_DEFAULTS, LEVELS } from '../model/access-levels.js';
import { LINK_OPERATIONS, OPERATIONS } from '../model/built-in-traits.js';
import type { Field } from '../model/model.js';
import type { JsonSchema } from '../model/parameter-type/parameter-type.js';
import { PARAMETER_TYPES } from '../model/parameter-type/type-by-id.js';
import { IDENTIFIER } from '../shared/identifiers.js';
import { LIMITS } from '../shared/limits.js';
import { ADMINISTERED, MODEL_SETTINGS } from '../tenancy/project-settings.js';
import { isSecret, SECRET_PREFIX } from './secrets.js';
import { fieldsOf, fieldsOfAnyType, FORMAT, FORMAT_VERSION, SECTION_KINDS, type SectionId } from './sections.js';

const TEXT: JsonSchema = { type: 'string' };
const ID: JsonSchema = { type: 'string', pattern: IDENTIFIER.source };
const VARIABLE = object({ env: { type: 'string', pattern: `^${SECRET_PREFIX}` } }, ['env']);
const RULES: JsonSchema = { anyOf: [{ enum: LEVELS }, { type: 'array', items: TEXT }, { type: 'null' }] };
const WAS: JsonSchema = { ...ID, description: 'Its former id: what is stored of it goes on under the new one.' };
const FILL: JsonSchema = { description: 'What null becomes in units that are there, where null is no longer allowed.' };

export function modelFileSchema(): JsonSchema {
  const parameters = entries({ $ref: '#/definitions/parameter' });
  const entry = (section: SectionId): JsonSchema => entries(entrySchema(section));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The model of a project of Kind',
    ...object(
      {
        format: { const: FORMAT },
        version: { const: FORMAT_VERSION },
        partial: { type: 'boolean', description: 'What the file does not name stays as it is.' },
        drop: {
          type: 'array',
          items: TEXT,
          description: 'What a partial file removes, such as `article.summary` or `links.cites`.',
        },
        settings: settingsSchema(),
        parameters,
        kinds: entry('kinds'),
        groups: entries({ anyOf: [{ type: 'array', items: ID }, entrySchema('groups')] }),
        links: entry('links'),
        webhooks: entry('webhooks'),
        identity_providers: entry('identity_providers'),
        units: entries(
          object({ by: { type: 'array', items: ID, minItems: 1 }, items: { type: 'array', maxItems: LIMITS.bulk } }, [
            'by',
            'items',
          ]),
        ),
      },
      ['format', 'version'],
    ),
    definitions: { parameter: parameterSchema() },
  };
}

function settingsSchema(): JsonSchema {
  const administered = new Map(ADMINISTERED.map((setting) => [setting.name, setting]));
  const known = MODEL_SETTINGS.map((name): [string, JsonSchema] => {
    const setting = administered.get(name);
    if (!setting) return [name, { enum: ACCESS_DEFAULTS }];
    const { form, about: description } = setting;
    return [
      name,
      form.type === 'boolean' ? { enum: ['on', 'off', true, false], description } : { ...form, description },
    ];
  });
  return object(Object.fromEntries(known));
}

function entrySchema(section: SectionId): JsonSchema {
  const fields = [...fieldsOf(SECTION_KINDS[section])].map(([name, field]): [string, JsonSchema] => {
    if (name === 'parameters') return [name, entries({ $ref: '#/definitions/parameter' })];
    if (name !== 'access') return [name, fieldSchema(field)];
    const operations = section === 'links' ? LINK_OPERATIONS : OPERATIONS;
    return [name, object(Object.fromEntries(operations.map((operation) => [operation, RULES])))];
  });
  const isRenamed = section === 'kinds' || section === 'links' || section === 'groups';
  return orNull(object({ ...Object.fromEntries(fields), ...(isRenamed && { was: WAS }) }));
}

/** By its type, which a partial file may leave out. A name alone stands for a shared one. */
function parameterSchema(): JsonSchema {
  const types = [...PARAMETER_TYPES.keys()];
  const ofType = types.map((type): JsonSchema => {
    const fields = [...fieldsOf(type)].map(([name, field]): [string, JsonSchema] => [name, fieldSchema(field)]);
    const known = { type: TEXT, was: WAS, fill: FILL, ...Object.fromEntries(fields) };
    return { if: { required: ['type'], properties: { type: { const: type } } }, then: object(known) };
  });
  const untyped = ['was', 'fill', ...fieldsOfAnyType()].map((name): [string, JsonSchema] => [name, {}]);
  const ofNoType: JsonSchema = { if: { not: { required: ['type'] } }, then: object(Object.fromEntries(untyped)) };
  return {
    anyOf: [{ type: 'null' }, { type: 'object', properties: { type: { enum: types } }, allOf: [...ofType, ofNoType] }],
  };
}

function fieldSchema(field: Field): JsonSchema {
  const { def, type } = field;
  const { values, multiple, label, helperText } = def;
  const one: JsonSchema = values ? { enum: values } : (type.bodySchema ?? type.schema);
  const all = multiple ? { type: 'array', items: one } : one;
  const schema = isSecret(field) && !type.hasKeys ? { anyOf: [all, VARIABLE] } : all;
  return { ...orNull(schema), description: helperText === null ? label : `${label}. ${helperText}` };
}

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 && { required }) };
}

/** Of a section: by id. */
function entries(each: JsonSchema): JsonSchema {
  return orNull({ type: 'object', propertyNames: ID, additionalProperties: each });
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}
