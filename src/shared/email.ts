/**
 * Validation of e-mail addresses: one `@`, and no character that a mail header would read as part of another address.
 * Pure.
 */

/** Characters of the longest address. */
export const EMAIL_LENGTH = 254;

const ADDRESS_PART = '[^\\s"(),:;<>@[\\\\\\]\\p{C}]+';
/**
 * The same as a pattern for JSON Schema, with the syntax that all dialects share. White space around an address is
 * trimmed.
 */
export const EMAIL_PATTERN = '^\\s*[^\\s"(),:;<>@[\\\\\\]]+@[^\\s"(),:;<>@[\\\\\\]]+\\s*$';

const ADDRESS = new RegExp(`^${ADDRESS_PART}@${ADDRESS_PART}$`, 'u');

/**
 * Excludes white space, control characters, quotes, brackets, commas, colons and semicolons, which have a meaning in
 * RFC 5322, and characters that mail servers normalise to one of these.
 */
export function isEmailAddress(text: string): boolean {
  return ADDRESS.test(text) && ADDRESS.test(text.normalize('NFKC'));
}
