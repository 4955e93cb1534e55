/**
 * The tree of a filter expression: frozen plain objects, discriminated on `op` (filters) or `type` (values).
 * Names and values are still text here; a plan resolves them against a kind.
 * `at` is where a node begins in the text, in characters (code points) from 1.
 */

/** Operators of a comparison with a value, in their canonical spelling. */
export const COMPARATORS = [
  'eq',
  'ne',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
  'lt',
  'lte',
  'gt',
  'gte',
] as const;

/** All operators of a test. */
export const FILTER_OPERATORS = [...COMPARATORS, 'in', 'isnull'] as const;

/** Other spellings of operators: those of the specification. */
export const OPERATOR_ALIASES = { ge: 'gt', get: 'gte' } as const satisfies Record<
  string,
  (typeof COMPARATORS)[number]
>;

/** Operators in each of their spellings, for a message. */
export function spellingsOf(operators: Iterable<string>): string[] {
  const others = Object.entries(OPERATOR_ALIASES);
  return [...operators].flatMap((operator) => [
    operator,
    ...others.filter(([, meant]) => meant === operator).map(([also]) => also),
  ]);
}

export type Comparator = (typeof COMPARATORS)[number];
export type Operator = (typeof FILTER_OPERATORS)[number];

/** `country.name` has the segments `country` and `name`, `meta."a.b"` has `meta` and `a.b`. Never empty. */
export interface Path {
  readonly segments: readonly string[];
  readonly at: number;
}

/** One value as text. `type` tells how it was written and carries no meaning. */
export interface Scalar {
  readonly type: 'bare' | 'quoted';
  readonly text: string;
  readonly at: number;
}

/** `@member.<name>` in a rule: a value of the member who asks. */
export interface MemberRef {
  readonly type: 'member';
  readonly name: string;
  readonly at: number;
}

/** One value or more; the parser makes no empty list. */
export interface ValueList {
  readonly type: 'list';
  readonly items: readonly (Scalar | MemberRef)[];
  readonly at: number;
}

export interface Comparison {
  readonly op: Comparator;
  readonly path: Path;
  readonly value: Scalar | MemberRef | ValueList;
  readonly at: number;
}

export interface Membership {
  readonly op: 'in';
  readonly path: Path;
  readonly value: ValueList;
  readonly at: number;
}

/** `value: false` asks for what is not null. */
export interface NullTest {
  readonly op: 'isnull';
  readonly path: Path;
  readonly value: boolean;
  readonly at: number;
}

export type Test = Comparison | Membership | NullTest;

export interface Combination {
  readonly op: 'and' | 'or';
  readonly filters: readonly Filter[];
  readonly at: number;
}

export interface Negation {
  readonly op: 'not';
  readonly filter: Filter;
  readonly at: number;
}

export type Filter = Combination | Negation | Test;
