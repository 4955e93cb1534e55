/** Units that a client names: kinds, groups, parameters and link types. */
import type { Body } from './draft.js';

/** A body with an id but no label is labelled with the id. */
export function withLabel(body: Body): Body {
  const id = body.get('id');
  return body.has('label') || typeof id !== 'string' ? body : new Map([...body, ['label', id]]);
}
