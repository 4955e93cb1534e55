/** The order of a list: its tree, its parser, and its text. */
import { shortened } from '../shared/texts.js';
import type { KindError } from '../shared/errors.js';
import { EXPRESSION_FUNCTIONS, type Path, type Place, type RelatedUnits, type Resemblance } from './filter.ast.js';
import { AGGREGATE_FUNCTIONS } from './aggregate.ast.js';
import { FilterParser, unknownFunction, type ReadWord } from './filter.parser.js';
import { printOperand, printPlace, printResemblance } from './filter.printer.js';
import { checkSize, Scanner } from './filter.scanner.js';
import { COUNT_FUNCTIONS } from './related.parser.js';

/** What a list is ordered by: a parameter, or the value of a function. `at` is a position in the parameter, from 1. */
type OrderValue = OrderPath | OrderPosition | OrderDistance | OrderSimilarity | OrderRank;

/** `by_value(state)`: the position of the value among the `values` of the parameter. */
interface OrderPosition {
  readonly type: 'by_value';
  readonly path: Path;
  readonly at: number;
}

/** `rank()`: how well a unit matches the search. */
interface OrderRank {
  readonly type: 'rank';
  readonly at: number;
}

/** `distance(latitude,longitude,41.9,12.5)`: in kilometres from a point. */
interface OrderDistance extends Place {
  readonly type: 'distance';
  readonly at: number;
}

/** `similarity(name,"Jon Smith")`: from 0 to 1. */
interface OrderSimilarity extends Resemblance {
  readonly type: 'similarity';
  readonly at: number;
}

/** `name`, `country.name`. */
interface OrderPath {
  readonly type: 'path';
  readonly path: Path;
  readonly at: number;
}

/** Which of two values comes first. */
export interface Direction {
  readonly descending: boolean;
  /** Where nulls are, if that is not where PostgreSQL has them: last if ascending, first if descending. */
  readonly nulls?: 'first' | 'last' | undefined;
}

export interface OrderBy extends Direction {
  readonly value: OrderValue;
}

export function hasNullsFirst({ descending, nulls }: Direction): boolean {
  return nulls === undefined ? descending : nulls === 'first';
}

/** The paths that a value names. */
export function pathsOfOrder(value: OrderValue): readonly Path[] {
  switch (value.type) {
    case 'path':
    case 'by_value':
    case 'similarity':
      return [value.path];
    case 'distance':
      return [value.path, value.other];
    case 'rank':
      return [];
  }
}

/** The related units whose number a list is ordered by. */
export function relatedOfOrder(order: readonly OrderBy[]): RelatedUnits[] {
  return order.flatMap(({ value }) => pathsOfOrder(value)).flatMap(({ counted }) => counted ?? []);
}

/** The functions that a term may call. */
const ORDER_FUNCTIONS: readonly string[] = ['by_value', 'distance', 'similarity', 'rank', ...COUNT_FUNCTIONS.keys()];

const DIRECTIONS: readonly string[] = ['asc', 'desc'];
const NULLS: readonly string[] = ['nulls_first', 'nulls_last'];

/**
 * Parses one term, or several in brackets or separated by commas.
 * @param before how many characters precede it in a longer text, for positions
 * @throws KindError `filter.syntax` and other codes of filters, with the position
 * @example parseOrder('[country.name;asc,-population]')
 */
export function parseOrder(text: string, before = 0): OrderBy[] {
  checkSize(text);
  return new OrderParser(text, before).terms();
}

class OrderParser {
  readonly #scanner: Scanner;
  readonly #filters: FilterParser;

  constructor(text: string, before: number) {
    this.#scanner = new Scanner(text, ';', before);
    this.#filters = new FilterParser(this.#scanner);
  }

  terms(): OrderBy[] {
    return this.#filters.whole(() => {
      const bracketed = this.#scanner.accept('[');
      const terms: OrderBy[] = [];
      do terms.push(this.#term());
      while (this.#scanner.accept(','));
      if (bracketed) this.#scanner.expect(']', "',' or ']'");
      return terms;
    }, 'order');
  }

  #term(): OrderBy {
    const dash = this.#scanner.accept('-');
    const value = this.#value();
    const words = this.#modifiers(dash ? NULLS : [...DIRECTIONS, ...NULLS]);
    this.#refuseBareDirection(printOrderValue(value));
    const descending = dash || words.includes('desc');
    if (words.includes('nulls_first') && !descending) return { value, descending, nulls: 'first' };
    if (words.includes('nulls_last') && descending) return { value, descending, nulls: 'last' };
    return { value, descending };
  }

  #value(): OrderValue {
    if (this.#scanner.peek() === '"') return this.#path();
    const head = this.#filters.word();
    if (head.word === '') throw this.#scanner.fail('a parameter', head.at);
    const [, value, direction] = /^(.+):(asc|desc)$/i.exec(head.word) ?? [];
    if (value !== undefined) throw this.#scanner.fail("';'", head.at + value.length, meantDirection(value, direction));
    if (this.#scanner.peek() === '(') {
      if (head.word === 'distance') return this.#distance(head.at);
      if (head.word === 'similarity') return this.#similarity(head.at);
      if (head.word === 'rank') return this.#rank(head.at);
      if (head.word === 'by_value') return this.#position(head.at);
      if (!COUNT_FUNCTIONS.has(head.word)) throw this.#unknownFunction(head);
    }
    return this.#path(head);
  }

  #distance(at: number): OrderValue {
    this.#scanner.expect('(');
    const place = this.#filters.place();
    this.#scanner.expect(')');
    return { type: 'distance', ...place, at };
  }

  #position(at: number): OrderValue {
    this.#scanner.expect('(');
    const path = this.#filters.path();
    this.#scanner.expect(')');
    return { type: 'by_value', path, at };
  }

  #similarity(at: number): OrderValue {
    this.#scanner.expect('(');
    const resemblance = this.#filters.resemblance();
    this.#scanner.expect(')');
    return { type: 'similarity', ...resemblance, at };
  }

  #rank(at: number): OrderValue {
    this.#scanner.expect('(');
    this.#scanner.expect(')');
    return { type: 'rank', at };
  }

  #path(head?: ReadWord): OrderValue {
    const path = this.#filters.path(head);
    return { type: 'path', path, at: path.at };
  }

  /** The words after a value, such as `;desc;nulls_last`. */
  #modifiers(first: readonly string[]): string[] {
    const words: string[] = [];
    for (let allowed = first; allowed.length > 0 && this.#scanner.accept(';');) {
      const { word, at } = this.#filters.word();
      const name = word.toLowerCase();
      if (!allowed.includes(name)) throw this.#scanner.fail(allowed.join(' or '), at);
      words.push(name);
      allowed = DIRECTIONS.includes(name) ? NULLS : [];
    }
    return words;
  }

  #refuseBareDirection(value: string): void {
    this.#scanner.skipSpace();
    const { at } = this.#scanner;
    const [direction] = this.#scanner.match(/^(?:asc|desc)\b/i) ?? [];
    if (direction !== undefined) throw this.#scanner.fail("';'", at, meantDirection(value, direction));
  }

  #unknownFunction(called: ReadWord): KindError {
    const { word } = called;
    const ofGroups = AGGREGATE_FUNCTIONS.some((name) => name === word);
    const isExpression = EXPRESSION_FUNCTIONS.some((name) => name === word);
    const example = ofGroups ? `, as in order=-${word}` : ', which select may give them before a colon';
    const hint = ofGroups || isExpression ? `: groups are ordered by the names of their columns${example}` : undefined;
    return unknownFunction(called, ORDER_FUNCTIONS, hint);
  }
}

function meantDirection(value: string, direction = ''): string {
  return ` (did you mean '${shortened(value)};${direction.toLowerCase()}'?)`;
}

/** Prints a term of an order in canonical form. */
export function printOrder({ value, descending, nulls }: OrderBy): string {
  return [printOrderValue(value), ...(descending ? ['desc'] : []), ...(nulls ? [`nulls_${nulls}`] : [])].join(';');
}

/** Prints the values of an order in canonical form. */
export function printOrderValue(value: OrderValue): string {
  switch (value.type) {
    case 'path':
      return printOperand(value.path);
    case 'by_value':
      return `by_value(${printOperand(value.path)})`;
    case 'distance':
      return `distance(${printPlace(value)})`;
    case 'similarity':
      return `similarity(${printResemblance(value)})`;
    case 'rank':
      return 'rank()';
  }
}
