/** Plans a request that creates many links of one unit: what the caller may do, and which units it names. Pure. */
import { authorizeKind, checkHasTable, kindDenied, suggestableLinkTypes } from '../../access/access.js';
import { hasOwnAccess, isClosedFor, linkGrantOf } from '../../access/link-access.js';
import type { LinkedKinds } from '../../access/link-rule.js';
import { readableUnits } from '../../unit/table/rights.js';
import type { Session } from '../../catalog/session/session.js';
import type { KindDef, LinkTypeDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import { Faults, KindError, refusal } from '../../shared/errors.js';
import { isPlainObject, scalarText, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import type { LinkEnd } from '../../sql/link/link-ends.sql.js';
import type { OtherUnits } from '../../sql/link/link-set.sql.js';
import type { Direction } from '../../sql/link/traversal-plan.js';
import { type Body, bodyOf } from '../../unit/draft/draft.js';
import { parseKey, requireKey } from '../../unit/store/unit-ids.js';
import { parseDirection } from '../link.plan.js';

/** The ids in the path of the request. */
export interface LinkSetPath {
  readonly kind: string;
  readonly unit: string;
  readonly link: string;
  readonly direction: string;
}

export interface PlannedLinkSet {
  readonly type: LinkTypeDef;
  /** `child`: the unit of the path is the parent, and the others are its children. */
  readonly direction: Direction;
  readonly unit: LinkEnd;
  /** The units of the path that the caller may link; undefined for all. */
  readonly allowed: Predicate | undefined;
}

type Context = Pick<Session, 'project' | 'caller' | 'model'>;

/** @throws KindError 401, 403, 404 */
export function planLinkSet({ model, caller }: Context, path: LinkSetPath): PlannedLinkSet {
  const type = model.linkTypes.get(path.link);
  const own = model.kinds.get(path.kind)?.builtIn !== true && hasOwnAccess(type, 'create');
  // The right to link is asked of the parent.
  const operation = path.direction === 'child' && !own ? 'link' : 'read';
  const { kind, grant } = authorizeKind(model, path.kind, operation, caller);
  const direction = parseDirection(kind, path.direction);
  if (!type) {
    const hint = didYouMean(path.link, suggestableLinkTypes(model, caller));
    throw refusal('link.unknown', `No link type '${shortened(path.link)}'${hint}`);
  }
  if (own && isClosedFor(type, 'create', caller)) throw kindDenied(model, kind, kind.id, 'link', caller);
  checkHasTable(kind);
  const key = requireKey(kind, path.unit);
  return {
    type,
    direction,
    unit: { kind, key, access: readableUnits({ model, caller }, kind) },
    allowed: direction === 'child' && !own ? grant.predicate : undefined,
  };
}

/** The kind of some of the other units. */
interface OtherKind extends Pick<OtherUnits, 'kind' | 'access' | 'allowed' | 'rule'> {
  readonly fault?: undefined;
}

/** A kind whose units cannot be linked, and why. */
interface UnlinkableKind {
  readonly fault: string;
}

type OtherKinds = ReadonlyMap<string, OtherKind | UnlinkableKind>;

/** The kinds of the other units, by id. @throws KindError 401, 403, 404 with the position of the first of its units */
export function planOtherKinds(context: Context, links: readonly GivenLink[], planned: PlannedLinkSet): OtherKinds {
  const first = new Map<string, number>();
  for (const { kindId, index } of links) if (!first.has(kindId)) first.set(kindId, index);
  const kinds = new Map<string, OtherKind | UnlinkableKind>();
  for (const [id, index] of first)
    kinds.set(
      id,
      atIndex(index, () => planOtherKind(context, id, planned)),
    );
  for (const [id, index] of first) {
    const each = kinds.get(id);
    if (each && each.fault === undefined) atIndex(index, () => checkHasTable(each.kind));
  }
  return kinds;
}

function planOtherKind(
  context: Context,
  id: string,
  { type, direction, unit }: PlannedLinkSet,
): OtherKind | UnlinkableKind {
  const { model, caller } = context;
  const own = hasOwnAccess(type, 'create');
  try {
    const { kind, grant } = authorizeKind(model, id, direction === 'parent' && !own ? 'link' : 'read', caller);
    if (kind.builtIn) return { fault: `units of '${kind.id}' cannot be linked` };
    const other = { kind, access: readableUnits(context, kind) };
    if (!own) return { ...other, allowed: direction === 'parent' ? grant.predicate : undefined, rule: undefined };
    const kinds = linkedKinds(unit.kind, kind, direction);
    const ofType = linkGrantOf(type, 'create', kinds, caller, model);
    if (!ofType) throw kindDenied(model, kinds.parent, kinds.parent.id, 'link', caller);
    return { ...other, ...ofType };
  } catch (error) {
    if (!(error instanceof KindError) || error.code !== 'kind.unknown') throw error;
    return { fault: error.messages[0].text };
  }
}

/** The kinds of parent and child, of the unit of the path and another one. */
export function linkedKinds(kind: KindDef, other: KindDef, direction: Direction): LinkedKinds {
  return direction === 'child' ? { parent: kind, child: other } : { parent: other, child: kind };
}

function atIndex<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    const [first, ...rest] = error.messages.map((message) => ({ ...message, index }));
    throw first ? error.withMessages([first, ...rest]) : error;
  }
}

/** The units to look up, sorted by kind. Adds faults of units that cannot be there, and of those that are there twice. */
export function otherUnitsOf(links: readonly GivenLink[], kinds: OtherKinds, faults: Faults): OtherUnits[] {
  const groups = new Map<string, OtherUnits & { readonly keys: string[]; readonly positions: number[] }>();
  const seen = new Map<string, number>();
  for (const { index, kindId, id } of links) {
    const each = kinds.get(kindId);
    if (!each || each.fault !== undefined) {
      faults.add('parameter.bad_reference', `kind_id: ${each?.fault ?? ''}`, { parameter: 'kind_id', index });
      continue;
    }
    const key = parseKey(each.kind, id);
    if (key === undefined) {
      addMissingUnit(each.kind, index, faults);
      continue;
    }
    const text = scalarText(key);
    const name = `${kindId}/${text}`;
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      faults.add('parameter.duplicate', `id: items[${earlier}] has the same unit`, { parameter: 'id', index });
      continue;
    }
    seen.set(name, index);
    const group = groups.get(kindId) ?? { ...each, keys: [], positions: [] };
    groups.set(kindId, group);
    group.keys.push(text);
    group.positions.push(index);
  }
  return [...groups.values()].sort((a, b) => (a.kind.id < b.kind.id ? -1 : 1));
}

/** Of a unit that is not there, or that the caller may not read. */
export function addMissingUnit({ id }: KindDef, index: number, faults: Faults): void {
  faults.add('parameter.bad_reference', `id: no such unit of '${id}'`, { parameter: 'id', index });
}

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
