/**
 * How controllers describe their routes. The decorators of @nestjs/swagger say what holds of every route; what the paths of
 * each kind are made by (`doc/openapi/`) stands in the extension `x-route`, and is in no document.
 */
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtension, ApiOperation, ApiQuery, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Remote } from '../../kit/remote.js';
import type { Operation as Right } from '../../model/built-in-traits.js';
import type { ErrorKind } from '../../shared/errors.js';
import type { DtoClass } from '../body/dto.js';
import type { QueryName } from './query-names.js';

/** What a request has to carry: nothing, the project's key, or a bearer too (for some kinds: `access`). */
export type Needs = 'nothing' | 'project' | 'bearer' | 'access';

/** Bodies that depend on the kind. */
export type BodyForm = 'create' | 'update' | 'signup' | 'function';

export type ContentForm =
  | 'unit'
  | 'created'
  | 'units'
  | 'anyUnit'
  | 'anyUnits'
  | 'linkedUnits'
  | 'kind'
  | 'kinds'
  | 'descriptors'
  | 'struct'
  | 'link'
  | 'nothing'
  | 'session'
  | 'sessionOrCode'
  | 'explanation'
  | 'health'
  | 'function';

export const TAGS = {
  Authentication: 'Members sign up, sign in and look after their sessions.',
  Kinds: 'Record types.',
  Units: 'The records of a kind.',
  Groups: 'Named collections of kinds.',
  Parameters: 'The definitions of fields, each under its type.',
  Links: 'Parents and children among units.',
  Functions: 'What the project brings in code.',
  Documentation: 'This document and its page.',
  Service: 'How the service is.',
} as const;

export type RouteTag = keyof typeof TAGS;

/** What is shown of a route, and to whom. */
export interface RouteFacts {
  /** Of which kinds there is such a path: of all, of those whose units can be linked, of member kinds, or of no single one. Undefined for a path of no kind. */
  readonly of?: 'all' | 'linkable' | 'members' | 'none';
  /** It is the same for every kind, and stands once, with the kinds that have it. */
  readonly joint?: true;
  /** What a caller must have of the kind: any of these rights. */
  readonly rights?: readonly Right[];
  /** The kind of the model whose rights count, for a path that names it. */
  readonly kind?: 'kind' | 'group';
  /** Another kind of the model, whose units the caller must be able to read. */
  readonly reads?: 'kind' | 'group';
  /** What it asks of the source of a remote kind. */
  readonly asks?: keyof Remote;
  readonly administrators?: true;
  /** It answers for inactive kinds too. */
  readonly inactive?: true;
  readonly needs: Needs;
  /** A body that depends on the kind; those of fixed shape are classes. */
  readonly form?: BodyForm;
  /** Undefined for what is in no envelope: `media` says what it is then. */
  readonly content?: ContentForm;
  readonly media?: string;
  readonly conditional?: 'read' | 'write';
  /** Refusals beside those of every route. */
  readonly refuses?: readonly ErrorKind['status'][];
}

export interface RouteDescription extends RouteFacts {
  readonly id: string;
  readonly tag: RouteTag;
  /** `%` stands for the label of the kind. */
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly QueryName[];
  /** The class of a body of fixed shape. */
  readonly body?: DtoClass<object>;
}

/** A narrower path that the same route serves. */
export interface RouteVariant
  extends RouteFacts, Pick<RouteDescription, 'id' | 'tag' | 'summary' | 'description' | 'query'> {
  readonly path: string;
}

/** What the extension `x-route` of an operation holds. */
export interface RouteExtension {
  readonly facts: RouteFacts;
  readonly variants: readonly RouteVariant[];
}

export const ROUTE_EXTENSION = 'x-route';

const SECURITY: Readonly<Record<Needs, readonly Record<string, string[]>[]>> = {
  nothing: [],
  project: [{ project: [] }],
  bearer: [{ project: [], bearer: [] }],
  access: [{ project: [] }, { project: [], bearer: [] }],
};

/** Describes a route, and narrower paths that it serves too. */
export function ApiRoute(described: RouteDescription, ...variants: RouteVariant[]): MethodDecorator {
  const { id, tag, summary, description, query = [], body, ...facts } = described;
  return applyDecorators(
    ApiTags(tag),
    ApiOperation({ operationId: id, summary, ...(description !== undefined && { description }) }),
    ...SECURITY[facts.needs].map((each) => ApiSecurity(each)),
    ...query.map((name) => ApiQuery({ name, required: false })),
    ...(body ? [ApiBody({ type: body })] : []),
    ...(facts.refuses ?? []).map((status) => ApiResponse({ status })),
    ApiExtension(ROUTE_EXTENSION, { facts, variants } satisfies RouteExtension),
  );
}
