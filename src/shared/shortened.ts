const LONGEST = 80;

/** A text of the request as error messages show it: its first 80 characters. */
export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
