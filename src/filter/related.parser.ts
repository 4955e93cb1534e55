/**
 * Parses the arguments of functions over related units (docs/filter.md has the grammar): `comment.article,eq(state,new)`,
 * `line.order,mul(quantity,price)`, `borders,child,country,gt(area,1000)` and `article.cover`. It checks the syntax only.
 */
import type { Filter, Neighbours, Path, Referrers, RelatedUnits, Users } from './filter.ast.js';
import type { Scanner } from './filter.scanner.js';

type RelationType = RelatedUnits['relation']['type'];
type Role = 'exists' | 'count' | 'sum';

interface RelatedFunction {
  readonly name: string;
  readonly relation: RelationType;
  readonly role: Role;
}

/** The functions that test whether there are related units, that count them, and that sum a value of them. */
const RELATED_FUNCTIONS: readonly RelatedFunction[] = [
  { name: 'exists', relation: 'reference', role: 'exists' },
  { name: 'linked', relation: 'link', role: 'exists' },
  { name: 'count_related', relation: 'reference', role: 'count' },
  { name: 'count_linked', relation: 'link', role: 'count' },
  { name: 'sum_related', relation: 'reference', role: 'sum' },
  { name: 'referred', relation: 'any', role: 'exists' },
];

/** The functions that test for related units, by name. */
export const EXISTENCE_FUNCTIONS: ReadonlyMap<string, RelatedFunction> = functionsThat((role) => role === 'exists');
/** The functions whose value is a number: of related units, or a sum of them. */
export const COUNT_FUNCTIONS: ReadonlyMap<string, RelatedFunction> = functionsThat((role) => role !== 'exists');

function functionsThat(does: (role: Role) => boolean): ReadonlyMap<string, RelatedFunction> {
  return new Map(RELATED_FUNCTIONS.filter(({ role }) => does(role)).map((each) => [each.name, each]));
}

/** The name of the function over these units. */
export function relatedFunctionName({ relation, summed }: RelatedUnits, role: 'exists' | 'count'): string {
  const wanted = summed ? 'sum' : role;
  const found = RELATED_FUNCTIONS.find((each) => each.role === wanted && each.relation === relation.type);
  if (!found) throw new Error(`linked units have no ${wanted}`);
  return found.name;
}

/** Parses what functions over related units have in them, where the scanner is. */
interface InnerParsers {
  /** @param operator the operator of the filter, if it has been read */
  readonly filter: (operator?: { readonly word: string; readonly at: number }) => Filter;
  /** A parameter or an expression. */
  readonly expression: () => Path;
}

export class RelatedParser {
  constructor(
    private readonly scanner: Scanner,
    private readonly inner: InnerParsers,
  ) {}

  /** The arguments of a function, with their parentheses. */
  call(called: RelatedFunction): RelatedUnits {
    this.scanner.expect('(');
    const related = this.#related(called);
    this.scanner.expect(')', related.filter ? "')'" : "',' or ')'");
    return related;
  }

  /** A relation, what is summed, and the filter that may follow. */
  #related({ relation: type, role }: RelatedFunction): RelatedUnits {
    if (type === 'link') return this.#linked();
    if (type === 'any') return this.#users();
    const relation = this.referrers();
    if (role !== 'sum') return Object.freeze({ relation, filter: this.#lastFilter() });
    this.scanner.expect(',', "',' and what is summed");
    const summed = this.inner.expression();
    return Object.freeze({ relation, filter: this.#lastFilter(), summed });
  }

  referrers(): Referrers {
    const { at } = this.scanner;
    const kind = this.#word("a kind and its parameter, such as 'comment.article',");
    this.scanner.expect('.', `'.' and the parameter of '${kind.slice(0, 40)}' that refers here`);
    const parameter = this.#word(`the parameter of '${kind.slice(0, 40)}' that refers here`);
    return Object.freeze({ type: 'reference', kind, parameter, at });
  }

  /** Everything may be left out; a filter is of units of the kind that is named. */
  #users(): RelatedUnits {
    const { at } = this.scanner;
    this.scanner.skipSpace();
    const kind = this.scanner.peek() === ')' ? undefined : this.#word("a kind, or one and its parameter, or ')'");
    const parameter =
      kind !== undefined && this.scanner.accept('.')
        ? this.#word(`the parameter of '${kind.slice(0, 40)}' that refers here`)
        : undefined;
    const relation: Users = Object.freeze({ type: 'any', kind, parameter, at });
    return Object.freeze({ relation, filter: kind === undefined ? undefined : this.#lastFilter() });
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
    if (this.scanner.peek() === '(') return { kinds: undefined, filter: this.inner.filter({ word, at }) };
    return { kinds: Object.freeze([word]), filter: this.#lastFilter() };
  }

  #lastFilter(): Filter | undefined {
    return this.scanner.accept(',') ? this.inner.filter() : undefined;
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
