/** A route as the document describes it. */
import type { RouteFacts, RouteTag } from '../../http/route/api-route.js';
import type { KindDef } from '../../model/model.js';
import type { QueryName } from '../../http/route/query-names.js';
import type { ErrorStatus } from './operation/error.responses.js';
import type { OpenApiMethod, RequestBody } from './openapi.js';

export interface DocumentedRoute extends RouteFacts {
  readonly id: string;
  readonly method: OpenApiMethod;
  readonly path: string;
  readonly tag: RouteTag;
  readonly summary: string;
  readonly description?: string;
  readonly query: readonly QueryName[];
  /** The body, if its shape is fixed. */
  readonly body?: RequestBody;
}

/** Statuses of any request: invalid HTTP, a head that is too large, an internal error. */
export const COMMON_STATUSES: readonly ErrorStatus[] = [400, 431, 500];

/** Statuses of any route of a project. */
export const PROJECT_STATUSES: readonly ErrorStatus[] = [400, 401, 403, 404, 429, 431, 500, 503];

const TAGS_WITHOUT_KEY: ReadonlySet<RouteTag> = new Set(['Authentication', 'Documentation', 'Service']);

/** Whether the answers of a route can set or delete the cookie with the refresh token. */
export function takesCookie({ id, content }: DocumentedRoute): boolean {
  return content === 'session' || content === 'sessionOrCode' || id === 'auth.signout';
}

/** What reads answer that may come from a replica. */
const OLDER: ReadonlySet<unknown> = new Set<RouteFacts['content']>(['units', 'anyUnits', 'linkedUnits', 'groups']);

/** Whether the requests of a route can accept older data: not those of remote kinds, which no replica has. */
export function takesConsistency({ method, content }: DocumentedRoute, kind?: KindDef): boolean {
  if (kind && !kind.storage.transactional) return false;
  return method === 'get' && OLDER.has(content);
}

/** Whether the requests of a route can have an idempotency key: not for remote kinds, nor for answers with a secret. */
export function takesKey({ method, tag, alone, keepsAnswers, of, form }: DocumentedRoute, kind?: KindDef): boolean {
  if (kind && of === 'all' && !kind.storage.transactional) return false;
  if (form === 'create' && kind?.traits?.secret !== undefined) return false;
  return method !== 'get' && (!alone || keepsAnswers === true) && !TAGS_WITHOUT_KEY.has(tag);
}
