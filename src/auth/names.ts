/** Names and addresses as they are compared: after Unicode NFKC and case folding. */

export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

/** One `@` between two parts without white space: enough to tell an address from a name. */
export function looksLikeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}
