/**
 * Parses a filter expression (docs/filter.md has the grammar) into its syntax tree. It checks the syntax only, not
 * whether parameters exist and values fit. The length, the number of tests and the nesting are limited.
 */
import { type KindError, refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { didYouMean } from '../shared/texts.js';
import {
  EXPRESSION_FUNCTIONS,
  OPERATOR_ALIASES,
  FIELD_OPERATORS,
  FILTER_OPERATORS,
  spellingsOf,
  type ExpressionFunction,
  type FieldOperator,
  type Filter,
  type Path,
  type Place,
  type Resemblance,
  type Scalar,
  type SimilarTest,
  type Test,
} from './filter.ast.js';
import { checkSize, Scanner } from './filter.scanner.js';
import { COUNT_FUNCTIONS, EXISTENCE_FUNCTIONS, RelatedParser } from './related.parser.js';
import { BEFORE_PREFIX, MEMBER_PREFIX, PREFIXES_EXPECTED, ValueParser } from './value.parser.js';

export interface ParseOptions {
  /**
   * Whether `@member.<name>` is a parameter of the member, and `@before.<name>` one of the unit before an edit, as in
   * access rules; otherwise `@` is a plain character, and a value that begins with `@before.` is refused.
   */
  readonly members?: boolean;
}

type Combining = 'and' | 'or' | 'not' | 'all';
/** Operators of plain tests, combinations and `all`, by each of their spellings. */
const SPELLINGS: ReadonlyMap<string, Test['op'] | Combining> = new Map([
  ...[...FILTER_OPERATORS, ...FIELD_OPERATORS].map((op) => [op, op] as const),
  ...(['near', 'similar', 'and', 'or', 'not', 'all'] as const).map((op) => [op, op] as const),
  ...Object.entries(OPERATOR_ALIASES),
]);
const ALL_NAMES = [...SPELLINGS.keys(), ...EXISTENCE_FUNCTIONS.keys()];
const ALL_SPELLINGS = [
  ...[...spellingsOf(FILTER_OPERATORS), ...FIELD_OPERATORS, 'near', 'similar', 'and', 'or', 'not', 'all'],
  ...EXISTENCE_FUNCTIONS.keys(),
].join(', ');

const NO_SEGMENTS: readonly string[] = Object.freeze([]);
/** A number of an expression. */
const NUMBER = /^[+-]?(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})$/;
const MAX_QUOTED_CHARACTERS = 40;
/** What other languages call `not(isnull(…))`. */
const NOT_NULL = /^(?:is)?_?not_?null$/i;

/**
 * Parses a filter expression.
 * @throws KindError `filter.syntax`, `filter.unknown_operator` or `filter.too_large`, with the position
 * @example parseFilter('and(eq(name,Rome),ge(population,1000))')
 */
export function parseFilter(text: string, options: ParseOptions = {}): Filter {
  checkSize(text, 'a filter has ');
  const parser = new FilterParser(new Scanner(text), options.members);
  return parser.whole(() => parser.filter());
}

/**
 * Parses the path of a parameter, as in `order` and `include`.
 * @throws KindError `filter.syntax`
 * @example parsePath('meta."a.b"').segments // ['meta', 'a.b']
 */
export function parsePath(text: string): Path {
  const scanner = new Scanner(text);
  const path = new FilterParser(scanner).path();
  if (scanner.peek() !== '') throw scanner.fail("'.' or the end of the parameter");
  return path;
}

/** A word that has been read, and its position. */
export interface ReadWord {
  readonly word: string;
  readonly at: number;
}

/** @param known those that there are, which a hint may name @param hint another one */
export function unknownFunction({ word, at }: ReadWord, known: readonly string[], hint?: string): KindError {
  const meant = hint ?? (didYouMean(word.toLowerCase(), known) || `; there are ${known.join(', ')}`);
  const text = `unknown function '${word.slice(0, MAX_QUOTED_CHARACTERS)}' at character ${at}${meant}`;
  return refusal('filter.unknown_operator', text);
}

/** Parses filters and paths where the scanner is. All filters of one parser together have a limited number of tests. */
export class FilterParser {
  #tests = 0;
  /** How many functions over related units surround the next character, and how many of expressions. */
  #inside = 0;
  #insideExpressions = 0;
  readonly #values: ValueParser;
  readonly #related: RelatedParser;

  constructor(
    private readonly scanner: Scanner,
    private readonly members = false,
  ) {
    this.#values = new ValueParser(scanner, members);
    this.#related = new RelatedParser(scanner, {
      filter: (operator) => (operator ? this.filter(operator) : this.argument()),
      expression: () => this.expression(),
    });
  }

  /** Parses a text that has nothing else, but white space around it. */
  whole<T>(parse: () => T, called = 'filter'): T {
    this.scanner.skipSpace();
    const parsed = parse();
    this.scanner.expectEnd(called);
    return parsed;
  }

  /** @param operator the operator, if it has been read */
  filter(operator: ReadWord = this.word()): Filter {
    return this.#filter(1, operator);
  }

  /** A filter that is an argument. @param expected what else may stand here */
  argument(expected = ''): Filter {
    const operator = this.word();
    if (operator.word !== '' && this.scanner.peek() !== '(') {
      throw this.scanner.fail(`a filter such as eq(name,Rome)${expected}`, operator.at);
    }
    return this.filter(operator);
  }

  /** The next word, and skips white space after it. */
  word(): ReadWord {
    const { at } = this.scanner;
    const word = this.scanner.word();
    this.scanner.skipSpace();
    return { at, word };
  }

  #filter(level: number, { word, at }: ReadWord): Filter {
    const existence = EXISTENCE_FUNCTIONS.get(word);
    if (existence) {
      const related = this.related(at, (parser) => parser.call(existence));
      return Object.freeze({ op: 'exists', related, at });
    }
    const op = this.#operator(word, at);
    // Only `and`, `or` and `not` are levels.
    if (level > LIMITS.filterDepth && (op === 'and' || op === 'or' || op === 'not')) {
      throw filterTooLarge(`at most ${LIMITS.filterDepth} levels`, at);
    }
    this.scanner.expect('(');
    switch (op) {
      case 'and':
      case 'or':
        return Object.freeze({ op, filters: this.#operands(level), at });
      case 'not': {
        const filter = this.#filter(level + 1, this.word());
        this.scanner.expect(')');
        return Object.freeze({ op, filter, at });
      }
      case 'all':
        this.#countTest(at);
        this.scanner.expect(')');
        return Object.freeze({ op, at });
      default:
        this.#countTest(at);
        return this.#test(op, at);
    }
  }

  #countTest(at: number): void {
    this.#tests += 1;
    if (this.#tests > LIMITS.filterTests) throw filterTooLarge(`at most ${LIMITS.filterTests} tests`, at);
  }

  #operator(name: string, at: number) {
    if (name === '') throw this.scanner.fail('an operator', at);
    const op = SPELLINGS.get(name);
    if (op) return op;
    const shown = name.length > MAX_QUOTED_CHARACTERS ? `${[...name].slice(0, MAX_QUOTED_CHARACTERS).join('')}…` : name;
    const counts = COUNT_FUNCTIONS.has(name);
    const hint = counts
      ? `: it is a number, to be compared as in gt(${name}(…),5)`
      : NOT_NULL.test(name)
        ? " (did you mean 'not(isnull(…))'?)"
        : didYouMean(name.toLowerCase(), ALL_NAMES) || `; there are ${ALL_SPELLINGS}`;
    throw refusal('filter.unknown_operator', `unknown operator '${shown}' at character ${at}${hint}`);
  }

  /**
   * Parses a function over related units. @param at its position
   * @throws KindError `filter.too_large` if too many of them are inside one another
   */
  related<T>(at: number, parse: (parser: RelatedParser) => T): T {
    if (this.#inside === LIMITS.relatedDepth) {
      throw filterTooLarge(`at most ${LIMITS.relatedDepth} functions over related units inside one another`, at);
    }
    this.#inside += 1;
    const parsed = parse(this.#related);
    this.#inside -= 1;
    return parsed;
  }

  #operands(level: number): readonly Filter[] {
    const filters: Filter[] = [];
    do filters.push(this.#filter(level + 1, this.word()));
    while (this.scanner.accept(','));
    this.scanner.expect(')', "',' or ')'");
    return Object.freeze(filters);
  }

  #test(op: Test['op'], at: number): Test {
    if (op === 'near') {
      const place = this.place();
      this.scanner.expect(',');
      const radius = this.#values.number();
      this.scanner.expect(')');
      return Object.freeze({ op, ...place, radius, at });
    }
    if (op === 'similar') return this.#similar(at);
    const path = this.path();
    if (isFieldOperator(op)) {
      this.scanner.expect(',');
      const other = this.path();
      this.scanner.expect(')');
      return Object.freeze({ op, path, other, at });
    }
    if (op === 'isnull') return Object.freeze({ op, path, value: this.#isNullArgument(), at });
    this.scanner.expect(',');
    const test =
      op === 'in' ? { op, path, value: this.#values.list(), at } : { op, path, value: this.#values.value(), at };
    this.scanner.expect(')');
    return Object.freeze(test);
  }

  #similar(at: number): SimilarTest {
    if (this.members) {
      throw refusal('filter.bad_operator', `similar is for the filters of requests, not for rules, at character ${at}`);
    }
    const resemblance = this.resemblance();
    const least = this.scanner.accept(',') ? this.#values.number() : undefined;
    this.scanner.expect(')', least ? "')'" : "',' or ')'");
    return Object.freeze({ op: 'similar', ...resemblance, least, at });
  }

  /** The arguments `name,Jon Smith` of a function. @throws KindError also if the text is too long */
  resemblance(): Resemblance {
    const path = this.path();
    this.scanner.expect(',');
    const value = this.#values.scalar('list') as Scalar;
    if ([...value.text].length > LIMITS.similarCharacters) {
      const text = `at most ${LIMITS.similarCharacters} characters are compared; the text at character ${value.at} has more`;
      throw refusal('filter.too_large', text);
    }
    return { path, value };
  }

  /** The arguments `latitude,longitude,41.9,12.5` of a function. */
  place(): Place {
    const path = this.path();
    this.scanner.expect(',');
    const other = this.path();
    this.scanner.expect(',');
    const latitude = this.#values.number();
    this.scanner.expect(',');
    return { path, other, point: [latitude, this.#values.number()] };
  }

  /**
   * A path, or the number of related units in place of one: a parameter may have the name of such a function, and is
   * followed by no parenthesis.
   * @param first the first segment, if it has been read
   */
  path(first?: ReadWord): Path {
    if (first === undefined && this.members && this.scanner.peek() === '@') return this.#prefixedPath();
    const quoted = first === undefined && this.scanner.peek() === '"';
    return this.#pathFrom(first ?? this.#segment(), quoted);
  }

  /**
   * A path, or an expression in place of one: a parameter may have the name of a function of expressions, and is
   * followed by no parenthesis.
   * @param first the first word, if it has been read
   */
  expression(first?: ReadWord): Path {
    // In rules, a value of the member or of before is no operand.
    if (first === undefined && this.members && this.scanner.peek() === '@') throw this.#noOperand();
    if (first === undefined && this.scanner.peek() === '"') return this.path();
    const head = first ?? this.word();
    if (head.word === '') throw this.#noOperand(head.at);
    if (isExpressionFunction(head.word) && this.#isCall()) return this.#computed(head.word, head.at);
    if (!COUNT_FUNCTIONS.has(head.word) && this.#isCall()) {
      throw unknownFunction(head, EXPRESSION_FUNCTIONS);
    }
    return this.path(head);
  }

  #noOperand(at?: number): KindError {
    return this.scanner.fail('a parameter, or a function such as mul(quantity,price),', at);
  }

  #computed(called: ExpressionFunction, at: number): Path {
    if (this.#insideExpressions === LIMITS.expressionDepth) {
      const text = `an expression has at most ${LIMITS.expressionDepth} functions inside one another; one too many at character ${at}`;
      throw refusal('filter.too_large', text);
    }
    this.#insideExpressions += 1;
    this.scanner.expect('(');
    const first = this.#term();
    this.scanner.expect(',');
    const computed = Object.freeze({ function: called, operands: Object.freeze([first, this.#term()] as const) });
    this.scanner.expect(')');
    this.#insideExpressions -= 1;
    return Object.freeze({ segments: NO_SEGMENTS, computed, at });
  }

  /** A number, or what an expression may be. */
  #term(): Path | Scalar {
    if (!/^[-+.\d]/.test(this.scanner.peek())) return this.expression();
    const { at } = this.scanner;
    const text = this.scanner.bare('list');
    if (!NUMBER.test(text)) throw this.scanner.fail('a number such as 1.5', at);
    return Object.freeze({ type: 'bare', text, at });
  }

  #pathFrom(first: ReadWord, quoted: boolean): Path {
    const counting = quoted ? undefined : COUNT_FUNCTIONS.get(first.word);
    if (!quoted && isExpressionFunction(first.word) && this.#isCall()) {
      const text = `${first.word} stands inside sum, avg, min, max and sum_related, at character ${first.at}`;
      throw refusal('filter.bad_operator', text);
    }
    if (counting && this.#isCall()) {
      const counted = this.related(first.at, (parser) => parser.call(counting));
      return Object.freeze({ segments: NO_SEGMENTS, counted, at: first.at });
    }
    return Object.freeze({ segments: this.#segmentsFrom(first), at: first.at });
  }

  /** `@member.role`, `@member.team.plan`, `@before.state`. */
  #prefixedPath(): Path {
    const { word, at } = this.word();
    const prefix = `${word}.`;
    if ((prefix !== MEMBER_PREFIX && prefix !== BEFORE_PREFIX) || !this.scanner.accept('.')) {
      throw this.scanner.fail(PREFIXES_EXPECTED, at, " (quote a parameter that begins with '@')");
    }
    const segments = this.#segmentsFrom(this.#segment());
    return Object.freeze({ segments, ...(prefix === MEMBER_PREFIX ? { member: true } : { before: true }), at });
  }

  #segmentsFrom(first: ReadWord): readonly string[] {
    const segments = [first.word];
    while (this.scanner.accept('.')) segments.push(this.#segment().word);
    return Object.freeze(segments);
  }

  #isCall(): boolean {
    this.scanner.skipSpace();
    return this.scanner.peek() === '(';
  }

  #segment(): ReadWord {
    const { at } = this.scanner;
    if (this.scanner.peek() === '"') return { at, word: this.scanner.quoted() };
    const word = this.scanner.word();
    if (word === '') throw this.scanner.fail('a parameter');
    return { at, word };
  }

  /** The rest of `isnull` after its parameter, with the closing parenthesis. */
  #isNullArgument(): boolean {
    if (this.scanner.accept(')')) return true;
    this.scanner.expect(',', "',' or ')'");
    const { at } = this.scanner;
    const word = this.scanner.bare('call');
    if (word !== 'true' && word !== 'false') throw this.scanner.fail('true or false', at);
    this.scanner.expect(')');
    return word === 'true';
  }
}

function isExpressionFunction(word: string): word is ExpressionFunction {
  return (EXPRESSION_FUNCTIONS as readonly string[]).includes(word);
}

function isFieldOperator(op: Test['op']): op is FieldOperator {
  return (FIELD_OPERATORS as readonly string[]).includes(op);
}

function filterTooLarge(limit: string, at: number): KindError {
  return refusal('filter.too_large', `a filter has ${limit}; one too many at character ${at}`);
}
