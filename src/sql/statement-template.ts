/**
 * Templates of statements that are run often, each time with other values: the text is rendered once, and kept as long
 * as its owner, such as the list of answered fields of a kind.
 */
import { keepNewest } from '../shared/maps.js';
import { UNBOUND_MEMBER } from '../model/predicate/predicate.js';
import { Fragment, render, type Statement } from './fragment.js';

/**
 * The most templates of an owner; the newest are kept. There can be many, one for each set of columns that an edit
 * writes.
 */
const MAX_TEMPLATES = 100;

/** The place of a value in a template. */
class Slot {
  constructor(readonly at: number) {}
}

/** The places of values, in their order; made when a template needs as many. */
const slots: Fragment[] = [];

function slotsFor(count: number): Fragment[] {
  while (slots.length < count) slots.push(new Fragment([{ value: new Slot(slots.length) }]));
  return slots.slice(0, count);
}

/** A fragment for each value. */
type FragmentsOf<Values extends readonly unknown[]> = { readonly [At in keyof Values]: Fragment };

class StatementTemplate {
  readonly #statement: Statement;

  constructor(fragment: Fragment) {
    this.#statement = render(fragment, true);
  }

  /** @param memberId for an access rule that names the member */
  bind(bound: readonly unknown[], memberId: string | undefined): Statement {
    const valueOf = (value: unknown): unknown => {
      if (value instanceof Slot) return bound[value.at];
      return value === UNBOUND_MEMBER && memberId !== undefined ? memberId : value;
    };
    return { ...this.#statement, values: this.#statement.values.map(valueOf) };
  }
}

const templatesByOwner = new WeakMap<object, Map<string, StatementTemplate>>();

/**
 * The statement that `make` renders with the values. Its text may depend on the owner and on `shape`, and on nothing
 * else. A rule in it is rendered before it is bound (`boundRuleOf`), and gets its member here.
 */
export function fromTemplate<const Values extends readonly unknown[]>(
  owner: object,
  shape: string,
  values: Values,
  make: (values: FragmentsOf<Values>) => Fragment,
  memberId?: string,
): Statement {
  const known = templatesByOwner.get(owner) ?? new Map<string, StatementTemplate>();
  templatesByOwner.set(owner, known);
  let template = known.get(shape);
  if (!template) {
    template = new StatementTemplate(make(slotsFor(values.length) as FragmentsOf<Values>));
    keepNewest(known, shape, template, MAX_TEMPLATES);
  }
  return template.bind(values, memberId);
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A unique number for an object, for the shape of a text that depends on more than its owner. */
export function identityOf(part: object): number {
  const known = identities.get(part);
  if (known !== undefined) return known;
  identities.set(part, (lastIdentity += 1));
  return lastIdentity;
}
