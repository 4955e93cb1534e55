/** Units that a client names: kinds, groups, parameters and link types. */
import { identifierFromLabel, isIdentifier } from '../../shared/identifiers.js';
import type { Body } from './draft.js';

/** A body without a label is labelled with its id; what is wrong with that one is told of the id alone. */
export function withLabel(body: Body): Body {
  if (body.has('label')) return body;
  const id = body.get('id');
  return new Map([...body, ['label', isIdentifier(id) ? id : '']]);
}

/** The id that a unit of the body would have; undefined where there is none. */
export function idOfBody(body: Body): string | undefined {
  const [id, label] = [body.get('id'), body.get('label')];
  if (id !== undefined) return typeof id === 'string' ? id : undefined;
  return typeof label === 'string' ? identifierFromLabel(label) : undefined;
}
