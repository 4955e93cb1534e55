/** Usernames, and how they and e-mail addresses are compared. Pure. */

/** Characters of the longest username. */
export const USERNAME_LENGTH = 254;

/**
 * Joiners and variation selectors, which some scripts and emoji need. Names may contain them; comparisons ignore them.
 */
const JOINERS = /[\u200c\u200d\ufe0e\ufe0f]/g;

/** Full stops that can end a domain. */
const DOTS: ReadonlySet<string> = new Set(['.', '\u3002']);

/**
 * NFKC and case folding; without joiners, white space around the name and, in an address, dots at the end of the
 * domain. Idempotent.
 */
export function foldName(name: string): string {
  const withoutJoiners = name.replace(JOINERS, '').normalize('NFKC');
  // Lower case first, because ẞ has no other upper case but ß has.
  const folded = withoutJoiners.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim();
  return folded.includes('@') ? withoutDots(folded) : folded;
}

function withoutDots(address: string): string {
  let end = address.length;
  while (DOTS.has(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/** Control characters, invisible characters and bidirectional controls, except the joiners that `foldName` removes. */
const INVISIBLE = /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a name has no invisible or control characters, and is not empty after folding. */
export function isVisibleName(name: string): boolean {
  return !INVISIBLE.test(name) && foldName(name) !== '';
}
