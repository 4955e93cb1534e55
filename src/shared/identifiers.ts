/** Identifiers: their patterns, the reserved ones, and how one is made from a label. */

/** A project: the value of the header `kind-project-key`. */
export const PROJECT_ID = /^[a-z][a-z0-9_-]{1,39}$/;

/** A kind, parameter, group or link type. */
export const IDENTIFIER = /^[a-z][a-z0-9_]{0,62}$/;

export const IDENTIFIER_HINT = 'a lower-case letter, then up to 62 lower-case letters, digits and _';

/** A function of a kind, which is no name in SQL. */
export const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export const FUNCTION_NAME_HINT = 'a letter, then up to 62 letters, digits and _';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER.test(text);
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Ids that begin with `kind_` belong to the system. */
export function isSystemIdentifier(id: string): boolean {
  return id.startsWith('kind_');
}

/**
 * Makes an id of a label: lower case, `_` for every run of other characters; undefined where nothing fitting is left.
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
