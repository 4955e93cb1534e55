/** Ids that clients choose: of kinds, groups, parameters and link types. */
import { identifierFromLabel, isIdentifier } from '../../shared/identifiers.js';
import type { Body } from './draft.js';

/** Uses the id as label where the body has none. Faults of the id are not reported for the label too. */
export function withLabel(body: Body): Body {
  if (body.has('label')) return body;
  const id = body.get('id');
  return new Map([...body, ['label', isIdentifier(id) ? id : '']]);
}

/** The id of the unit that the body would create; undefined where it has none. */
export function idOfBody(body: Body): string | undefined {
  const [id, label] = [body.get('id'), body.get('label')];
  if (id !== undefined) return typeof id === 'string' ? id : undefined;
  return typeof label === 'string' ? identifierFromLabel(label) : undefined;
}
