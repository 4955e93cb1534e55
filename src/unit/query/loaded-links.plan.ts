/** Plans which links `load_links` adds to units, and what it shows of the linked ones. */
import { referenceAccess } from '../../access/reference-access.js';
import { parsePath } from '../../filter/filter.parser.js';
import { ALL_FIELDS, type ListQuery } from '../../filter/queries.js';
import { isLinkable, type KindDef } from '../../model/model.js';
import { KindError } from '../../shared/errors.js';
import { everyField } from '../../model/predicate/predicate.js';
import type { ReadPlan } from '../../sql/list/select.sql.js';
import type { Direction, PassedKind, Traversal } from '../../sql/link/traversal-plan.js';
import type { Session } from '../../catalog/session/session.js';
import { getOrInsert } from '../../shared/maps.js';
import { LIMITS } from '../../shared/limits.js';
import { flatten, type Fragment } from '../../sql/fragment.js';
import { linkCounts, noLinkCounts } from '../../sql/link/many-links.sql.js';
import { loadedLinks, noLinks } from '../../sql/walk/walk.sql.js';
import {
  LINK_FIELD,
  namedKinds,
  reachableKinds,
  shownLinkValues,
  traversableKinds,
  type TraversableKinds,
  withoutLink,
} from './reachable-kinds.js';
import { type PlanContext, planContextOf } from './list.plan.js';
import { includingKind, planParts } from './union.plan.js';

/** The query parameters of lists and units that `load_links` obeys. */
export type LoadedQuery = Pick<
  ListQuery,
  'depth' | 'limit' | 'loadLinks' | 'linkIds' | 'kindIds' | 'direction' | 'includeLinked'
>;

interface LoadedLinksPlan {
  readonly directions: readonly Direction[];
  /** The kinds whose units are shown or counted; undefined for all. */
  readonly kinds: ReadonlySet<KindDef> | undefined;
  /** What is shown of the units of each kind. */
  readonly shown: readonly ReadPlan[];
}

/** Makes the column `links` of `load_links` for the units of a kind. */
export async function planLinksColumn(session: Session, query: LoadedQuery): Promise<(kind: KindDef) => Fragment> {
  const { depth, limit, loadLinks, linkIds } = query;
  const traversable = await traversableKinds(session);
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

/** The columns of numbers of links that are the same for all callers of the same rights. */
const counted = new WeakMap<TraversableKinds, Map<KindDef, Fragment>>();

function keptCounts(traversable: TraversableKinds, kind: KindDef, ways: readonly Traversal[]): Fragment {
  const kept = getOrInsert(counted, traversable, () => new Map<KindDef, Fragment>());
  return getOrInsert(kept, kind, () => flatten(linkCounts(kind, ways)));
}

/**
 * @param passed the kinds that have links and that the caller may read
 * @param reachable makes the list of all kinds that the caller may read, linked or not
 * @throws KindError 400, and those of `namedKinds`
 */
function planLoadedLinks(
  session: Session,
  query: LoadedQuery,
  passed: readonly PassedKind[],
  reachable: () => readonly PassedKind[],
): LoadedLinksPlan {
  const kinds = namedKinds(session, query);
  const isShown = ({ kind }: PassedKind) => !kinds || kinds.has(kind);
  const shown = planShown(session, query, passed.filter(isShown), () => reachable().filter(isShown));
  return { directions: query.direction ? [query.direction] : ['parent', 'child'], kinds, shown };
}

function planShown(
  session: Session,
  { includeLinked, limit, loadLinks }: LoadedQuery,
  linked: readonly PassedKind[],
  reachable: () => readonly PassedKind[],
): ReadPlan[] {
  if (loadLinks === 'count') return [];
  const reach = referenceAccess(session.caller, session.model);
  const contextsOf = (kinds: readonly PassedKind[]) => kinds.map((each) => planContextOf(session, each, reach));
  const contexts = contextsOf(linked);
  if (!includeLinked) return contexts.map(wholeUnit);
  const names = {
    include: includeLinked,
    exclude: undefined,
    nest: false,
    order: [],
    filter: undefined,
    search: undefined,
    limit,
  };
  const query = session.caller.seesHidden ? includingKind(names) : names;
  const known = new Set(linked.map(({ kind }) => kind));
  const sample = withOthersNamed(includeLinked, contexts, () =>
    contextsOf(reachable().filter(({ kind }) => !known.has(kind))),
  );
  const { parts } = asIncludeLinked(() => planParts(query, sample, { read: known }));
  return parts.filter(({ kind }) => known.has(kind)).map(({ read }) => read);
}

function wholeUnit({ schema, kind, access, visible }: PlanContext): ReadPlan {
  return { schema, kind, access, fields: everyField(visible) };
}

/**
 * The kinds that are linked, and of the others one for each name that none of these has: whether a name is known must not
 * depend on stored links. All others if a name is unknown, because the message suggests the nearest name of any kind.
 */
function withOthersNamed(
  include: readonly string[],
  linked: readonly PlanContext[],
  others: () => readonly PlanContext[],
): readonly PlanContext[] {
  const has = (name: string) => (context: PlanContext) => context.visible.has(name);
  const missing = rootsOf(include)?.filter((name) => !linked.some(has(name)));
  if (missing?.length === 0) return linked;
  const all = others();
  const found = missing?.map((name) => all.find(has(name)));
  const isComplete = (contexts: readonly (PlanContext | undefined)[]): contexts is readonly PlanContext[] =>
    contexts.every((context) => context !== undefined);
  return [...linked, ...(found && isComplete(found) ? new Set(found) : all)];
}

/** The parameters with which names and dotted paths begin; undefined if one cannot be parsed. */
function rootsOf(include: readonly string[]): string[] | undefined {
  try {
    return include.filter((name) => name !== ALL_FIELDS).flatMap((name) => parsePath(name).segments[0] ?? []);
  } catch (error) {
    if (error instanceof KindError) return undefined;
    throw error;
  }
}

/** Faults of `include` are reported as those of `include_linked`. */
function asIncludeLinked<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    const [first, ...more] = error.messages.map((message) => ({
      ...message,
      text: message.text.replace(/^include: /, 'include_linked: '),
      ...(message.parameter === 'include' && { parameter: 'include_linked' }),
    }));
    throw first ? error.withMessages([first, ...more]) : error;
  }
}
