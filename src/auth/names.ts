/** Names and addresses as they are compared: after Unicode NFKC and case folding. */

export function foldName(name: string): string {
  // To lower case first: ẞ has no other upper case, but ß has.
  return name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

/** Control characters, and those that are not seen or turn what is seen around; but for joiners, which some scripts need. */
const UNSEEN = /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a name can be told apart from others where it is shown. */
export function isSeen(name: string): boolean {
  return !UNSEEN.test(name);
}
