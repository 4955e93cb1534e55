/** Character classes of patterns, and example characters of them. Pure. */

export type Range = readonly [from: string, to: string];

/** The characters in some ranges, or all others if negated. */
export interface Characters {
  readonly ranges: readonly Range[];
  readonly negated: boolean;
}

/** Readable characters, which are preferred in examples. */
const READABLE = [...'aA0x1_-. bcdefghijklmnopqrstuvwyzBCDEFGHIJKLMNOPQRSTUVWXYZ23456789'];
/** Classes as ranges of three characters each, as within brackets of a pattern. */
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

/** @throws Error for an unknown name */
export function classNamed(name: string, negated: boolean): Characters {
  const ranges = [...(CLASSES.get(name) ?? '').matchAll(/(.)-(.)/gs)].map(([, from = '', to = '']): Range => [
    from,
    to,
  ]);
  if (ranges.length === 0) throw new Error(`the class ${name}`);
  return { ranges, negated };
}

/** The candidates of a class, readable ones if possible; at least one. @throws Error if none is known */
export function charactersOf({ ranges, negated }: Characters): readonly string[] {
  const isIn = (character: string) => ranges.some(([from, to]) => character >= from && character <= to);
  const readable = READABLE.filter((character) => isIn(character) !== negated);
  const all = readable.length > 0 || negated ? readable : ranges.slice(0, 1).map(([from]) => from);
  if (all.length === 0) throw new Error('no character of a class is known');
  return all;
}
