/** What the document knows of a route. */
import type { RouteFacts, RouteTag } from '../../http/route/api-route.js';
import type { QueryName } from '../../http/route/query-names.js';
import type { ErrorStatus } from './error.responses.js';
import type { OpenApiMethod, RequestBody } from './openapi.js';

export interface Route extends RouteFacts {
  readonly id: string;
  readonly method: OpenApiMethod;
  readonly path: string;
  readonly tag: RouteTag;
  readonly summary: string;
  readonly description?: string;
  readonly query: readonly QueryName[];
  /** A body of fixed shape. */
  readonly body?: RequestBody;
}

/** Refusals that any request may meet: bytes that are no request, a head that is too large, a fault of the service. */
export const COMMON_STATUSES: readonly ErrorStatus[] = [400, 431, 500];

/** Refusals that every route of a project may answer. */
export const PROJECT_STATUSES: readonly ErrorStatus[] = [400, 401, 403, 404, 431, 500, 503];
