/** Parses the terms of `select` and `group` (docs/aggregation.md has the grammar). It checks the syntax only. */
import { isIdentifier } from '../shared/identifiers.js';
import {
  AGGREGATE_FUNCTIONS,
  GROUP_FUNCTIONS,
  type AggregateFunction,
  type AggregateTerm,
  type GroupTerm,
  type SelectTerm,
} from './aggregate.ast.js';
import { EXPRESSION_FUNCTIONS } from './filter.ast.js';
import { FilterParser, unknownFunction, type ReadWord } from './filter.parser.js';
import { checkSize, Scanner } from './filter.scanner.js';
import { COUNT_FUNCTIONS } from './related.parser.js';

/** The functions that take an expression in place of a parameter. */
const OF_EXPRESSIONS: readonly AggregateFunction[] = ['sum', 'avg', 'min', 'max'];
const SELECT_FUNCTIONS = [...AGGREGATE_FUNCTIONS, ...EXPRESSION_FUNCTIONS] as const;

/** A decimal number above zero. */
const SIZE = /^(?=.*[1-9])\d{1,30}(?:\.\d{1,30})?$/;

/**
 * @throws KindError `filter.syntax` and other codes of filters, with the position
 * @example parseSelect('[count(),paid:sum(total,eq(state,paid))]')
 */
export function parseSelect(text: string): SelectTerm[] {
  return new TermParser(text).terms((parser) => parser.selectTerm());
}

/**
 * @throws KindError `filter.syntax`, with the position
 * @example parseGroup('country.name,seen:year(inserted_at)')
 */
export function parseGroup(text: string): GroupTerm[] {
  return new TermParser(text).terms((parser) => parser.groupTerm());
}

class TermParser {
  readonly #scanner: Scanner;
  readonly #filters: FilterParser;

  constructor(text: string) {
    checkSize(text);
    this.#scanner = new Scanner(text);
    this.#filters = new FilterParser(this.#scanner);
  }

  /** Terms with or without brackets around them. */
  terms<T>(term: (parser: this) => T): T[] {
    return this.#filters.whole(() => {
      const bracketed = this.#scanner.accept('[');
      const terms: T[] = [];
      do terms.push(term(this));
      while (this.#scanner.accept(','));
      if (bracketed) this.#scanner.expect(']', "',' or ']'");
      return terms;
    }, 'list');
  }

  selectTerm(): SelectTerm {
    const { name, head } = this.#named();
    const { at } = head;
    if (this.#scanner.peek() !== '(' && isFunction(SELECT_FUNCTIONS, head.word)) throw this.#scanner.fail("'('");
    if (this.#scanner.peek() !== '(') {
      const hint = head.word === '' ? '' : ` (a value alone is none: group by '${head.word.slice(0, 40)}')`;
      throw this.#scanner.fail('a function such as count()', at, hint);
    }
    if (isFunction(EXPRESSION_FUNCTIONS, head.word)) return { name, at, computed: this.#filters.expression(head) };
    const called = this.#function(AGGREGATE_FUNCTIONS, head, SELECT_FUNCTIONS);
    this.#scanner.expect('(');
    return { name, at, function: called, ...this.#argumentsOf(called) };
  }

  groupTerm(): GroupTerm {
    const { name, head } = this.#named();
    const { at } = head;
    this.#scanner.skipSpace();
    if (COUNT_FUNCTIONS.has(head.word) || !this.#scanner.accept('(')) {
      const path = head.word === '' ? this.#filters.path() : this.#filters.path(head);
      return { name, at, function: undefined, path };
    }
    const found = this.#function(GROUP_FUNCTIONS, head);
    const path = this.#filters.path();
    if (found !== 'bucket') {
      this.#scanner.expect(')');
      return { name, at, function: found, path };
    }
    this.#scanner.expect(',');
    const { at: sizeAt } = this.#scanner;
    const size = this.#scanner.bare('call');
    if (!SIZE.test(size)) throw this.#scanner.fail('a number above zero', sizeAt);
    this.#scanner.expect(')');
    return { name, at, function: found, path, size };
  }

  /** The name before a colon, and the word after it. A quoted path begins with no word. */
  #named(): { name: string | undefined; head: ReadWord } {
    const { word, at } = this.#filters.word();
    const colon = word.indexOf(':');
    const apart = colon < 0 && word !== '' && this.#scanner.accept(':');
    if (colon < 0 && !apart) return { name: undefined, head: { word, at } };
    const name = apart ? word : word.slice(0, colon);
    if (!isIdentifier(name))
      throw this.#scanner.fail('a name of lower-case letters, digits and _ before the colon', at);
    const rest = apart ? '' : word.slice(colon + 1);
    if (rest !== '') return { name, head: { word: rest, at: at + colon + 1 } };
    this.#scanner.skipSpace();
    return { name, head: this.#filters.word() };
  }

  /** @param known the functions that a hint may name */
  #function<T extends string>(functions: readonly T[], called: ReadWord, known: readonly string[] = functions): T {
    if (isFunction(functions, called.word)) return called.word;
    throw unknownFunction(called, known);
  }

  /** The arguments up to the closing parenthesis. A filter is a word with a parenthesis. */
  #argumentsOf(called: AggregateFunction): Pick<AggregateTerm, 'path' | 'filter'> {
    if (called === 'count' && this.#scanner.accept(')')) return { path: undefined, filter: undefined };
    const first = this.#scanner.peek() === '"' ? undefined : this.#filters.word();
    if (called === 'count' && first && !COUNT_FUNCTIONS.has(first.word) && this.#scanner.peek() === '(') {
      const filter = this.#filters.filter(first);
      this.#scanner.expect(')');
      return { path: undefined, filter };
    }
    if (called === 'count' && first?.word === '*') {
      throw this.#scanner.fail("a parameter or ')'", first.at, " (did you mean 'count()'?)");
    }
    if (first?.word === '') throw this.#scanner.fail('a parameter', first.at);
    const path = OF_EXPRESSIONS.includes(called) ? this.#filters.expression(first) : this.#filters.path(first);
    const filter = this.#scanner.accept(',') ? this.#filters.argument() : undefined;
    this.#scanner.expect(')', "',' or ')'");
    return { path, filter };
  }
}

function isFunction<T extends string>(functions: readonly T[], word: string): word is T {
  return (functions as readonly string[]).includes(word);
}
