/**
 * Parses the arguments of functions over related units (docs/filter.md has the grammar): `comment.article,eq(state,new)` and
 * `borders,child,country,gt(area,1000)`. It checks the syntax only.
 */
import type { Filter, Neighbours, Referrers, RelatedUnits } from './filter.ast.js';
import type { Scanner } from './filter.scanner.js';

/** The functions that test whether there are related units, and those that count them, by the relation. */
export const RELATED_FUNCTIONS = {
  reference: { exists: 'exists', count: 'count_related' },
  link: { exists: 'linked', count: 'count_linked' },
} as const satisfies Record<RelatedUnits['relation']['type'], object>;

type RelationType = keyof typeof RELATED_FUNCTIONS;

/** The relation of a function that tests for related units. */
export const EXISTENCE_FUNCTIONS: ReadonlyMap<string, RelationType> = functionsOf('exists');
/** The relation of a function whose value is the number of related units. */
export const COUNT_FUNCTIONS: ReadonlyMap<string, RelationType> = functionsOf('count');

function functionsOf(role: 'exists' | 'count'): ReadonlyMap<string, RelationType> {
  const types: readonly RelationType[] = ['reference', 'link'];
  return new Map(types.map((type) => [RELATED_FUNCTIONS[type][role], type]));
}

export class RelatedParser {
  /** @param filter parses a filter where the scanner is; @param word its operator, if it has been read */
  constructor(
    private readonly scanner: Scanner,
    private readonly filter: (operator?: { readonly word: string; readonly at: number }) => Filter,
  ) {}

  /** The arguments of a function, with their parentheses. */
  call(type: RelationType): RelatedUnits {
    this.scanner.expect('(');
    const related = this.#related(type);
    this.scanner.expect(')', related.filter ? "')'" : "',' or ')'");
    return related;
  }

  /** A relation, and the filter that may follow. */
  #related(type: RelationType): RelatedUnits {
    if (type === 'link') return this.#linked();
    return Object.freeze({ relation: this.referrers(), filter: this.#lastFilter() });
  }

  referrers(): Referrers {
    const { at } = this.scanner;
    const kind = this.#word("a kind and its parameter, such as 'comment.article',");
    this.scanner.expect('.', `'.' and the parameter of '${kind.slice(0, 40)}' that refers here`);
    const parameter = this.#word(`the parameter of '${kind.slice(0, 40)}' that refers here`);
    return Object.freeze({ type: 'reference', kind, parameter, at });
  }

  #linked(): RelatedUnits {
    const { at } = this.scanner;
    const link = this.#word('a link type');
    this.scanner.expect(',');
    const direction = this.#direction();
    const { kinds, filter } = this.#kindsAndFilter();
    const relation: Neighbours = Object.freeze({ type: 'link', link, direction, kinds, at });
    return Object.freeze({ relation, filter });
  }

  /** Both may be left out. A word is the operator of a filter if a parenthesis follows, otherwise a kind. */
  #kindsAndFilter(): { readonly kinds: readonly string[] | undefined; readonly filter: Filter | undefined } {
    if (!this.scanner.accept(',')) return { kinds: undefined, filter: undefined };
    if (this.scanner.peek() === '[') return { kinds: this.#kinds(), filter: this.#lastFilter() };
    const { at } = this.scanner;
    const word = this.#word('a kind, a list of kinds or a filter');
    this.scanner.skipSpace();
    if (this.scanner.peek() === '(') return { kinds: undefined, filter: this.filter({ word, at }) };
    return { kinds: Object.freeze([word]), filter: this.#lastFilter() };
  }

  #lastFilter(): Filter | undefined {
    return this.scanner.accept(',') ? this.filter() : undefined;
  }

  #direction(): 'parent' | 'child' {
    const { at } = this.scanner;
    const word = this.scanner.word();
    if (word === 'parent' || word === 'child') return word;
    throw this.scanner.fail('parent or child', at);
  }

  #kinds(): readonly string[] {
    this.scanner.expect('[');
    const kinds: string[] = [];
    do kinds.push(this.#word('a kind'));
    while (this.scanner.accept(','));
    this.scanner.expect(']', "',' or ']'");
    return Object.freeze([...new Set(kinds)]);
  }

  #word(expected: string): string {
    const { at } = this.scanner;
    const word = this.scanner.word();
    if (word === '') throw this.scanner.fail(expected, at);
    return word;
  }
}
