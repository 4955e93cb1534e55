/** Classes of characters in patterns, and one character of each. Pure. */

export type Range = readonly [from: string, to: string];

/** The characters in some ranges, or all others. */
export interface Characters {
  readonly ranges: readonly Range[];
  readonly negated: boolean;
}

/** Characters that read well, for what many would fit. */
const READABLE = [...'aA0x1_-. bcdefghijklmnopqrstuvwyzBCDEFGHIJKLMNOPQRSTUVWXYZ23456789'];
/** As in a class of a pattern: ranges, each of three characters. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ...['d', 'digit', 'N', 'Nd'].map((name) => [name, '0-9'] as const),
  ...['alpha', 'L'].map((name) => [name, 'a-zA-Z'] as const),
  ...['lower', 'Ll'].map((name) => [name, 'a-z'] as const),
  ...['upper', 'Lu'].map((name) => [name, 'A-Z'] as const),
  ['alnum', 'a-zA-Z0-9'],
  ['w', 'a-zA-Z0-9_-_'],
  ['s', ' - \t-\r'],
]);

export function isClass(name: string): boolean {
  return CLASSES.has(name);
}

/** @throws Error where the name is not known */
export function classNamed(name: string, negated: boolean): Characters {
  const ranges = [...(CLASSES.get(name) ?? '').matchAll(/(.)-(.)/gs)].map(([, from = '', to = '']): Range => [
    from,
    to,
  ]);
  if (ranges.length === 0) throw new Error(`the class ${name}`);
  return { ranges, negated };
}

/** Those that one may choose from, which read well if there are such; at least one. @throws Error where none is known */
export function charactersOf({ ranges, negated }: Characters): readonly string[] {
  const isIn = (character: string) => ranges.some(([from, to]) => character >= from && character <= to);
  const readable = READABLE.filter((character) => isIn(character) !== negated);
  const all = readable.length > 0 || negated ? readable : ranges.slice(0, 1).map(([from]) => from);
  if (all.length === 0) throw new Error('no character of a class is known');
  return all;
}
