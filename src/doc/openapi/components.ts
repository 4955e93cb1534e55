/** The components of a document, each rendered when something refers to it. Pure. */
import { isLinkable } from '../../model/model.js';
import { ERROR_RESPONSES, HEADERS } from './operation/error.responses.js';
import type { LinkForm, SchemaForm } from './names.js';
import { schemaRef, type OpenApiParameter, type Schema } from './openapi.js';
import { pathParameters, HEADER_PARAMETERS } from './operation/parameters.js';
import { QUERY_PARAMETERS } from './operation/query.parameters.js';
import { recordResponse, SHARED_RESPONSES } from './operation/response.js';
import {
  anyStepSchema,
  linkBodySchema,
  linkChangesSchema,
  linkRecordSchema,
  linkStepSchema,
  manyLinksSchema,
} from './schema/link.schema.js';
import { pageSchema, SHARED_SCHEMAS } from './schema/shared.schemas.js';
import { createdManySchema, createdSchema, createSchema, recordSchema, updateSchema } from './schema/unit.schema.js';
import { kindContext, hasRecord, readableLinkTypes, type DocumentView } from './view.js';

export const SECTIONS = ['responses', 'parameters', 'schemas', 'headers'] as const;
export type Section = (typeof SECTIONS)[number];

type ComponentMakers = ReadonlyMap<string, () => unknown>;

/** @throws Error from the returned functions for an unknown name */
export function componentsOf(view: DocumentView): Readonly<Record<Section, (name: string) => unknown>> {
  const makers: Readonly<Record<Section, ComponentMakers>> = {
    responses: new Map([
      ...constantMakers(ERROR_RESPONSES),
      ...constantMakers(SHARED_RESPONSES),
      ...kindResponses(view),
    ]),
    parameters: constantMakers({ ...componentParameters(view), ...QUERY_PARAMETERS, ...HEADER_PARAMETERS }),
    schemas: new Map([
      ...constantMakers(SHARED_SCHEMAS),
      ...constantMakers(view.application.schemas),
      ...kindSchemas(view),
      ...linkSchemas(view),
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
  return pathParameters({ kinds: readable, linkTypes: readableLinkTypes(view)?.map(({ id }) => id) });
}

/** The schemas of links with values, and that of a link of any type in a traversal. */
function linkSchemas(view: DocumentView): [string, () => Schema][] {
  const { linkTypes, names } = view;
  const context = kindContext(view);
  const all = readableLinkTypes(view) ?? [];
  const steps = new Map(linkTypes.map((type) => [type, names.linkSchema(type.id, 'link_step')]));
  const any = (): Schema => anyStepSchema(all, steps);
  return [
    ...(linkTypes.length > 0 ? [['kind_link_step', any] satisfies [string, () => Schema]] : []),
    ...linkTypes.flatMap((type): [string, () => Schema][] => {
      const name = (form: LinkForm) => names.linkSchema(type.id, form);
      return [
        [name('link'), () => linkRecordSchema(type, context)],
        [name('link_step'), () => linkStepSchema(type, context)],
        [name('link_body'), () => linkBodySchema(type, context)],
        [name('link_changes'), () => linkChangesSchema(type, context)],
        [name('links_body'), () => manyLinksSchema(type, context)],
      ];
    }),
  ];
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
      [name('created'), () => createdSchema(kind, context)],
      [name('created_many'), () => createdManySchema(schemaRef(name('created')))],
      [name('update'), () => updateSchema(kind, context)],
    ];
  });
}
