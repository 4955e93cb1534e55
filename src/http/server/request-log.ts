/** Logs each request at level debug, and slow ones at warn: of each kind of a project one in a second. */
import type { Logger } from 'pino';
import { EventThrottle } from '../../shared/event-throttle.js';
import { PROJECT_ID } from '../../shared/identifiers.js';
import { routePath, type Route } from '../route/route-path.js';
import type { RequestObserver } from './request-lifecycle.js';
import { PROJECT_HEADER } from '../header-names.js';
import { loggedIds } from '../request/request-id.js';
import type { HttpRequest } from '../request/request.js';

const SLOW_MS = 1000;
/** Milliseconds. If there is more load than capacity, nearly all requests are slow, and a line costs as much as some of them. */
const SLOW_LOG_INTERVAL = 1000;
/** Refusals are held back, and their reasons are logged with them. */
const REFUSED = 503;
/** As in /api/lib/city/unit. */
const PLACE_PARTS = 5;
const LONGEST_PLACE = 200;
/** Requests that take as long as their file or content is large, or as they say that they wait, and streams. */
const LONG =
  /^\/api\/lib\/(?:[^/]+\/(?:import|export)|changes|live|file\/unit\/[^/]+\/content|file\/upload(?:\/[^/]+)?|project\/[^/]+\/file\/.+)$/;

/** Parts of paths that are names of definitions. Others are values of units (ids, natural keys, unique values). */
const NAMES =
  /^:(?:(?:parent_|child_|member_)?kind_id|group_id|link_id|direction|function_name|unique_parameter|project_id|endpoint_name)$/;

/** A path without secrets (the token of a password reset), for error messages. */
export function loggedPath(path: string): string {
  return path.replace(/(reset(?:_|%5f)password(?:\/|%2f)+).+/i, '$1…');
}

export function requestLog(logger: Logger): RequestObserver {
  const throttle = new EventThrottle(SLOW_LOG_INTERVAL);
  return (request, status, milliseconds): void => {
    const slow = milliseconds > SLOW_MS && status !== REFUSED && !LONG.test(request.path);
    if (!slow && !logger.isLevelEnabled('debug')) return;
    const path = placeOf(request);
    const project = namedProject(request);
    const count = slow ? throttle.pass(`${project} ${request.method} ${path}`) : undefined;
    if (count === undefined && !logger.isLevelEnabled('debug')) return;
    const fields = {
      ...loggedIds(request),
      project,
      method: request.method,
      path,
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
    };
    if (count === undefined) logger.debug(fields, 'request');
    else logger.warn(count > 1 ? { ...fields, count } : fields, 'slow request');
  };
}

/** The route with the names of definitions, but no values of units; without a route the first parts of the path. */
function placeOf({ path, route }: HttpRequest): string {
  const pattern = (route as Route | undefined)?.path;
  const parts = path.split('/');
  if (typeof pattern !== 'string' || pattern.includes('*')) {
    const place = parts.slice(0, PLACE_PARTS).join('/');
    return `${place.slice(0, LONGEST_PLACE)}${parts.length > PLACE_PARTS ? '/…' : ''}`;
  }
  const shown = pattern.split('/').map((part, at) => (NAMES.test(part) ? (parts[at] ?? part) : part));
  return routePath({ path: shown.join('/') }) ?? '';
}

/** The project that a request names, in its path or its header, for logs; undefined for what can be none. */
export function namedProject({ headers, params }: Pick<HttpRequest, 'headers' | 'params'>): string | undefined {
  // Before a route is found there are no `params`.
  const { project_id: inPath } = (params as HttpRequest['params'] | undefined) ?? {};
  const key = inPath ?? headers[PROJECT_HEADER];
  return typeof key === 'string' && PROJECT_ID.test(key) ? key : undefined;
}
