/** Identifiers: patterns, reserved ids, and ids made from labels. */

/** The id of a project: the value of the header `kind-project-key`. */
export const PROJECT_ID = /^[a-z][a-z0-9_-]{1,39}$/;

/** The id of a kind, parameter, group or link type. */
export const IDENTIFIER = /^[a-z][a-z0-9_]{0,62}$/;

export const IDENTIFIER_HINT = 'a lower-case letter, then up to 62 lower-case letters, digits and _';

/** The name of a function. It does not become a name in SQL. */
export const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export const FUNCTION_NAME_HINT = 'a letter, then up to 62 letters, digits and _';

/** The name of an endpoint, which is a part of its address. */
export const ENDPOINT_NAME = /^[a-z0-9_-]{1,63}$/;

export const ENDPOINT_NAME_HINT = 'up to 63 lower-case letters, digits, _ and -';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER.test(text);
}

export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** Ids that begin with `kind_` belong to the system. */
export function isSystemIdentifier(id: string): boolean {
  return id.startsWith('kind_');
}

/**
 * Makes an id from a label: lower case, with `_` for every run of other characters; undefined if the result is no valid
 * id.
 * @example identifierFromLabel('Postal code') // 'postal_code'
 */
export function identifierFromLabel(label: string): string | undefined {
  const id = label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return IDENTIFIER.test(id) ? id : undefined;
}

/**
 * The id of a parameter's record: that of the parameter, or `ticket.state` where it belongs to the kind `ticket` alone.
 */
export function parameterRecordId({
  id,
  ownKind,
}: {
  readonly id: string;
  readonly ownKind?: string | undefined;
}): string {
  return ownKind === undefined ? id : `${ownKind}.${id}`;
}

/** The name and the kind in the id of a record: the reverse of `parameterRecordId`. */
export function namedByRecord(recordId: string): { readonly id: string; readonly ownKind?: string } {
  const dot = recordId.indexOf('.');
  return dot < 0 ? { id: recordId } : { id: recordId.slice(dot + 1), ownKind: recordId.slice(0, dot) };
}
