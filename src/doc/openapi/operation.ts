/** Makes the operation of a route, for a kind where it is of one. Pure. */
import { grantOf, mayAtAll } from '../../access/access.js';
import {
  GET_QUERY,
  LIST_QUERY,
  NO_QUERY,
  REMOTE_GET_QUERY,
  REMOTE_LIST_QUERY,
  type QueryName,
} from '../../http/query-names.js';
import { isMemberKind, type KindDef, type Model } from '../../model/model.js';
import type { Operation as Right } from '../../model/special.js';
import { LIMITS } from '../../shared/limits.js';
import { ANONYMOUS, isAdministrator, type Caller } from '../../tenancy/caller.js';
import type { RemoteOperation } from '../../unit/remotes.js';
import { takesMany } from '../../unit/writer.js';
import type { DocumentedFunction } from '../documented-functions.js';
import { AUTH_BODIES, signUpBody } from './bodies.js';
import { ERROR_NAMES, type ErrorStatus } from './error.responses.js';
import {
  headerRef,
  parameterRef,
  responseRef,
  schemaRef,
  type Operation,
  type Parameter,
  type Ref,
  type RequestBody,
  type Response,
  type Schema,
} from './openapi.js';
import { componentOf } from './path.parameters.js';
import type { KindNames } from './names.js';
import { componentOfQuery } from './query.parameters.js';
import { ANYWHERE, COMMON, type ContentForm, type Route } from './route.js';
import { enveloped, pageOf } from './shared.schemas.js';
import { createSchema, exampleOf, recordFields, type KindContext } from './unit.schema.js';

/** Of whom and of what a document is. */
export interface View {
  readonly model: Model;
  readonly caller: Caller;
  /** Of no project: paths of any kind stand beside those of the built-in ones, and any of them may be open. */
  readonly generic: boolean;
  readonly names: KindNames;
  /** The functions of a kind that the caller may call. */
  readonly functions: (kind: KindDef) => readonly DocumentedFunction[];
  /** Whether the source of a remote kind can not do something. */
  readonly lacks: (kind: KindDef, operation: RemoteOperation) => boolean;
}

/** A view whose names are yet to be found. */
export type Seen = Omit<View, 'names'>;

/** Whether the caller has any of the rights to units of a kind. */
export function hasRight({ model, caller }: Seen, kind: KindDef, rights: readonly Right[] = []): boolean {
  return rights.some((right) => mayAtAll(kind, right, caller, model));
}

/** Whether units of the kind can be created by the caller. */
export function mayCreate(view: Seen, kindId: string): boolean {
  const kind = view.model.kinds.get(kindId);
  return kind !== undefined && kind.active && hasRight(view, kind, ['create']);
}

/** What the schemas of kinds ask of the caller. */
export function contextOf(view: View): KindContext {
  return {
    caller: view.caller,
    mayCreate: (id) => mayCreate(view, id),
    mayRead: (id) => hasRecord(view, id),
    names: view.names,
  };
}

/** Whether the unit endpoints of a kind have a schema of what they answer. */
export function hasRecord(view: Seen, kindId: string): boolean {
  const kind = view.model.kinds.get(kindId);
  return kind !== undefined && kind.active && hasRight(view, kind, ['read']);
}

export function operationOf(route: Route, path: string, kind: KindDef | undefined, view: View): Operation {
  const parameters = parametersOf(route, path, kind);
  const body = bodyOf(route, kind, view);
  return {
    operationId: operationIdOf(route, kind, view),
    tags: [tagOf(route, kind, view)],
    summary: route.summary.replace('%', () => kind?.label ?? 'a kind'),
    ...(route.description !== undefined && { description: route.description }),
    security: securityOf(route, kind, view),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: responsesOf(route, kind, view),
  };
}

function operationIdOf({ id, of }: Route, kind: KindDef | undefined, { names }: View): string {
  if (of === undefined) return id;
  return kind ? names.operation(kind.id, id) : `any.${id}`;
}

function tagOf({ tag, of }: Route, kind: KindDef | undefined, { names }: View): string {
  if (!kind || of === undefined) return tag;
  if (kind.groups.includes('parameter')) return 'Parameters';
  return BUILT_IN_TAGS.get(kind.id) ?? names.tag(kind.id);
}

const BUILT_IN_TAGS: ReadonlyMap<string, string> = new Map([
  ['kind', 'Kinds'],
  ['group', 'Groups'],
  ['link', 'Links'],
]);

export const KEY = { project: [] } as const;
export const KEY_AND_TOKEN = { project: [], bearer: [] } as const;

function securityOf({ needs, rights }: Route, kind: KindDef | undefined, view: View): Operation['security'] {
  if (needs === 'nothing') return [];
  if (needs === 'project') return [KEY];
  if (needs === 'bearer') return [KEY_AND_TOKEN];
  const open = !kind || view.generic || !rights || hasRight({ ...view, caller: ANONYMOUS }, kind, rights);
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
function queryOf({ query = NO_QUERY, body }: Route, kind: KindDef | undefined): readonly QueryName[] {
  if (query === LIST_QUERY && kind?.remote) return REMOTE_LIST_QUERY;
  if (query === GET_QUERY && kind?.remote) return REMOTE_GET_QUERY;
  // By an edit only definitions lose something.
  if (body === 'update' && kind && !(kind.builtIn && !isMemberKind(kind))) return NO_QUERY;
  return query;
}

/** Of any kind, where the path names none. */
function mayTakeMany(kind: KindDef | undefined): boolean {
  return !kind || takesMany(kind);
}

function bodyOf({ body }: Route, kind: KindDef | undefined, view: View): RequestBody | undefined {
  if (body === undefined) return undefined;
  if (body === 'function') return { ...json({ type: 'object', additionalProperties: true }), required: false };
  if (body === 'signup') return json(signUpBody(kind && signUpParameters(kind, view)));
  if (body !== 'create' && body !== 'update') return json(AUTH_BODIES[body]);
  const unit = kind ? schemaRef(view.names.schema(kind.id, body)) : schemaRef('kind_unit_body');
  const many = body === 'create' && mayTakeMany(kind);
  const schema = many ? { anyOf: [unit, { type: 'array', items: unit, maxItems: LIMITS.bulk }] } : unit;
  return json(schema, kind && exampleOf(kind, contextOf(view), body === 'create'));
}

/** What a sign-up takes of the member kind: the same as a create by the same caller. */
function signUpParameters(kind: KindDef, view: View): Schema {
  return createSchema(kind, contextOf(view));
}

function json(schema: Schema, example?: Schema): RequestBody {
  return { required: true, content: { 'application/json': { schema, ...(example && { example }) } } };
}

const HOOKED: ReadonlySet<Route['body']> = new Set(['create', 'update', 'signup']);

/** Where a body may come, it may be too long, or no JSON, whether it is needed or not. */
const OF_BODIES: readonly ErrorStatus[] = [413, 415];

function responsesOf(route: Route, kind: KindDef | undefined, view: View): Operation['responses'] {
  const common = route.needs === 'nothing' ? ANYWHERE : COMMON;
  const ofBodies = route.method === 'post' || route.method === 'put' ? OF_BODIES : [];
  const hooked =
    route.content === 'function' || HOOKED.has(route.body) || (route.method === 'delete' && route.of === 'all');
  const sourced = route.asks !== undefined && (kind ? kind.remote : view.generic);
  // What authors wrote refuses with words of its own, and may take too long.
  const authored = hooked || sourced;
  const statuses = new Set([...common, ...ofBodies, ...(route.refuses ?? []), ...(authored ? ([504] as const) : [])]);
  const refusals = [...statuses].map((status): [string, Ref] => [String(status), responseRef(ERROR_NAMES[status])]);
  return {
    '200': success(route, kind, view),
    ...(route.conditional === 'read' && { '304': responseRef('NotModified') }),
    ...Object.fromEntries(refusals),
    ...(authored && { default: responseRef('Refused') }),
  };
}

function success(route: Route, kind: KindDef | undefined, view: View): Response {
  const { content, media = 'application/json' } = route;
  const versioned = ['unit', 'created', 'kind'].includes(content ?? '') || route.conditional === 'read';
  const schema = content ? enveloped(contentSchema(content, kind, view)) : MEDIA.get(media);
  return {
    description: DONE[route.method],
    headers: { 'x-request-id': headerRef('RequestId'), ...(versioned && { ETag: headerRef('ETag') }) },
    content: { [media]: { schema: schema ?? { type: 'string' } } },
  };
}

const DONE = { get: 'What was asked for.', post: 'Done.', put: 'What it is now.', delete: 'Gone.' } as const;
const MEDIA: ReadonlyMap<string, Schema> = new Map([
  ['application/json', { type: 'object', additionalProperties: true }],
]);

function contentSchema(form: ContentForm, kind: KindDef | undefined, view: View): Schema {
  const unit = unitRef(kind?.id, view);
  switch (form) {
    case 'unit':
      return unit;
    case 'created':
      return createdSchema(kind, unit, view);
    case 'units':
      return pageOf(unit);
    case 'anyUnit':
      return schemaRef('kind_unit');
    case 'anyUnits':
      return pageOf(schemaRef('kind_unit'));
    case 'linkedUnits':
      return pageOf(schemaRef('kind_linked_unit'));
    case 'kind':
      return unitRef('kind', view);
    case 'kinds':
      return pageOf(unitRef('kind', view));
    case 'descriptors':
      return pageOf(schemaRef('kind_descriptor'));
    case 'struct':
      return schemaRef('kind_struct');
    case 'link':
      return schemaRef('kind_link');
    case 'nothing':
      return schemaRef('kind_nothing');
    case 'session':
      return schemaRef('kind_session');
    case 'sessionOrCode':
      return { anyOf: [schemaRef('kind_session'), schemaRef('kind_nothing')] };
    case 'explanation':
      return schemaRef('kind_explanation');
    case 'health':
      return schemaRef('kind_health');
    case 'function':
      return {};
  }
}

function unitRef(kindId: string | undefined, view: View): Ref {
  return schemaRef(kindId !== undefined && hasRecord(view, kindId) ? view.names.schema(kindId, 'record') : 'kind_unit');
}

/** Who may read every unit of the kind is answered all of what it made. Users' kinds take many at once. */
function createdSchema(kind: KindDef | undefined, unit: Ref, view: View): Schema {
  const read = kind && grantOf(kind, 'read', view.caller, view.model);
  const whole = kind && !view.generic && read && read.predicate === undefined && hasRecord(view, kind.id);
  const one = whole ? { allOf: [unit, wholly(recordFields(kind, view.caller))] } : unit;
  return !mayTakeMany(kind) ? one : { anyOf: [one, pageOf(unit)] };
}

/** An object in which nothing of these is left out. */
function wholly(ids: readonly string[]): Schema {
  return { type: 'object', properties: Object.fromEntries(ids.map((id) => [id, {}])), required: ids };
}

export function isShown(route: Route, kind: KindDef | undefined, view: Seen): boolean {
  if (route.administrators && !isAdministrator(view.caller)) return false;
  if (kind?.remote && route.asks && view.lacks(kind, route.asks)) return false;
  if (route.reads && !hasRecord(view, route.reads)) return false;
  const subject = kind ?? view.model.kinds.get(route.kind ?? '');
  if (!subject || !route.rights) return true;
  return (subject.active || route.inactive === true) && hasRight(view, subject, route.rights);
}
