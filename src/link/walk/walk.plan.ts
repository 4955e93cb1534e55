/** Plans traversals. Pure. */
import { referenceAccess } from '../../access/reference-access.js';
import type { ListQuery } from '../../filter/list-query.js';
import type { ParsedQuery } from '../../http/route/parse-list-query.js';
import { printOrderValue } from '../../filter/order.printer.js';
import { splitByLink } from '../../filter/link-path.js';
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { resolveFilter } from '../../model/predicate/resolve-filter.js';
import { namesOfLink } from '../../model/predicate/resolve-related.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import { Faults } from '../../shared/errors.js';
import { keepNewest } from '../../shared/bounded-map.js';
import type { Fragment } from '../../sql/fragment.js';
import type { PassedKind } from '../../sql/link/traversal-plan.js';
import { placeLength, type WalkPlan } from '../../sql/walk/walk.sql.js';
import { planParts, includingKind } from '../../unit/query/union.plan.js';
import type { Session } from '../../catalog/session/session.js';
import { decodeCursor, encodeCursor } from '../../unit/query/cursor.js';
import { collectFaults } from '../../shared/collect-faults.js';
import { planContextOf, planQuery } from '../../unit/query/list.plan.js';
import { shownLinkValues } from '../../unit/query/link-values.js';
import { namedKinds } from '../../unit/query/named-links.js';
import { walkLinkNames } from './walk.link-names.js';
import { sampleKinds } from './walk.names.js';
import {
  LINK_FIELD,
  reachableKinds,
  withoutLink,
  type ExpectedKinds,
  type TraversableKinds,
} from '../../unit/query/reachable-kinds.js';

export type From = Pick<WalkPlan, 'start' | 'direction'>;

export interface PlannedWalk {
  readonly query: ListQuery;
  readonly plan: WalkPlan;
}

/** Plans of plain queries, which hold for every unit of the kind that a traversal starts from. */
const cache = new WeakMap<TraversableKinds, Map<string, PlannedWalk>>();
/** Limits of the cache: plans for one set of kinds, and characters of the link types in a key. */
const CACHED = { plans: 50, characters: 100 } as const;

/**
 * A plain query is planned once for all units that the traversal may start from.
 * @throws KindError 400 for faults of the query, 401, 403 and 404 for a kind that it names
 */
export function planWalk(
  parsed: ParsedQuery,
  session: Session,
  from: From,
  traversable: TraversableKinds,
  expected: ExpectedKinds,
): PlannedWalk {
  const { start, direction } = from;
  const { query, faults } = parsed;
  const linkIds = query.linkIds?.join() ?? '*';
  const isCached =
    traversable.shared &&
    !start.access &&
    faults.length === 0 &&
    query.cursor === undefined &&
    isPlainQuery(query) &&
    linkIds.length <= CACHED.characters;
  if (!isCached) return makePlan(parsed, session, from, traversable, expected);
  const plans = getOrInsert(cache, traversable, () => new Map<string, PlannedWalk>());
  const seen = expected.narrow ? expected.seen.size : 'all';
  const page = `${query.offset} ${query.limit} ${query.count} ${query.depth}`;
  const key = `${session.project.schema} ${start.kind.id} ${direction} ${seen} ${page} ${linkIds}`;
  const known = plans.get(key);
  if (known) return { query, plan: { ...known.plan, start } };
  const { plan } = makePlan(parsed, session, from, traversable, expected);
  const planned = { query, plan: { ...plan, templateOwner: {} } };
  keepNewest(plans, key, planned, CACHED.plans);
  return planned;
}

function makePlan(
  parsed: ParsedQuery,
  session: Session,
  from: From,
  traversable: TraversableKinds,
  { seen, narrow }: ExpectedKinds,
): PlannedWalk {
  const { model, caller, project } = session;
  const plan = (list: ListQuery) => {
    const wanted = namedKinds(session, list);
    const isWanted = ({ kind }: PassedKind) => !wanted || wanted.has(kind);
    const every = traversable.passed.filter(isWanted);
    const plain = isPlainQuery(list);
    const shown = plain && narrow ? every.filter(({ kind }) => seen.has(kind.id)) : every;
    const read = { ...list, include: list.include?.filter(isOther) };
    const reach = referenceAccess(caller, model);
    const contextsOf = (kinds: readonly PassedKind[]) => kinds.map((passed) => planContextOf(session, passed, reach));
    // A query with names of parameters is validated for all kinds, but units are read of linked kinds alone.
    const linked = new Set(shown.map(({ kind }) => kind));
    const contexts = plain
      ? contextsOf(shown)
      : sampleKinds(read, linked, contextsOf(reachableKinds(session).filter(isWanted)), model);
    const link = walkLinkNames(session, list);
    const { ofLink, others } = list.filter && link ? splitByLink(list.filter) : { others: list.filter };
    const rest = { ...(caller.seesHidden ? includingKind(read) : read), filter: others };
    const found = new Faults();
    const attempt = <T>(work: () => T): T | undefined => collectFaults(found, work, undefined);
    const names = link && namesOfLink(link, { kind: from.start.kind, reach });
    const linkFilter = attempt((): Predicate | undefined => names && ofLink && resolveFilter(ofLink, names));
    const planned = attempt(() => planParts(rest, contexts, { link, read: linked }));
    const cursor = attempt(() => cursorOf(list, from));
    found.throwIfAny();
    return {
      query: list,
      every,
      parts: planned?.parts.filter(({ kind }) => linked.has(kind)) ?? [],
      order: planned?.order ?? [],
      seen: plain ? [...seen] : undefined,
      linkFilter,
      linkColumns: link?.columns ?? [],
      cursor,
    };
  };
  const { query, every, parts, order, seen: expectedKinds, ...ofLinks } = planQuery(parsed, plan);
  const { depth, linkIds, limit, offset, count } = query;
  const planned: WalkPlan = {
    ...from,
    passed: traversable.passed,
    passesAll: traversable.passesAll,
    oneType: (linkIds ?? [...model.linkTypes.keys()]).length === 1,
    schema: project.schema,
    depth,
    linkIds,
    linkValues: shownLinkValues(session, linkIds),
    shown: parts.map((part) => ({ ...part, read: withoutLink(part.read) })),
    expectedKinds,
    excludesUnits: every.length < traversable.passed.length || parts.some(({ filter }) => filter !== undefined),
    ...ofLinks,
    order,
    limit,
    offset,
    count,
  };
  return { query, plan: planned };
}

/** What a cursor is made for: the traversal and its order, as in lists without the filter. */
function signatureOf({ order, depth }: ListQuery, { start, direction }: From): unknown {
  const terms = order.map(({ value, descending }) => [printOrderValue(value), descending]);
  return ['link', start.kind.id, start.key, direction, depth, terms];
}

/** @throws KindError 400 if the cursor was not made for this traversal and order */
function cursorOf(query: ListQuery, from: From): WalkPlan['cursor'] {
  const { cursor, order, depth } = query;
  if (cursor === undefined) return undefined;
  return cursor === '' ? [] : decodeCursor(cursor, signatureOf(query, from), order.length + placeLength(depth));
}

/** @param last the values after which the next page begins */
export function nextCursor({ query, plan }: PlannedWalk, last: readonly (string | null)[]): string {
  return encodeCursor(signatureOf(query, plan), last);
}

/** Adds the column of `load_links` to the units of each kind. */
export function loading(plan: WalkPlan, loaded: (kind: KindDef) => Fragment): WalkPlan {
  const shown = plan.shown.map((part) => ({ ...part, read: { ...part.read, also: loaded(part.kind) } }));
  return { ...plan, shown };
}

/** Whether the query can be planned without the fields of the kinds. */
function isPlainQuery({ filter, order, include, exclude, kindIds, loadLinks }: ListQuery): boolean {
  return !filter && order.length === 0 && !include && !exclude && !kindIds && !loadLinks;
}

/** `include` may name `link`, which every unit has here without being a parameter. */
function isOther(name: string): boolean {
  return name !== LINK_FIELD;
}
