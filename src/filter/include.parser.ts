/**
 * Parses the terms of `include` that are functions over related units (docs/filter.md): `comments:count_related(comment.article)`
 * and `latest:related(comment.article,eq(state,new),order=-inserted_at,limit=3)`. It checks the syntax only.
 */
import { KindError, refusal } from '../shared/errors.js';
import { isIdentifier } from '../shared/identifiers.js';
import { LIMITS } from '../shared/limits.js';
import type { Filter, Path, RelatedUnits } from './filter.ast.js';
import { FilterParser } from './filter.parser.js';
import { checkSize, Scanner } from './filter.scanner.js';
import { depthOfRelated } from './filter.walk.js';
import { type OrderBy, parseOrder, relatedOfOrder } from './order.js';
import { COUNT_FUNCTIONS } from './related.parser.js';

const LIST_FUNCTION = 'related';

/** A number of related units, or with `list` the units themselves. */
export interface RelatedTerm {
  readonly name: string;
  readonly related: RelatedUnits;
  readonly list: { readonly order: readonly OrderBy[]; readonly limit: number } | undefined;
}

/** Whether a text in `include` is such a term: names and paths have no parentheses, unless a key is quoted. */
export function isRelatedTerm(text: string): boolean {
  return /^[^"]*\(/.test(text);
}

/** The related units that the terms of `include` name; none of those with faults. */
export function relatedOfTerms(include: readonly string[] = []): RelatedUnits[] {
  return include.filter(isRelatedTerm).flatMap((text) => {
    try {
      const { related, list } = parseRelatedTerm(text);
      return [related, ...relatedOfOrder(list?.order ?? [])];
    } catch (error) {
      if (error instanceof KindError) return [];
      throw error;
    }
  });
}

/** @throws KindError `filter.syntax` and other codes of filters, with the position in the term */
export function parseRelatedTerm(text: string): RelatedTerm {
  checkSize(text);
  return new RelatedTermParser(text).term();
}

class RelatedTermParser {
  readonly #scanner: Scanner;
  readonly #filters: FilterParser;

  constructor(text: string) {
    this.#scanner = new Scanner(text, ':');
    this.#filters = new FilterParser(this.#scanner);
  }

  term(): RelatedTerm {
    return this.#filters.whole(() => {
      const { word: name, at } = this.#filters.word();
      const named = this.#scanner.accept(':');
      if (!named && name === 'can' && this.#scanner.peek() === '(')
        throw this.#scanner.fail('can() without arguments', at);
      if (!named || !isIdentifier(name)) {
        const hint = named ? '' : `, such as 'comments:${name.slice(0, 40)}(…)'`;
        throw this.#scanner.fail(`a name of lower-case letters, digits and _ and a colon${hint}`, at);
      }
      const called = this.#filters.word();
      const counting = COUNT_FUNCTIONS.get(called.word);
      if (counting) {
        const related = this.#filters.related(called.at, (parser) => parser.call(counting));
        return { name, related, list: undefined };
      }
      if (called.word !== LIST_FUNCTION) {
        throw this.#scanner.fail([LIST_FUNCTION, ...COUNT_FUNCTIONS.keys()].join(' or '), called.at);
      }
      return { name, ...this.#list(called.at) };
    }, 'term');
  }

  #list(at: number): Omit<RelatedTerm, 'name'> {
    this.#scanner.expect('(');
    const relation = this.#filters.related(at, (parser) => parser.referrers());
    let filter: Filter | undefined;
    let order: readonly OrderBy[] | undefined;
    let limit: number | undefined;
    while (this.#scanner.accept(',')) {
      const { at: optionAt } = this.#scanner;
      const option = this.#option();
      if (option === undefined && filter === undefined && order === undefined && limit === undefined) {
        filter = this.#filters.related(at, () => this.#filters.argument(', order= or limit='));
      } else if (option === 'order' && order === undefined) {
        order = this.#order();
      } else if (option === 'limit' && limit === undefined) {
        limit = this.#limit();
      } else {
        const first = filter === undefined && order === undefined && limit === undefined;
        throw this.#scanner.fail(
          `${first ? 'a filter such as eq(name,Rome), ' : ''}order= or limit=, each once`,
          optionAt,
        );
      }
    }
    this.#scanner.expect(')', "',' or ')'");
    return { related: { relation, filter }, list: { order: order ?? [], limit: limit ?? LIMITS.relatedDefault } };
  }

  /** Skips the name of an option and `=`, and returns the name; undefined if there is none. */
  #option(): string | undefined {
    return this.#scanner.match(/^(\w+)\s*=\s*/)?.[1];
  }

  #order(): readonly OrderBy[] {
    const { at } = this.#scanner;
    const order = parseOrder(this.#scanner.argument(), at - 1);
    if (order.length > LIMITS.orderTerms) throw this.#scanner.fail(`at most ${LIMITS.orderTerms} terms`, at);
    if (depthOfRelated(relatedOfOrder(order)) < LIMITS.relatedDepth) return order;
    const text = `at most ${LIMITS.relatedDepth} functions over related units inside one another, at character ${at}`;
    throw refusal('filter.too_large', text);
  }

  #limit(): number {
    const { at } = this.#scanner;
    const text = this.#scanner.argument();
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= LIMITS.relatedMax) return limit;
    throw this.#scanner.fail(`a whole number from 1 to ${LIMITS.relatedMax}`, at);
  }
}

const RIGHTS = /^\s*(?:([^"(:]*):)?\s*can\s*\(\s*\)\s*$/;

/** The key in the answer of `can()`, or `mine:can()`: what the caller may do with the unit; undefined for other terms. */
export function rightsTermName(text: string): string | undefined {
  const [found, name = 'can'] = RIGHTS.exec(text) ?? [];
  return found === undefined || !isIdentifier(name.trim()) ? undefined : name.trim();
}

const FUNCTION = 'snippet';

/** `snippet(text)`, `place:snippet(text)`: the part of a text in which the words of the search are (docs/search.md). */
interface SnippetTerm {
  /** Its key in the answer: `snippet_text` unless it has one of its own. */
  readonly name: string;
  readonly path: Path;
}

export function isSnippetTerm(text: string): boolean {
  return /^(?:[^"(:]*:)?\s*snippet\s*\(/.test(text);
}

/** @throws KindError `filter.syntax`, with the position in the term */
export function parseSnippetTerm(text: string): SnippetTerm {
  checkSize(text);
  const scanner = new Scanner(text, ':');
  const filters = new FilterParser(scanner);
  return filters.whole(() => {
    const first = filters.word();
    const named = scanner.accept(':');
    if (named && !isIdentifier(first.word))
      throw scanner.fail('a name of lower-case letters, digits and _ before the colon', first.at);
    if (named) filters.word();
    scanner.expect('(');
    const path = filters.path();
    scanner.expect(')');
    return { name: named ? first.word : `${FUNCTION}_${path.segments.join('_')}`, path };
  }, 'term');
}
