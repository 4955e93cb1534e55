/**
 * The syntax tree of a filter expression: frozen plain objects, discriminated on `op` (filters) or `type` (values).
 * Names and values are texts; `model/predicate/` resolves them against a kind. `at` is the position of a node in the
 * expression, in code points from 1.
 */

/** The operators that compare with a value. */
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

/** All operators of tests. */
export const FILTER_OPERATORS = [...COMPARATORS, 'in', 'isnull'] as const;

/** Other spellings of operators. */
export const OPERATOR_ALIASES = { ge: 'gt', get: 'gte' } as const satisfies Record<
  string,
  (typeof COMPARATORS)[number]
>;

/** Operators in all their spellings, for a message. */
export function spellingsOf(operators: Iterable<string>): string[] {
  const others = Object.entries(OPERATOR_ALIASES);
  return [...operators].flatMap((operator) => [
    operator,
    ...others.filter(([, meant]) => meant === operator).map(([also]) => also),
  ]);
}

export type Comparator = (typeof COMPARATORS)[number];
export type Operator = (typeof FILTER_OPERATORS)[number];

/** The functions of expressions. `days(a,b)` is `b` less `a`, in days. */
export const EXPRESSION_FUNCTIONS = ['add', 'sub', 'mul', 'div', 'days'] as const;
export type ExpressionFunction = (typeof EXPRESSION_FUNCTIONS)[number];

/** `mul(quantity,1.22)`: what is computed of parameters, numbers and other expressions. */
export interface Computation {
  readonly function: ExpressionFunction;
  /** A scalar is a decimal number. */
  readonly operands: readonly [Path | Scalar, Path | Scalar];
}

/**
 * `country.name` has the segments `country` and `name`, `meta."a.b"` has `meta` and `a.b`. There are none where a number
 * of related units or an expression stands in place of a parameter.
 */
export interface Path {
  readonly segments: readonly string[];
  readonly counted?: RelatedUnits;
  readonly computed?: Computation;
  /** The path begins at the calling member: `@member.team.plan`, in access rules. */
  readonly member?: true;
  /** The parameter as it is stored before an edit: `@before.state`, in access rules. */
  readonly before?: true;
  readonly at: number;
}

/** A value as text. `type` is how it was written, which makes no difference to its meaning. */
export interface Scalar {
  readonly type: 'bare' | 'quoted';
  readonly text: string;
  readonly at: number;
}

/** `@member.<name>` in an access rule: a value of the calling member. */
export interface MemberRef {
  readonly type: 'member';
  readonly name: string;
  readonly at: number;
}

/** `@before.<name>` in an access rule: a value of the unit before the edit. */
export interface BeforeRef {
  readonly type: 'before';
  readonly path: Path;
  readonly at: number;
}

export type Value = Scalar | MemberRef | BeforeRef;

/** At least one value. */
export interface ValueList {
  readonly type: 'list';
  readonly items: readonly Value[];
  readonly at: number;
}

export interface Comparison {
  readonly op: Comparator;
  readonly path: Path;
  readonly value: Value | ValueList;
  readonly at: number;
}

interface Membership {
  readonly op: 'in';
  readonly path: Path;
  readonly value: ValueList;
  readonly at: number;
}

/** `value: false` tests for values that are not null. */
interface NullTest {
  readonly op: 'isnull';
  readonly path: Path;
  readonly value: boolean;
  readonly at: number;
}

/** Operators that compare two parameters. */
export const FIELD_OPERATORS = ['eq_field', 'ne_field', 'lt_field', 'lte_field', 'gt_field', 'gte_field'] as const;
export type FieldOperator = (typeof FIELD_OPERATORS)[number];

/** `gt_field(departure,arrival)`. */
export interface FieldComparison {
  readonly op: FieldOperator;
  readonly path: Path;
  readonly other: Path;
  readonly at: number;
}

/** Two parameters with the coordinates of units, in degrees, and a point: `latitude,longitude,41.9,12.5`. */
export interface Place {
  /** The latitude. */
  readonly path: Path;
  /** The longitude. */
  readonly other: Path;
  /** Latitude and longitude. */
  readonly point: readonly [Scalar, Scalar];
}

/** `near(latitude,longitude,41.9,12.5,50)`: within so many kilometres of a point. */
export interface NearTest extends Place {
  readonly op: 'near';
  readonly radius: Scalar;
  readonly at: number;
}

/** A parameter and a text, of which the trigrams are compared. */
export interface Resemblance {
  readonly path: Path;
  readonly value: Scalar;
}

/** `similar(name,"Jon Smith",0.4)`: at least so similar, from 0 to 1. */
export interface SimilarTest extends Resemblance {
  readonly op: 'similar';
  /** Undefined where it is left out. */
  readonly least: Scalar | undefined;
  readonly at: number;
}

export type Test = Comparison | Membership | NullTest | FieldComparison | NearTest | SimilarTest;
/** The tests of one parameter. */
export type ParameterTest = Exclude<Test, FieldComparison | NearTest | SimilarTest>;

interface Combination {
  readonly op: 'and' | 'or';
  readonly filters: readonly Filter[];
  readonly at: number;
}

interface Negation {
  readonly op: 'not';
  readonly filter: Filter;
  readonly at: number;
}

/** `comment.article`: the units of a kind that refer to a unit by a parameter. */
export interface Referrers {
  readonly type: 'reference';
  readonly kind: string;
  readonly parameter: string;
  readonly at: number;
}

/** `borders,child,[country,city]`: the units that are linked with a unit. */
export interface Neighbours {
  readonly type: 'link';
  readonly link: string;
  readonly direction: 'parent' | 'child';
  /** The kinds of these units; undefined for all. */
  readonly kinds: readonly string[] | undefined;
  readonly at: number;
}

/** `article` or `article.cover`: all units that lead to a unit by a reference or a link, or those of one kind. */
export interface Users {
  readonly type: 'any';
  readonly kind: string | undefined;
  /** The reference; undefined for all references and links. */
  readonly parameter: string | undefined;
  readonly at: number;
}

/** The units that have a relation to a unit, and match a filter of their own. */
export interface RelatedUnits {
  readonly relation: Referrers | Neighbours | Users;
  readonly filter: Filter | undefined;
  /** What is summed of them: a parameter or an expression; left out where they are counted. */
  readonly summed?: Path;
}

/** `exists(comment.article,…)`, `linked(borders,child,…)` or `referred()`: whether there is a related unit. */
export interface Existence {
  readonly op: 'exists';
  readonly related: RelatedUnits;
  readonly at: number;
}

/** `all()`: every unit. */
export interface Everything {
  readonly op: 'all';
  readonly at: number;
}

export type Filter = Combination | Negation | Test | Existence | Everything;
