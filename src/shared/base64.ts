/**
 * The bytes of a text in base64 (RFC 4648, section 4, with padding); undefined if it is not, or not in its one canonical
 * form. The bytes are encoded again and compared, because a regular expression could overflow the stack on a long text.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
