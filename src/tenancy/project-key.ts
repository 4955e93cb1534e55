/**
 * Reads the key of the project from the header `kind-project-key`. `http/request/request-head.ts` has refused requests
 * that repeat it.
 */
import { PROJECT_HEADER } from '../http/request/header-names.js';
import type { HttpRequest } from '../http/request/request.js';
import { nearestTo } from '../shared/did-you-mean.js';
import { refusal } from '../shared/errors.js';

export function hasProjectKey({ headers }: HttpRequest): boolean {
  return headers[PROJECT_HEADER] !== undefined;
}

/** @throws KindError 400 if the header is missing or empty, with a header of a similar name if there is one */
export function readProjectKey({ headers }: HttpRequest): string {
  const key = headers[PROJECT_HEADER];
  if (typeof key === 'string' && key.trim() !== '') return key.trim();
  const others = Object.keys(headers).filter((name) => !['host', PROJECT_HEADER].includes(name));
  const meant = nearestTo(PROJECT_HEADER, others);
  const hint = meant === undefined ? '' : ` (there is '${meant}': did you mean '${PROJECT_HEADER}'?)`;
  throw refusal('project.missing', `The header ${PROJECT_HEADER} is missing${hint}`);
}
