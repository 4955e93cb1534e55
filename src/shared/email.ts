/** What counts as an e-mail address: one `@`, and nothing that a mail header would read as more than one address. Pure. */

const PART = '[^\\s"(),:;<>@[\\\\\\]\\p{C}]+';
/** The same for JSON Schema, in what all dialects of patterns have in common; white space around an address is taken off. */
export const EMAIL_PATTERN = '^\\s*[^\\s"(),:;<>@[\\\\\\]]+@[^\\s"(),:;<>@[\\\\\\]]+\\s*$';

const ADDRESS = new RegExp(`^${PART}@${PART}$`, 'u');

/**
 * No white space or control characters, no quotes, brackets, commas, colons or semicolons: what RFC 5322 gives a meaning.
 * Nor a character that becomes one of them where a mail server normalises domains.
 */
export function isEmailAddress(text: string): boolean {
  return ADDRESS.test(text) && ADDRESS.test(text.normalize('NFKC'));
}
