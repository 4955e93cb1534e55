/**
 * Describes routes for the API document. Decorators of @nestjs/swagger state what holds for every kind; the extension
 * `x-route`, which is removed from the document, has what `doc/openapi/` needs to make the paths of each kind.
 */
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBody, ApiExtension, ApiOperation, ApiQuery, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Remote } from '../../kit/module.js';
import type { GROUP_KIND, KIND_KIND, LinkOperation, Operation as Right } from '../../model/built-in-traits.js';
import type { ErrorKind } from '../../shared/errors.js';
import type { DtoClass } from '../body/dto.js';
import type { QueryName } from './query-names.js';

/** What a request must send: nothing, the project key, or a bearer token too (`access`: for some kinds); `agent`: an agent's key alone. */
type Needs = 'nothing' | 'project' | 'bearer' | 'access' | 'agent';

/** Forms of bodies that depend on the kind. */
type BodyForm =
  | 'create'
  | 'update'
  | 'signup'
  | 'function'
  | 'endpoint'
  | 'newLink'
  | 'link'
  | 'links'
  | 'batch'
  | 'live'
  | 'message'
  | 'file'
  | 'upload'
  | 'content'
  | 'part'
  | 'providerAnswer'
  | 'model';

export type ContentForm =
  | 'unit'
  | 'created'
  | 'units'
  | 'affected'
  | 'anyUnit'
  | 'anyUnits'
  | 'linkedUnits'
  | 'groups'
  | 'kind'
  | 'kinds'
  | 'descriptors'
  | 'struct'
  | 'link'
  | 'links'
  | 'imported'
  | 'nothing'
  | 'session'
  | 'sessionOrCode'
  | 'me'
  | 'rights'
  | 'sessions'
  | 'ways'
  | 'secondStep'
  | 'totp'
  | 'recoveryCodes'
  | 'passkey'
  | 'ticket'
  | 'discovery'
  | 'passkeyOptions'
  | 'mail'
  | 'explanation'
  | 'accessReport'
  | 'health'
  | 'minutes'
  | 'batch'
  | 'function'
  | 'functions'
  | 'functionRun'
  | 'changes'
  | 'versions'
  | 'reverted'
  | 'functionRuns'
  | 'webhookPing'
  | 'webhookSecret'
  | 'webhookDelivery'
  | 'webhookDeliveries'
  | 'functionFailure'
  | 'functionFailures'
  | 'fileUrl'
  | 'settings'
  | 'agentCalls'
  | 'model'
  | 'modelPlan'
  | 'modelApplied';

export const TAGS = {
  Authentication: 'Members sign up, sign in and look after their sessions.',
  Kinds: 'Record types.',
  Units: 'The records of a kind.',
  Groups: 'Named collections of kinds.',
  Files: 'Pictures and documents, which are units of the kind `file`.',
  Parameters: 'The definitions of fields, each under its type.',
  Links: 'Parents and children among units.',
  Changes: 'What has happened to units.',
  Webhooks: 'Changes are sent to other services.',
  Functions: 'What the project brings in code.',
  Agents: 'Agents use the service by the Model Context Protocol.',
  Batch: 'Several operations in one transaction.',
  Project: 'What administrators set for the whole project.',
  Documentation: 'This document and its page.',
  Service: 'How the service is.',
} as const;

export type RouteTag = keyof typeof TAGS;

/** Facts about a route that its description and its visibility depend on. */
export interface RouteFacts {
  /**
   * The kinds that have such a path: all, those with a unique parameter, those whose units can be linked, those of which one request can create many units, those of these that have no contents, member kinds, those whose units have contents, or none in particular.
   * `recorded`: those with a history. Undefined for paths without a kind.
   */
  readonly of?: 'all' | 'keyed' | 'linkable' | 'bulk' | 'imported' | 'members' | 'contents' | 'recorded' | 'none';
  /** The path is the same for all kinds and is documented once, with the list of kinds. */
  readonly joint?: true;
  /** Rights on the kind, any of which the caller needs. */
  readonly rights?: readonly Right[];
  /** The operation on links, for which a link type may have its own access in place of `rights`. */
  readonly onLinks?: LinkOperation;
  /** The built-in kind whose rights count, if the path names it. */
  readonly kind?: typeof KIND_KIND | typeof GROUP_KIND;
  /** Another built-in kind whose units the caller must be able to read. */
  readonly reads?: typeof KIND_KIND | typeof GROUP_KIND;
  /** The operation that it needs from the source of a remote kind. */
  readonly sourceOperation?: keyof Remote;
  readonly administrators?: true;
  /** It also works for inactive kinds. */
  readonly inactive?: true;
  readonly needs: Needs;
  /** The form of a body that depends on the kind; fixed bodies are classes. */
  readonly form?: BodyForm;
  /** The content of the envelope; undefined for an answer without one, whose types are in `media`. */
  readonly content?: ContentForm;
  readonly media?: string | readonly string[];
  readonly conditional?: 'read' | 'write';
  /** It answers a content, of which `Range` asks for a part. */
  readonly ranged?: true;
  /** It is of tus, whose answers have no body: the status of success. */
  readonly tus?: 200 | 201 | 204;
  /** It leads browsers on: the status of success. */
  readonly leads?: 302 | 303;
  /**
   * It has transactions of its own, or none: it is no operation of a batch, takes no idempotency key, and does its own
   * dry runs.
   */
  readonly alone?: true;
  /** It keeps its answers for idempotency keys itself, although it is alone. */
  readonly keepsAnswers?: true;
  /** It can find units instead of creating them, and answers what happened. */
  readonly upserts?: true;
  /** Error statuses besides those of every route. */
  readonly refuses?: readonly ErrorKind['status'][];
}

interface RouteDescription extends RouteFacts {
  readonly id: string;
  readonly tag: RouteTag;
  /** `%` is replaced by the label of the kind. */
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly QueryName[];
  /** The class of a body of fixed shape. */
  readonly body?: DtoClass<object>;
}

/** A more specific path that the same route serves. */
interface RouteVariant extends RouteFacts, Pick<RouteDescription, 'id' | 'tag' | 'summary' | 'description' | 'query'> {
  readonly path: string;
}

/** The content of the extension `x-route`. */
export interface RouteExtension {
  readonly facts: RouteFacts;
  readonly variants: readonly RouteVariant[];
}

export const ROUTE_EXTENSION = 'x-route';

/** What the service itself needs to know of a route when it is called. */
export interface DescribedRoute extends Pick<RouteFacts, 'alone' | 'keepsAnswers' | 'of'> {
  readonly tag: RouteTag;
  readonly query: readonly QueryName[];
  /** The paths of its variants. */
  readonly variants: readonly string[];
}

const DESCRIBED = 'kind:route';
const reflector = new Reflector();

/** The description of a handler, or of the function of the router that calls it. */
export function routeOf(handler: object): DescribedRoute | undefined {
  return reflector.get<DescribedRoute | undefined>(DESCRIBED, handler as never);
}

/** The security requirements of OpenAPI, any of which a request has to fulfil. */
export const SECURITY: Readonly<Record<Needs, readonly Record<string, []>[]>> = {
  nothing: [],
  project: [{ project: [] }],
  bearer: [{ project: [], bearer: [] }],
  access: [{ project: [] }, { project: [], bearer: [] }],
  agent: [{ bearer: [] }],
};

/** Describes a route, and more specific paths that it also serves. */
export function ApiRoute(route: RouteDescription, ...variants: RouteVariant[]): MethodDecorator {
  const { id, tag, summary, description, query = [], body, ...facts } = route;
  return applyDecorators(
    SetMetadata(DESCRIBED, {
      tag,
      query,
      variants: variants.map(({ path }) => path),
      ...(facts.of && { of: facts.of }),
      ...(facts.alone && { alone: true }),
      ...(facts.keepsAnswers && { keepsAnswers: true }),
    } satisfies DescribedRoute),
    ApiTags(tag),
    ApiOperation({ operationId: id, summary, ...(description !== undefined && { description }) }),
    ...SECURITY[facts.needs].map((each) => ApiSecurity(each)),
    ...query.map((name) => ApiQuery({ name, required: false })),
    ...(body ? [ApiBody({ type: body })] : []),
    ...(facts.refuses ?? []).map((status) => ApiResponse({ status })),
    ApiExtension(ROUTE_EXTENSION, { facts, variants } satisfies RouteExtension),
  );
}
