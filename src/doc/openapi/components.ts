/** The components of a document, each rendered when something refers to it. Pure. */
import { grantOf } from '../../access/access.js';
import { LINK_KIND } from '../../model/built-in-traits.js';
import { isLinkable } from '../../model/model.js';
import type { Section } from './document.text.js';
import { ERROR_RESPONSES, HEADERS } from './operation/error.responses.js';
import type { SchemaForm } from './names.js';
import { schemaRef, type OpenApiParameter, type Schema } from './openapi.js';
import { pathParameters } from './operation/path.parameters.js';
import { CONDITIONS, QUERY_PARAMETERS } from './operation/query.parameters.js';
import { recordResponse, SHARED_RESPONSES } from './operation/response.js';
import { pageSchema, SHARED_SCHEMAS } from './schema/shared.schemas.js';
import { createSchema, recordSchema, updateSchema } from './schema/unit.schema.js';
import { kindContext, hasRecord, type DocumentView } from './view.js';

type ComponentMakers = ReadonlyMap<string, () => unknown>;

/** @throws Error from the returned functions for an unknown name */
export function componentsOf(view: DocumentView): Readonly<Record<Section, (name: string) => unknown>> {
  const makers: Readonly<Record<Section, ComponentMakers>> = {
    responses: new Map([
      ...constantMakers(ERROR_RESPONSES),
      ...constantMakers(SHARED_RESPONSES),
      ...kindResponses(view),
    ]),
    parameters: constantMakers({ ...componentParameters(view), ...QUERY_PARAMETERS, ...CONDITIONS }),
    schemas: new Map([
      ...constantMakers(SHARED_SCHEMAS),
      ...constantMakers(view.application.schemas),
      ...kindSchemas(view),
      ['kind_unit_body', () => ANY_BODY],
    ]),
    headers: constantMakers(HEADERS),
  };
  const finder = (section: Section) => (name: string) => {
    const component = makers[section].get(name)?.() ?? (section === 'schemas' ? view.values.find(name) : undefined);
    if (component !== undefined) return component;
    throw new Error(`the document has no ${section} '${name}'`);
  };
  return {
    responses: finder('responses'),
    parameters: finder('parameters'),
    schemas: finder('schemas'),
    headers: finder('headers'),
  };
}

function constantMakers(values: Readonly<Record<string, unknown>>): Map<string, () => unknown> {
  return new Map(Object.entries(values).map(([name, value]) => [name, () => value]));
}

function kindResponses({ kinds, names }: DocumentView): [string, () => unknown][] {
  return kinds.map(({ id }) => {
    return [names.schema(id, 'answer'), () => recordResponse(names.schema(id, 'record'))];
  });
}

const ANY_BODY: Schema = {
  type: 'object',
  description: 'Parameter ids and their values. In place of the id of another unit an object creates that unit.',
  additionalProperties: true,
};

function componentParameters(view: DocumentView): Record<string, OpenApiParameter> {
  if (view.generic) return pathParameters(undefined);
  const readable = view.kinds.filter((kind) => isLinkable(kind) && hasRecord(view, kind.id)).map(({ id }) => id);
  return pathParameters({ kinds: readable, linkTypes: linkTypesOf(view) });
}

/** The link types if the caller may read all of them, otherwise undefined. */
function linkTypesOf({ model, caller }: DocumentView): readonly string[] | undefined {
  const kind = model.kinds.get(LINK_KIND);
  const grant = kind && grantOf(kind, 'read', caller, model);
  return grant && grant.predicate === undefined ? [...model.linkTypes.keys()] : undefined;
}

/** The schemas of answers and bodies of each kind. */
function kindSchemas(view: DocumentView): [string, () => Schema][] {
  const context = kindContext(view);
  return view.kinds.flatMap((kind): [string, () => Schema][] => {
    const name = (form: SchemaForm) => view.names.schema(kind.id, form);
    return [
      [name('record'), () => recordSchema(kind, context)],
      [name('page'), () => pageSchema(schemaRef(name('record')))],
      [name('create'), () => createSchema(kind, context)],
      [name('update'), () => updateSchema(kind, context)],
    ];
  });
}
