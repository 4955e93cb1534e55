/** Traversal of links: the kinds that a caller may pass through, and the fields that it may read there. */
import { Injectable } from '@nestjs/common';
import { grantOf, accessSettingOf } from '../../access/access.js';
import { dependsOnCaller } from '../../access/level.js';
import { rightsKeyOf } from '../../access/masks.js';
import type { ListQuery } from '../../filter/list-query.js';
import { isLinkable, type KindDef, type Model } from '../../model/model.js';
import { everyField } from '../../model/predicate/predicate.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js';
import { LIMITS } from '../../shared/limits.js';
import type { Fragment } from '../../sql/fragment.js';
import { linkedKindsStatement } from '../../sql/many-links.sql.js';
import type { PassedKind, Traversal } from '../../sql/traversal.sql.js';
import type { ReadPlan } from '../../sql/select.sql.js';
import { linkCounts, NO_LINK_COUNTS } from '../../sql/link-counts.sql.js';
import { loadedLinks, NO_LINKS } from '../../sql/walk.sql.js';
import { isAdministrator } from '../../tenancy/caller.js';
import type { Session } from '../session/session.js';
import { shownLinkValues } from './link-values.js';
import { planContextOf, type PlanContext } from './list.plan.js';

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

@Injectable()
export class Walks {
  readonly #seenKinds = new WeakMap<Model, Set<string>>();
  /** For callers of the same rights, where no access rule depends on the caller. */
  readonly #shared = new WeakMap<Model, Map<string, TraversableKinds>>();

  /**
   * The kinds that earlier pages had units of. Every kind in a statement costs time, so that the first attempt reads only
   * these; a page with units of other kinds is read again with all kinds.
   */
  seenKinds(model: Model): Set<string> {
    return getOrInsert(this.#seenKinds, model, () => new Set());
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

  #traversableOf(session: Session, linkable: readonly KindDef[], linked: readonly KindDef[]): TraversableKinds {
    const { model, caller } = session;
    const cached = getOrInsert(this.#shared, model, () => new Map<string, TraversableKinds>());
    const key = `${rightsKeyOf(caller)} ${linked === linkable ? '' : linked.map(({ id }) => id).join()}`;
    const known = cached.get(key);
    if (known) return known;
    const passed = readableKinds(session, linked);
    const shared = isAdministrator(caller) || linked.every(isReadByLevel);
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
  async loaded(
    session: Session,
    { depth, limit, loadLinks }: Pick<ListQuery, 'depth' | 'limit' | 'loadLinks'>,
  ): Promise<(kind: KindDef) => Fragment> {
    const { passed, passesAll } = await this.traversableKinds(session);
    const oneType = session.model.linkTypes.size === 1;
    const shown = passed.map((each) => withoutLink(readPlan(planContextOf(session, each))));
    const share = (of: number) => Math.floor(of / Math.max(1, limit));
    const limits = {
      units: Math.min(LIMITS.loadedPerUnit, share(LIMITS.loadedPerPage)),
      links: share(LIMITS.loadedLinks),
    };
    const { schema } = session.project;
    const linkValues = shownLinkValues(session);
    const ways = (['parent', 'child'] as const).map((direction): Traversal => {
      return { schema, direction, depth, linkIds: undefined, linkValues, oneType, passed, passesAll };
    });
    if (loadLinks === 'count') return (kind) => (isLinkable(kind) ? linkCounts(kind, ways) : NO_LINK_COUNTS);
    return (kind) => (isLinkable(kind) ? loadedLinks(kind, ways, shown, limits) : NO_LINKS);
  }
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
function isReadByLevel(kind: KindDef): boolean {
  const setting = accessSettingOf(kind, 'read');
  return 'level' in setting && !dependsOnCaller(setting.level);
}

function readPlan({ schema, kind, access, visible }: PlanContext): ReadPlan {
  return { schema, kind, access, fields: everyField(visible) };
}

/** The field of a linked unit with the link by which it was reached. */
export const LINK_FIELD = 'link';

/** Without a parameter `link`, which the field `link` replaces. */
export function withoutLink(read: ReadPlan): ReadPlan {
  const others = read.fields.filter(({ id }) => id !== LINK_FIELD);
  return others.length === read.fields.length ? read : { ...read, fields: others };
}
