/** Makes the operation of a route: for one kind, for all kinds that have the same one, or for none. Pure. */
import { NO_QUERY, REMOTE_GET_QUERY, REMOTE_LIST_QUERY, type QueryName } from '../../http/route/query-names.js';
import { isMemberKind, PARAMETER_GROUP, type KindDef } from '../../model/model.js';
import { LIMITS } from '../../shared/limits.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import { signUpBody } from './bodies.js';
import {
  parameterRef,
  schemaRef,
  type Operation,
  type Parameter,
  type PlacedOperation,
  type Ref,
  type RequestBody,
  type Schema,
} from './openapi.js';
import { componentOf, kindParameter } from './path.parameters.js';
import { componentOfQuery } from './query.parameters.js';
import { mayTakeMany, responsesOf } from './response.js';
import type { Route } from './route.js';
import { exampleOf, signUpExample } from './unit.example.js';
import { createSchema } from './unit.schema.js';
import { contextOf, hasRight, type View } from './view.js';

/** @param kind undefined for the path of no kind, or of any */
export function operationOf(route: Route, path: string, kind: KindDef | undefined, view: View): Operation {
  const kinds = kind ? [kind] : [];
  const parameters = parametersOf(route, path, kind);
  const body = bodyOf(route, kind, view);
  return {
    operationId: operationIdOf(route, kind, view),
    tags: [kind && route.of ? tagOfKind(kind, view) : route.tag],
    summary: route.summary.replace('%', () => kind?.label ?? 'a kind'),
    ...(route.description !== undefined && { description: route.description }),
    security: securityOf(route, kinds, view),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: responsesOf(route, kinds, view),
  };
}

/** The operation of a route that is the same for every kind: once, with the kinds that have it; none where none has. */
export function jointOperation(route: Route, view: View): PlacedOperation[] {
  const { path, method } = route;
  const kinds = view.kinds.filter((kind) => view.routes.get(kind)?.has(route));
  if (kinds.length === 0) return [];
  const [, ...rest] = parametersOf(route, path, undefined);
  const operation: Operation = {
    ...operationOf(route, path, undefined, view),
    security: securityOf(route, kinds, view),
    parameters: [kindParameter(path, kinds), ...rest],
    responses: responsesOf(route, kinds, view),
  };
  return [{ path, method, operation }];
}

function operationIdOf({ id, of }: Route, kind: KindDef | undefined, { names }: View): string {
  if (of === undefined) return id;
  return kind ? names.operation(kind.id, id) : `any.${id}`;
}

/** The tag of what is of one kind alone. */
export function tagOfKind(kind: KindDef, { names }: View): string {
  if (kind.groups.includes(PARAMETER_GROUP)) return 'Parameters';
  return BUILT_IN_TAGS.get(kind.id) ?? names.tag(kind.id);
}

const BUILT_IN_TAGS: ReadonlyMap<string, string> = new Map([
  ['kind', 'Kinds'],
  ['group', 'Groups'],
  ['link', 'Links'],
]);

export const KEY = { project: [] } as const;
export const KEY_AND_TOKEN = { project: [], bearer: [] } as const;

/** No token is asked for where one of the kinds needs none. */
function securityOf({ needs, rights }: Route, kinds: readonly KindDef[], view: View): Operation['security'] {
  if (needs === 'nothing') return [];
  if (needs === 'project') return [KEY];
  if (needs === 'bearer') return [KEY_AND_TOKEN];
  const asAnyone = { ...view, caller: ANONYMOUS };
  const open = view.generic || !rights || kinds.length === 0 || kinds.some((kind) => hasRight(asAnyone, kind, rights));
  return open ? [KEY, KEY_AND_TOKEN] : [KEY_AND_TOKEN];
}

function parametersOf(route: Route, path: string, kind: KindDef | undefined): (Parameter | Ref)[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => componentOf(name, kind));
  return [
    ...names.map(parameterRef),
    ...queryOf(route, kind).map(componentOfQuery).map(parameterRef),
    ...(route.conditional === 'read' ? [parameterRef('IfNoneMatch')] : []),
    ...(route.conditional === 'write' ? [parameterRef('IfMatch')] : []),
  ];
}

/** The query of a route, of a kind where it is of one. */
function queryOf({ id, query, form }: Route, kind: KindDef | undefined): readonly QueryName[] {
  if (id === 'list' && kind?.remote) return REMOTE_LIST_QUERY;
  if (id === 'get' && kind?.remote) return REMOTE_GET_QUERY;
  // By an edit only definitions lose something.
  if (form === 'update' && kind && !(kind.builtIn && !isMemberKind(kind))) return NO_QUERY;
  return query;
}

function bodyOf({ body, form }: Route, kind: KindDef | undefined, view: View): RequestBody | undefined {
  switch (form) {
    case undefined:
      return body;
    case 'function':
      return { ...json({ type: 'object', additionalProperties: true }), required: false };
    case 'signup':
      return signUp(kind, view);
    case 'create':
    case 'update': {
      const unit = kind ? schemaRef(view.names.schema(kind.id, form)) : schemaRef('kind_unit_body');
      const many = form === 'create' && mayTakeMany(kind);
      const schema = many ? { anyOf: [unit, { type: 'array', items: unit, maxItems: LIMITS.bulk }] } : unit;
      return json(schema, kind && exampleOf(kind, contextOf(view), form === 'create'));
    }
  }
}

/** It takes of the member kind the same as a create by the same caller. */
function signUp(kind: KindDef | undefined, view: View): RequestBody {
  const context = contextOf(view);
  const body = signUpBody(view.application.schemas, kind && createSchema(kind, context));
  return json(body, kind && signUpExample(kind, context));
}

function json(schema: Schema, example?: Schema): RequestBody {
  return { required: true, content: { 'application/json': { schema, ...(example && { example }) } } };
}
