/** Names and addresses as they are compared: after Unicode NFKC and case folding. */

export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}
