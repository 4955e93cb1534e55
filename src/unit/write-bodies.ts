/** Parses the bodies of writes of units. */
import { parseBody, type ReceivedBody } from '../http/body/read-body.js';
import type { KindDef } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import { isPlainObject, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { andThen, type MaybePromise } from '../shared/maybe-promise.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import type { Session } from '../catalog/session/session.js';
import { bodyOf, type Body } from './draft/draft.js';
import type { NotObject } from './draft/drafter.js';

/** Parses the body of an edit when it is first read. */
export function objectReader(
  { project }: Pick<Session, 'project'>,
  { contentType }: { readonly contentType: string | undefined },
  bytes: ReceivedBody,
): () => MaybePromise<Body> {
  let body: MaybePromise<Body> | undefined;
  return () => (body ??= andThen(parseBody(bytes, contentType, project.schema), objectBody));
}

function objectBody(value: unknown): Body {
  if (isPlainObject(value)) return bodyOf(value);
  throw refusal(
    'body.not_object',
    `The body must be a JSON object, got ${value === undefined ? 'none' : typeName(value)}`,
  );
}

/** Reads one object, or for users' kinds a list of objects. @throws KindError 400 */
export function* bodiesOf(
  value: unknown,
  kind: KindDef,
): WorkInPieces<{ bodies: (Body | NotObject)[]; bulk: boolean }> {
  if (!Array.isArray(value) || !kind.storage.bulk) return { bodies: [objectBody(value)], bulk: false };
  if (value.length > LIMITS.bulk) {
    throw refusal('body.too_many', `At most ${LIMITS.bulk} objects in one body, got ${value.length}`);
  }
  const bodies: (Body | NotObject)[] = [];
  for (const item of value as unknown[]) {
    bodies.push(isPlainObject(item) ? bodyOf(item) : { actualType: typeName(item) });
    if (bodies.length % 64 === 0) yield;
  }
  return { bodies, bulk: true };
}
