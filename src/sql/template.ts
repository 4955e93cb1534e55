/**
 * Statements that come again and again with other values only: their text is made once, and kept with what it is made of,
 * such as the fields that it answers, which go when the kind's definition does.
 */
import { keepNewest } from '../shared/bounded-map.js';
import { Fragment, render, type Statement } from './fragment.js';

/** Texts kept with one owner, the newest ones: a client chooses which columns an edit writes, and there are many choices. */
const KEPT = 100;

/** The place of a value that each use of a template brings. */
class Slot {
  constructor(readonly at: number) {}
}

const slots = [0, 1, 2, 3].map((at) => new Fragment([{ value: new Slot(at) }]));

/** The values of a template as fragments, in their order. */
type Values = readonly [Fragment, Fragment, Fragment, Fragment];

class Template {
  readonly #made: Statement;

  constructor(fragment: Fragment) {
    this.#made = render(fragment, true);
  }

  bind(given: readonly unknown[]): Statement {
    const { values } = this.#made;
    return { ...this.#made, values: values.map((value) => (value instanceof Slot ? given[value.at] : value)) };
  }
}

const kept = new WeakMap<object, Map<string, Template>>();

/**
 * The statement that `make` renders with these values (at most four). All that its text depends on, beside the owner, is
 * in `shape`.
 */
export function fromTemplate(
  owner: object,
  shape: string,
  values: readonly unknown[],
  make: (values: Values) => Fragment,
): Statement {
  const known = kept.get(owner) ?? new Map<string, Template>();
  kept.set(owner, known);
  let template = known.get(shape);
  if (!template) {
    template = new Template(make(slots as unknown as Values));
    keepNewest(known, shape, template, KEPT);
  }
  return template.bind(values);
}

const numbers = new WeakMap<object, number>();
let numbered = 0;

/** A number that no other object has had: for a shape that depends on more than its owner. */
export function identityOf(part: object): number {
  const known = numbers.get(part);
  if (known !== undefined) return known;
  numbers.set(part, (numbered += 1));
  return numbered;
}
