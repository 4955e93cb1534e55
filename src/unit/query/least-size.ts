/** What the statement of a query over several kinds takes at least. Pure. */
import { testsOf, type Predicate } from '../../model/predicate/predicate.js';
import { checkStatementSize } from '../../sql/fragment.js';

/** Characters of SQL at least: of a test, of one with the same result for all units, and of a value. */
const CHARACTERS = { test: 14, constant: 4, value: 8 } as const;

/** The part of a statement that reads one kind. */
interface KindSize {
  readonly predicates: readonly (Predicate | undefined)[];
  /** The number of values that are read. */
  readonly values: number;
}

/**
 * Adds up the kinds of a query while they are planned, so that a query whose statement would be refused is not planned as
 * a whole: that would hold up other requests.
 */
export class LeastSize {
  #kinds = 0;
  #characters = 0;

  /** @throws KindError 400 `query.too_large` */
  add({ predicates, values }: KindSize): void {
    this.#kinds += 1;
    this.#characters += values * CHARACTERS.value;
    for (const test of predicates.flatMap((each) => (each ? testsOf(each) : []))) {
      this.#characters += test.op === 'constant' ? CHARACTERS.constant : CHARACTERS.test;
    }
    checkStatementSize(this.#kinds, this.#characters);
  }
}
