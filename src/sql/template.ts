/**
 * Statements that come again and again with other values only: their text is made once, and kept with what it is made of,
 * such as the fields that it answers, which go when the kind's definition does.
 */
import { keepNewest } from '../shared/bounded-map.js';
import { Fragment, render, type Statement } from './fragment.js';

/** Texts kept with one owner, the newest ones: a client chooses which columns an edit writes, and there are many choices. */
const MAX_TEMPLATES = 100;

/** The place of a value that each use of a template brings. */
class Slot {
  constructor(readonly at: number) {}
}

const SLOTS = [0, 1, 2, 3].map((at) => new Fragment([{ value: new Slot(at) }]));

/** The values of a template as fragments, in their order. */
type SlotFragments = readonly [Fragment, Fragment, Fragment, Fragment];

class StatementTemplate {
  readonly #made: Statement;

  constructor(fragment: Fragment) {
    this.#made = render(fragment, true);
  }

  bind(given: readonly unknown[]): Statement {
    const { values } = this.#made;
    return { ...this.#made, values: values.map((value) => (value instanceof Slot ? given[value.at] : value)) };
  }
}

const templatesByOwner = new WeakMap<object, Map<string, StatementTemplate>>();

/**
 * The statement that `make` renders with these values (at most four). All that its text depends on, beside the owner, is
 * in `shape`.
 */
export function fromTemplate(
  owner: object,
  shape: string,
  values: readonly unknown[],
  make: (values: SlotFragments) => Fragment,
): Statement {
  const known = templatesByOwner.get(owner) ?? new Map<string, StatementTemplate>();
  templatesByOwner.set(owner, known);
  let template = known.get(shape);
  if (!template) {
    template = new StatementTemplate(make(SLOTS as unknown as SlotFragments));
    keepNewest(known, shape, template, MAX_TEMPLATES);
  }
  return template.bind(values);
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A number that no other object has had: for a shape that depends on more than its owner. */
export function identityOf(part: object): number {
  const known = identities.get(part);
  if (known !== undefined) return known;
  identities.set(part, (lastIdentity += 1));
  return lastIdentity;
}
