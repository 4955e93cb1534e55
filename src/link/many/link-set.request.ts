/** Parses the body of a request that creates many links. Pure. */
import { Faults, refusal } from '../../shared/errors.js';
import { isPlainObject, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { shortened } from '../../shared/shortened.js';
import { bodyOf, type Body } from '../../unit/draft/draft.js';

/** The unit at the other end of a link, and the values of the link. */
export interface GivenLink {
  /** The position in the list. */
  readonly index: number;
  readonly kindId: string;
  readonly id: string;
  readonly values: Body;
}

export interface GivenLinks {
  /** Those that name a unit. */
  readonly links: readonly GivenLink[];
  /** Whether all other links are deleted. */
  readonly replace: boolean;
  readonly faults: Faults;
}

const KEYS: readonly string[] = ['items', 'replace'];
const UNIT_KEYS: readonly string[] = ['kind_id', 'id'];

/** Items that are read between two looks at the clock. */
const ITEMS_PER_PIECE = 64;

/** @throws KindError 400 for a body that is no list of links, or a too long one; faults of its items are returned */
export function* readLinks(body: unknown): WorkInPieces<GivenLinks> {
  if (!isPlainObject(body)) {
    const type = body === undefined ? 'none' : typeName(body);
    throw refusal('body.not_object', `The body must be a JSON object with 'items', got ${type}`);
  }
  const faults = new Faults();
  for (const key of Object.keys(body)) {
    if (KEYS.includes(key)) continue;
    const shown = shortened(key);
    const text = `${shown}: there are only 'items' and 'replace' here${faults.hint(key, KEYS)}`;
    faults.add('parameter.unknown', text, { parameter: shown });
  }
  const { items, replace = false } = body;
  if (typeof replace !== 'boolean') {
    faults.add('parameter.bad_type', `replace: must be true or false, got ${typeName(replace)}`, {
      parameter: 'replace',
    });
  }
  if (!Array.isArray(items)) {
    const [code, text] =
      items === undefined
        ? (['parameter.required', 'must be given'] as const)
        : (['parameter.bad_type', `must be a list, got ${typeName(items)}`] as const);
    faults.add(code, `items: ${text}`, { parameter: 'items' });
    faults.throwIfAny();
  }
  const given = items as readonly unknown[];
  checkNumber(given.length, 'items: at most');
  const links: GivenLink[] = [];
  for (const [index, item] of given.entries()) {
    if (index % ITEMS_PER_PIECE === ITEMS_PER_PIECE - 1) yield;
    const link = readLink(item, index, faults);
    if (link) links.push(link);
  }
  return { links, replace: replace === true, faults };
}

/** A link that a function creates. */
interface CalledLink {
  readonly unit: { readonly kind_id: string; readonly id: string };
  readonly values?: Readonly<Record<string, unknown>>;
}

/** The links that a function creates. @throws KindError 400 for too many */
export function calledLinks(called: readonly CalledLink[], replace: boolean): GivenLinks {
  checkNumber(called.length, 'At most');
  const links = called.map(({ unit, values = {} }, index): GivenLink => {
    return { index, kindId: unit.kind_id, id: unit.id, values: bodyOf(values) };
  });
  return { links, replace, faults: new Faults() };
}

function checkNumber(count: number, atMost: string): void {
  if (count > LIMITS.bulk) throw refusal('body.too_many', `${atMost} ${LIMITS.bulk} links at once, got ${count}`);
}

function readLink(item: unknown, index: number, faults: Faults): GivenLink | undefined {
  if (!isPlainObject(item)) {
    faults.add('body.not_object', `items[${index}]: must be an object, got ${typeName(item)}`, { index });
    return undefined;
  }
  const values = new LinkBody(item);
  const [kindId, id] = UNIT_KEYS.map((key) => {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (typeof value === 'string') return value;
    if (value === undefined) faults.add('parameter.required', `${key}: must be given`, { parameter: key, index });
    else {
      const text = `${key}: must be a string, got ${typeName(value)}`;
      faults.add('parameter.bad_type', text, { parameter: key, index });
    }
    return undefined;
  });
  return kindId === undefined || id === undefined ? undefined : { index, kindId, id, values };
}

/** The values of a link: what is not the kind or the id of its unit. */
class LinkBody implements Body {
  constructor(private readonly item: Readonly<Record<string, unknown>>) {}

  has(key: string): boolean {
    return !UNIT_KEYS.includes(key) && Object.hasOwn(this.item, key);
  }

  get(key: string): unknown {
    return this.has(key) ? this.item[key] : undefined;
  }

  keys(): readonly string[] {
    return Object.keys(this.item).filter((key) => !UNIT_KEYS.includes(key));
  }

  *[Symbol.iterator](): Iterator<[string, unknown]> {
    for (const key of this.keys()) yield [key, this.item[key]];
  }
}
