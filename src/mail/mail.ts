/** A mail to be sent. Members choose nothing in it but the address, so nobody can send texts to others. */
export interface Mail {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A user's text as one line of at most 100 characters, without control and direction characters. */
export function mailLine(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return [...line].slice(0, 100).join('');
}
