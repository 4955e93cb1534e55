/** Traversal of links: the kinds that a caller may pass through, and the fields that it may read there. */
import { Injectable } from '@nestjs/common';
import { grantOf, accessSettingOf } from '../../access/access.js';
import { readsByFieldRules } from '../../access/field-rules.js';
import { dependsOnCaller } from '../../access/level.js';
import { rightsKeyOf } from '../../access/masks.js';
import { isLinkable, type KindDef, type Model } from '../../model/model.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js';
import { LIMITS } from '../../shared/limits.js';
import { flatten, type Fragment } from '../../sql/fragment.js';
import { linkCounts, linkedKindsStatement, noLinkCounts } from '../../sql/link/many-links.sql.js';
import type { PassedKind, Traversal } from '../../sql/link/traversal-plan.js';
import type { ReadPlan } from '../../sql/list/select.sql.js';
import { loadedLinks, noLinks } from '../../sql/walk/walk.sql.js';
import { isAdministrator, scopeOfKey } from '../../tenancy/caller.js';
import type { Session } from '../../catalog/session/session.js';
import { shownLinkValues } from './link-values.js';
import { planLoadedLinks, type LoadedQuery } from './loaded-links.plan.js';

/** Up to this number of kinds, all are traversed, without a query for those that have links. */
const FEW = 12;

/**
 * The kinds that a traversal of a caller may pass through and that have links. Names in a query are resolved with
 * `reachableKinds` instead.
 */
export interface TraversableKinds extends Pick<Traversal, 'passed' | 'passesAll'> {
  /** The value is cached for all callers of the same rights and this model. */
  readonly shared: boolean;
}

/** The kinds that earlier pages had units of; with `narrow`, only these are read. */
export interface ExpectedKinds {
  readonly seen: ReadonlySet<string>;
  readonly narrow: boolean;
}

interface ReadPage {
  /** `unmet`: kinds that were not expected, and that the page has units of. */
  readonly row: { readonly unmet: readonly string[] | null };
}

@Injectable()
export class Walks {
  readonly #seenKinds = new WeakMap<Model, Set<string>>();
  /** For callers of the same rights, where no access rule depends on the caller. */
  readonly #shared = new WeakMap<Model, Map<string, TraversableKinds>>();

  /**
   * Reads a page of a traversal. Every kind in a statement costs time, so that the first attempt reads only the kinds that
   * earlier pages had units of; a page with units of other kinds is read again with all kinds.
   */
  async withExpectedKinds<Page extends ReadPage>(
    model: Model,
    read: (expected: ExpectedKinds) => Promise<Page>,
  ): Promise<Page> {
    const seen = getOrInsert(this.#seenKinds, model, () => new Set<string>());
    const expected = { seen, narrow: seen.size > 0 };
    const page = await read(expected);
    const { unmet } = page.row;
    if (!unmet) return page;
    for (const id of unmet) seen.add(id);
    return expected.narrow ? read({ seen, narrow: false }) : page;
  }

  /**
   * Units of inactive kinds, and of kinds that the caller may not read, are neither reached nor passed. A kind whose first
   * link is created after the query for linked kinds is not included.
   */
  traversableKinds(session: Session): MaybePromise<TraversableKinds> {
    const linkable = linkableKinds(session);
    if (linkable.length <= FEW) return this.#traversableOf(session, linkable, linkable);
    return andThen(this.#linked(session, linkable), (linked) => this.#traversableOf(session, linkable, linked));
  }

  /** Whether what `traversableKinds` returns depends on stored links. */
  readsLinks(session: Session): boolean {
    return linkableKinds(session).length > FEW;
  }

  #traversableOf(session: Session, linkable: readonly KindDef[], linked: readonly KindDef[]): TraversableKinds {
    const { model, caller } = session;
    const cached = getOrInsert(this.#shared, model, () => new Map<string, TraversableKinds>());
    const key = `${rightsKeyOf(caller)} ${linked === linkable ? '' : linked.map(({ id }) => id).join()}`;
    const known = cached.get(key);
    if (known) return known;
    const passed = readableKinds(session, linked);
    const isSame = (kind: KindDef) => isReadByLevel(kind, model) && !readsByFieldRules(kind, caller);
    // There are as many scopes as clients define.
    const shared = !scopeOfKey(caller) && (isAdministrator(caller) || linked.every(isSame));
    const traversable = { passed, passesAll: passed.length === linkable.length, shared };
    if (shared) cached.set(key, traversable);
    return traversable;
  }

  async #linked({ project, executor }: Session, kinds: readonly KindDef[]): Promise<KindDef[]> {
    const rows = await executor.run<{ id: string }>(linkedKindsStatement(project.schema));
    const linked = new Set(rows.map(({ id }) => id));
    return kinds.filter(({ id }) => linked.has(id));
  }

  /** Makes the column `links` of `load_links` for the units of a kind. */
  async loaded(session: Session, query: LoadedQuery): Promise<(kind: KindDef) => Fragment> {
    const { depth, limit, loadLinks, linkIds } = query;
    const traversable = await this.traversableKinds(session);
    const { passed, passesAll } = traversable;
    const named = { ...query, includeLinked: query.includeLinked?.filter((name) => name !== LINK_FIELD) };
    const planned = planLoadedLinks(session, named, passed, () => reachableKinds(session));
    const { directions, kinds } = planned;
    const shown = planned.shown.map(withoutLink);
    const reached = kinds ? passed.filter(({ kind }) => kinds.has(kind)) : passed;
    const oneType = (linkIds ?? [...session.model.linkTypes.keys()]).length === 1;
    const share = (of: number) => Math.floor(of / Math.max(1, limit));
    const limits = {
      units: Math.min(LIMITS.loadedPerUnit, share(LIMITS.loadedPerPage)),
      links: share(LIMITS.loadedLinks),
    };
    const { schema } = session.project;
    const linkValues = shownLinkValues(session, linkIds);
    // Units of other kinds need not be reached if nothing is reached through them.
    const isDirect = depth === 0 || loadLinks === 'count';
    const through = isDirect && kinds ? { passed: reached, passesAll: false } : { passed, passesAll };
    const ways = directions.map((direction): Traversal => {
      return { schema, direction, depth, linkIds, linkValues, oneType, ...through };
    });
    if (loadLinks === 'count') {
      const isKept =
        !linkIds && !kinds && directions.length > 1 && traversable.shared && passed.every(({ access }) => !access);
      const counts = (kind: KindDef) => (isKept ? keptCounts(traversable, kind, ways) : linkCounts(kind, ways));
      return (kind) => (isLinkable(kind) ? counts(kind) : noLinkCounts(directions));
    }
    const only = isDirect ? undefined : kinds && [...kinds].map(({ id }) => id);
    return (kind) => (isLinkable(kind) ? loadedLinks(kind, ways, { shown, only, limits }) : noLinks(directions));
  }
}

/** The columns of numbers of links that are the same for all callers of the same rights. */
const counted = new WeakMap<TraversableKinds, Map<KindDef, Fragment>>();

function keptCounts(traversable: TraversableKinds, kind: KindDef, ways: readonly Traversal[]): Fragment {
  const kept = getOrInsert(counted, traversable, () => new Map<KindDef, Fragment>());
  return getOrInsert(kept, kind, () => flatten(linkCounts(kind, ways)));
}

/** All kinds that a traversal may reach, linked or not: the names that a query may use must not depend on stored data. */
export function reachableKinds(session: Session): PassedKind[] {
  return readableKinds(session, linkableKinds(session));
}

function linkableKinds({ model }: Session): KindDef[] {
  return [...model.kinds.values()].filter(isLinkable);
}

function readableKinds({ caller, model }: Session, kinds: readonly KindDef[]): PassedKind[] {
  return kinds.flatMap((kind) => {
    const grant = kind.active ? grantOf(kind, 'read', caller, model) : undefined;
    return grant ? [{ kind, access: grant.predicate }] : [];
  });
}

/** Whether callers of the same rights may read the same units. */
function isReadByLevel(kind: KindDef, model: Model): boolean {
  const setting = accessSettingOf(kind, 'read', model);
  return 'level' in setting && !dependsOnCaller(setting.level);
}

/** The field of a linked unit with the link by which it was reached. */
export const LINK_FIELD = 'link';

/** Without a parameter `link`, which the field `link` replaces. */
export function withoutLink(read: ReadPlan): ReadPlan {
  const others = read.fields.filter(({ id }) => id !== LINK_FIELD);
  return others.length === read.fields.length ? read : { ...read, fields: others };
}
