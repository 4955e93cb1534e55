/** Usernames and e-mail addresses as they are compared. Pure. */

/** Joiners and variation selectors, which some scripts and emoji need: a name may have them, and is the same without. */
const JOINERS = /[\u200c\u200d\ufe0e\ufe0f]/g;

/** The full stops that end a domain. */
const DOTS: ReadonlySet<string> = new Set(['.', '\u3002']);

/**
 * After Unicode NFKC and case folding, without joiners, white space around it and, in an address, dots at the end of the
 * domain. Folding what is folded already changes nothing.
 */
export function foldName(name: string): string {
  const seen = name.replace(JOINERS, '').normalize('NFKC');
  // To lower case first: ẞ has no other upper case, but ß has.
  const folded = seen.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim();
  return folded.includes('@') ? withoutDots(folded) : folded;
}

function withoutDots(address: string): string {
  let end = address.length;
  while (DOTS.has(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/** Control characters, and those that are not seen or turn what is seen around; joiners are left to `foldName`. */
const UNSEEN = /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a name can be told apart from others where it is shown. */
export function isVisibleName(name: string): boolean {
  return !UNSEEN.test(name) && foldName(name) !== '';
}
