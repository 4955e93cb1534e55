/** Levels of access; what they mean is told in `access/level.ts`. */

/** Who may do something, from everybody to nobody. */
export const LEVELS = ['anyone', 'member', 'admin', 'nobody'] as const;
export type Level = (typeof LEVELS)[number];

/**
 * Who may do what a kind's `access` does not name: `open` lets every member, and everybody where the kind is public;
 * `closed` only administrators (docs/access.md).
 */
export const ACCESS_DEFAULTS = ['open', 'closed'] as const;
export type AccessDefault = (typeof ACCESS_DEFAULTS)[number];
