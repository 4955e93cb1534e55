/** Names and addresses as they are compared: after Unicode NFKC and case folding. */

export function foldName(name: string): string {
  // To lower case first: ẞ has no other upper case, but ß has.
  return name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
