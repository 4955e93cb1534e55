/**
 * Which e-mail addresses are taken, and which are the same: one `@`, and no character that a mail header would read as
 * part of another address. Pure.
 */
import { foldName } from './member-names.js';

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

/**
 * An address in the form that mail goes to: NFKC, without variation selectors. Else somebody could have it in another
 * form, which nobody reads the mails of, and its owner could neither sign up nor recover the account.
 */
export function mailForm(text: string): string {
  return text.replace(/[\ufe0e\ufe0f]/g, '').normalize('NFKC');
}

/** Whether a member can have the address: as it is written, and as it is compared with others. */
export function isMemberAddress(text: string): boolean {
  return [text, foldName(text)].every(isEmailAddress);
}

/** Whether an address is compared with others as it is, but for capitals: what is folded to another may be another mailbox. */
export function isPlainAddress(text: string): boolean {
  return text.normalize('NFKC') === text && foldName(text) === text.toLowerCase();
}

/**
 * Whether two addresses differ in capitals at most. Letters beyond ASCII may be others in lower case: that of the Kelvin
 * sign is a k.
 */
export function isSameMailbox(one: string, other: string): boolean {
  return lowerAscii(one) === lowerAscii(other);
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
