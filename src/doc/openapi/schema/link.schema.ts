/** The schemas of the links of one type for one caller. Pure. */
import { writableFields } from '../../../access/masks.js';
import type { LinkTypeDef } from '../../../model/model.js';
import { storedLinkFields } from '../../../model/build/link-types.js';
import { readableLinkFields } from '../../../unit/query/reachable-kinds.js';
import { schemaRef, type Schema } from '../openapi.js';
import { objectSchema } from './object.schema.js';
import { LINK_PROPERTIES, LINK_STEP_PROPERTIES, linksBodySchema } from './shared-link.schemas.js';
import { inputProperty, outputProperty, propertySchemas, type KindContext } from './unit.schema.js';

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
