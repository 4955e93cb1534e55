/** What is recorded of the changes of a kind's units, and how long it is kept. */

/** `feed`: changes are kept for some days, for those who follow them; `history`: for ever, or for the days of the kind. */
export const CHANGES = ['none', 'feed', 'history'] as const;
export type Changes = (typeof CHANGES)[number];

/**
 * What has happened to a unit, as a reader sees it: `enter` and `leave` let it come into sight or go out of it. A link is a
 * change of its parent.
 */
export const FEED_OPERATIONS = ['create', 'update', 'enter', 'leave', 'delete', 'link', 'unlink'] as const;

/** The most days that a project or kind can name; a history without days is kept for ever. */
export const MOST_DAYS = 3650;

/** Days for which changes are kept for those who follow them, if the project does not say. */
export const CHANGES_KEEP = 30;
