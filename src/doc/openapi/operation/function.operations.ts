/** The operations of custom functions and endpoints, one path for each. Pure. */
import { SECURITY } from '../../../http/route/api-route.js';
import type { Field, KindDef } from '../../../model/model.js';
import type { DocumentedFunction } from '../documented-functions.js';
import { functionBody, functionParameter } from '../schema/function.schema.js';
import { exampleBody } from '../examples.js';
import type { OpenApiOperation, OpenApiParameter, PlacedOperation, RequestBody, Schema } from '../openapi.js';
import { operationOf } from './operation.js';
import { functionResponse, writeHeaders } from './response.js';
import { documentedPath } from './parameters.js';
import type { EndpointMethod } from '../../../kit/module.js';
import type { DocumentedRoute } from '../application.js';
import { isRequired } from '../../../model/field.js';
import { kindContext, isShown, type DocumentView } from '../view.js';

/** The operations of functions that the caller may call, and of endpoints; those of units only if it may read any. */
export function functionOperations(kind: KindDef, view: DocumentView): PlacedOperation[] {
  return view.functions(kind).flatMap((declared) =>
    declared.methods.flatMap((method): PlacedOperation[] => {
      const route = routeOf(declared, method, view);
      if (!isShown(route, kind, view)) return [];
      const path = documentedPath(route, kind)
        .replace('{project_id}', view.project)
        .replace(/\{(?:function|endpoint)_name\}/, declared.name);
      return [{ path, method: route.method, operation: functionOperation(declared, route, path, kind, view) }];
    }),
  );
}

/** Ids of the function routes, by scope and method. */
const ROUTE_IDS = {
  kind: { GET: 'function.query', POST: 'function.post' },
  unit: { GET: 'unit_function.query', POST: 'unit_function.post' },
  endpoint: { GET: 'endpoint.get', POST: 'endpoint.post', PUT: 'endpoint.put', DELETE: 'endpoint.delete' },
} as const satisfies Record<DocumentedFunction['scope'], Partial<Record<EndpointMethod, string>>>;

function routeOf(
  { scope }: DocumentedFunction,
  method: EndpointMethod,
  { application }: DocumentView,
): DocumentedRoute {
  const ids: Partial<Record<EndpointMethod, string>> = ROUTE_IDS[scope];
  const routeId = ids[method];
  const found = application.routes.find(({ id }) => id === routeId);
  if (!found) throw new Error(`no route for functions of a ${scope} by ${method}`);
  return found;
}

function functionOperation(
  { name, scope, description, parameters, returns, open }: DocumentedFunction,
  route: DocumentedRoute,
  path: string,
  kind: KindDef,
  view: DocumentView,
): OpenApiOperation {
  const { tags, parameters: ofPath = [], responses, security, requestBody } = operationOf(route, path, kind, view);
  const { mayRead, names } = kindContext(view);
  const queryParameters = route.form ? [] : parameters.map((field) => queryParameter(field, mayRead));
  const all = [...ofPath, ...queryParameters];
  return {
    tags,
    operationId: names.functionOperation(kind.id, route.id, name),
    summary: `Call ${name}`,
    description: description === '' ? (route.description ?? '') : description,
    security: open ? security : SECURITY.bearer,
    ...(all.length > 0 && { parameters: all }),
    ...(scope === 'endpoint'
      ? requestBody && { requestBody }
      : route.form && { requestBody: functionRequestBody(parameters, mayRead) }),
    responses: returns
      ? { ...responses, '200': functionResponse(returns, view, writeHeaders(route, kind)) }
      : responses,
  };
}

function functionRequestBody(fields: readonly Field[], mayRead: (kindId: string) => boolean): RequestBody {
  const example = exampleBody(
    fields.filter((field) => isRequired(field) || (field.def.default === null && !field.reference)),
    isRequired,
  );
  const content = { schema: functionBody(fields, mayRead), ...(example && { example }) };
  return { required: fields.some(isRequired), content: { 'application/json': content } };
}

/** Query strings cannot express null, and contain JSON as text. */
function queryParameter(field: Field, mayRead: (kindId: string) => boolean): OpenApiParameter {
  const { def } = field;
  const { description, ...schema } = functionParameter({ ...field, def: { ...def, nullable: false } }, mayRead);
  const text: Schema = { type: 'string', contentMediaType: 'application/json' };
  const plain = field.type.inQuery === 'json' ? (def.multiple ? { type: 'array', items: text } : text) : schema;
  return {
    name: field.id,
    in: 'query',
    required: isRequired(field),
    ...(typeof description === 'string' && { description }),
    schema: plain,
    ...(def.multiple && { style: 'form', explode: true }),
  };
}
