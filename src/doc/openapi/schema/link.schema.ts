/** Schemas of links of any type, and those of one type for one caller. Pure. */
import { writableFields } from '../../../access/masks.js';
import type { LinkTypeDef } from '../../../model/model.js';
import { storedLinkFields } from '../../../model/build/link-types.js';
import { readableLinkFields } from '../../../unit/query/reachable-kinds.js';
import { schemaRef, type Schema, objectSchema } from '../openapi.js';
import { inputProperty, outputProperty, propertySchemas, type KindContext } from './unit.schema.js';
import { LIMITS } from '../../../shared/limits.js';
import { TIMESTAMP_SCHEMA } from './value.schema.js';

/** The link types with parameters that the caller may read or write. */
export function typesWithValues(
  types: readonly LinkTypeDef[],
  { caller, model }: Pick<KindContext, 'caller' | 'model'>,
): LinkTypeDef[] {
  return types.filter((type) => {
    const writable = writableFields(type.values, caller, model);
    return readableLinkFields(type, caller, model).length > 0 || type.parameters.some((id) => writable.has(id));
  });
}

/** A link record. */
export function linkRecordSchema(type: LinkTypeDef, context: KindContext): Schema {
  return withValues(LINK_PROPERTIES, type, context);
}

/** The field `link` of a traversal. */
export function linkStepSchema(type: LinkTypeDef, context: KindContext): Schema {
  return withValues(LINK_STEP_PROPERTIES, type, context);
}

function withValues(own: Readonly<Record<string, Schema>>, type: LinkTypeDef, context: KindContext): Schema {
  const { id, values } = type;
  const shown = propertySchemas(readableLinkFields(type, context.caller, context.model), (field) =>
    outputProperty(values, field, context),
  );
  return objectSchema({ ...own, link_id: { type: 'string', const: id }, ...shown });
}

/** The field `link` of a traversal, of any type. @param types the names of the schemas of those with values, by type */
export function anyStepSchema(all: readonly LinkTypeDef[], types: ReadonlyMap<LinkTypeDef, string>): Schema {
  const plain = all.filter((type) => !types.has(type)).map(({ id }) => id);
  const others = objectSchema({ ...LINK_STEP_PROPERTIES, link_id: { type: 'string', enum: plain } });
  return { anyOf: [others, ...[...types.values()].map(schemaRef)] };
}

/** The body that creates a link. Nothing is required: the body of a link that exists may lack values. */
export function linkBodySchema(type: LinkTypeDef, context: KindContext): Schema {
  const properties = inputProperties(type, context, true);
  const fields = storedLinkFields(type).filter(({ id }) => Object.hasOwn(properties, id));
  const required = fields.filter(({ def }) => def.required).map(({ id }) => id);
  const needs = required.length > 0 ? ` A new link needs: ${required.join(', ')}.` : '';
  return { ...bodyOf(properties), description: `The values of a link of this type.${needs}` };
}

/** The body that edits a link. */
export function linkChangesSchema(type: LinkTypeDef, context: KindContext): Schema {
  return bodyOf(inputProperties(type, context, false));
}

/** The body that creates many links of one unit. */
export function manyLinksSchema(type: LinkTypeDef, context: KindContext): Schema {
  return linksBodySchema(inputProperties(type, context, true));
}

function bodyOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, additionalProperties: false };
}

function inputProperties(type: LinkTypeDef, context: KindContext, create: boolean): Record<string, Schema> {
  const { values, parameters } = type;
  const writable = writableFields(values, context.caller, context.model);
  const fields = parameters.flatMap((id) => writable.get(id) ?? []);
  return propertySchemas(fields, (field) => inputProperty(values, field, context, create));
}

const STRING_SCHEMA: Schema = { type: 'string' };

/** With the values of the parameters of the link type. */
const withLinkValues = (schema: Schema): Schema => ({
  ...schema,
  description: 'The link, with the values of the parameters of its type.',
  additionalProperties: true,
});

/** The fields of a link in a traversal, whatever its type. */
const LINK_STEP_PROPERTIES: Readonly<Record<string, Schema>> = {
  link_id: STRING_SCHEMA,
  parent_id: STRING_SCHEMA,
  child_id: STRING_SCHEMA,
  depth: { type: 'integer', minimum: 0, description: '0 for a direct neighbour.' },
  inserted_at: { ...TIMESTAMP_SCHEMA },
};

const LINKED_UNIT: Schema = {
  allOf: [
    schemaRef('kind_unit'),
    { type: 'object', properties: { link: schemaRef('kind_link_step') }, required: ['link'] },
  ],
};

const LOADED_LINKS: Schema = {
  anyOf: [
    { type: 'array', items: schemaRef('kind_linked_unit') },
    { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
  ],
};

/** The fields of a link record, whatever its type. */
const LINK_PROPERTIES: Readonly<Record<string, Schema>> = {
  parent_id: STRING_SCHEMA,
  child_id: STRING_SCHEMA,
  type: { type: 'string', const: 'link' },
  parent_kind_id: STRING_SCHEMA,
  child_kind_id: STRING_SCHEMA,
  link_id: STRING_SCHEMA,
  inserted_at: { ...TIMESTAMP_SCHEMA },
};

const LINK_VALUES: Schema = {
  type: 'object',
  description: 'Values of the parameters of the link type.',
  additionalProperties: true,
};

/** @param values of the parameters of the link type; undefined for any */
const linksBodySchema = (values?: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: {
    items: {
      type: 'array',
      maxItems: LIMITS.bulk,
      description: 'The other units, each once, with the values of their links.',
      items: {
        type: 'object',
        properties: { kind_id: STRING_SCHEMA, id: STRING_SCHEMA, ...values },
        required: ['kind_id', 'id'],
        additionalProperties: values === undefined,
      },
    },
    replace: {
      type: 'boolean',
      default: false,
      description:
        'Whether the links of the unit are exactly these afterwards: others are deleted, and values that are given ' +
        'replace those of links that exist.',
    },
  },
  required: ['items'],
  additionalProperties: false,
});

export const LINK_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_link: withLinkValues(objectSchema(LINK_PROPERTIES)),
  kind_link_step: withLinkValues(objectSchema(LINK_STEP_PROPERTIES)),
  kind_link_values: LINK_VALUES,
  kind_links_body: linksBodySchema(),
  kind_linked_unit: LINKED_UNIT,
  kind_links: {
    type: 'object',
    properties: { parent: LOADED_LINKS, child: LOADED_LINKS },
    minProperties: 1,
    additionalProperties: false,
    description:
      'Only with `load_links`: the linked units, or with `count` their numbers by link type; with `direction` of one direction alone.',
  },
};
