/** Reads the body of a request for live lists. Reports all faults of all queries. Pure. */
import { urlQueryParameters } from '../../http/route/parse-list-query.js';
import { Faults, refusal } from '../../shared/errors.js';
import { IDENTIFIER_HINT, isIdentifier } from '../../shared/identifiers.js';
import { isPlainObject, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { AskedList } from './live.plan.js';

const KEYS = ['as', 'path'];
const PATH = /^\/([^/?#]+)\/unit(?:\/([^/?#]+))?(?:\?[^#]*)?$/;

/** @throws KindError 400 */
export function readLive(body: unknown): readonly AskedList[] {
  const given = isPlainObject(body) ? body['queries'] : undefined;
  const most = LIMITS.liveQueries;
  if (!isPlainObject(body) || Object.keys(body).some((key) => key !== 'queries') || !Array.isArray(given)) {
    throw refusal(
      'live.bad_query',
      `The body wants {"queries": [{"as": "tasks", "path": "/task/unit"}]} and nothing else`,
    );
  }
  if (given.length === 0 || given.length > most) {
    throw refusal('live.bad_query', `queries: 1 to ${most} of them, got ${given.length}`);
  }
  const faults = new Faults();
  const names = new Set<string>();
  const asked = given.flatMap((query: unknown, operation) => {
    const bad = (text: string): void => faults.add('live.bad_query', `queries[${operation}]: ${text}`, { operation });
    if (!isPlainObject(query)) {
      bad(`an object is wanted, got ${typeName(query)}`);
      return [];
    }
    for (const key of Object.keys(query)) {
      if (!KEYS.includes(key)) bad(`a query has no '${key.slice(0, 60)}'${faults.hint(key, KEYS)}`);
    }
    const { as, path } = query;
    if (!isIdentifier(as)) bad(`as: wants ${IDENTIFIER_HINT}`);
    else if (names.has(as)) bad(`as: '${as}' is the name of an earlier query`);
    else names.add(as);
    const place = pathOf(path);
    if (!place) bad(`path: wants a list or a unit, such as /task/unit?order=title or /task/unit/1`);
    return place && isIdentifier(as) ? [{ as, ...place }] : [];
  });
  faults.throwIfAny();
  return asked;
}

function pathOf(path: unknown): Omit<AskedList, 'as'> | undefined {
  if (typeof path !== 'string' || path.length > LIMITS.batchPath) return undefined;
  const [, kind, unit] = PATH.exec(path) ?? [];
  const [kindId, unitId] = [decoded(kind), decoded(unit)];
  if (kindId === undefined || (unit !== undefined && unitId === undefined)) return undefined;
  return { kindId, unitId, parameters: urlQueryParameters(path) };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
