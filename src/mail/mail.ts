/** A mail before it is sent. Nothing in it was chosen by a member but the address: nobody sends words of theirs to others. */
export interface Mail {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A text of somebody's as one line of a mail: no line breaks, no control or direction characters, not endless. */
export function mailLine(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return [...line].slice(0, 100).join('');
}
