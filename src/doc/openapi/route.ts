/** What the document knows of a route. */
import type { QueryName } from '../../http/query-names.js';
import type { Operation as Right } from '../../model/special.js';
import type { RemoteOperation } from '../../unit/remotes.js';
import type { ErrorStatus } from './error.responses.js';
import type { Method } from './openapi.js';

/** What a request has to carry: nothing, the project's key, or a bearer too (for some kinds: `access`). */
export type Needs = 'nothing' | 'project' | 'bearer' | 'access';

export type BodyForm = 'create' | 'update' | 'signup' | 'signin' | 'change' | 'recover' | 'reset' | 'function';

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

export type Tag = keyof typeof TAGS;

export interface Route {
  readonly id: string;
  readonly method: Method;
  /** With the names of the specification; `served` is the route of the application that serves it, where that is a wider one. */
  readonly path: string;
  readonly served?: string;
  readonly tag: Tag;
  /** `%` stands for the label of the kind. */
  readonly summary: string;
  readonly description?: string;
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
  readonly asks?: RemoteOperation;
  readonly administrators?: true;
  /** It answers for inactive kinds too. */
  readonly inactive?: true;
  readonly needs: Needs;
  readonly query?: readonly QueryName[];
  readonly body?: BodyForm;
  /** Undefined for what is in no envelope: `media` says what it is then. */
  readonly content?: ContentForm;
  readonly media?: string;
  /** Refusals beside those of every route. */
  readonly refuses?: readonly ErrorStatus[];
  readonly conditional?: 'read' | 'write';
}

/** Refusals that any request may meet: bytes that are no request, a head that is too large, a fault of the service. */
export const ANYWHERE: readonly ErrorStatus[] = [400, 431, 500];

/** Refusals that every route of a project may answer. */
export const COMMON: readonly ErrorStatus[] = [400, 401, 403, 404, 431, 500, 503];
