/** Ids that clients choose: of kinds, groups, parameters and link types. */
import type { ErrorCode, Faults } from '../../shared/errors.js';
import { identifierFromLabel, isIdentifier, isSystemIdentifier } from '../../shared/identifiers.js';
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

/** The ids that a new definition may not have. */
interface UnavailableIds {
  /** What the id is of, for a message: `a kind`. */
  readonly definition: string;
  readonly isReserved: (id: string) => boolean;
  readonly existing: ReadonlyMap<string, unknown>;
  readonly codes: { readonly reserved: ErrorCode; readonly exists: ErrorCode };
}

/** Adds a fault if a new definition may not have its id. */
export function checkNewId(
  id: string,
  { definition, isReserved, existing, codes }: UnavailableIds,
  faults: Pick<Faults, 'add'>,
): void {
  const add = (code: ErrorCode, text: string) => faults.add(code, `id: ${text}`, { parameter: 'id' });
  if (isReserved(id)) add(codes.reserved, `'${id}' belongs to the system; choose another id`);
  else if (isSystemIdentifier(id)) add(codes.reserved, `ids that begin with 'kind_' belong to the system`);
  else if (existing.has(id)) add(codes.exists, `${definition} '${id}' exists already`);
}
