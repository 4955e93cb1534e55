/** Plans traversals. Pure. */
import { readableFields } from '../../access/masks.js';
import { referenceAccess } from '../../access/reference-access.js';
import type { Session } from '../../catalog/session/session.js';
import type { Path } from '../../filter/filter.ast.js';
import { isLinkPath, pathsOf, splitByLink } from '../../filter/filter.walk.js';
import type { ListQuery } from '../../filter/queries.js';
import { pathsOfOrder, printOrder } from '../../filter/order.js';
import type { ParsedQuery } from '../../http/route/parse-list-query.js';
import { builtInField } from '../../model/field.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { LinkNames } from '../../model/predicate/path.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { resolveFilter } from '../../model/predicate/resolve-filter.js';
import { namesOfLink } from '../../model/predicate/resolve-related.js';
import { getOrInsert, keepNewest } from '../../shared/maps.js';
import { collectFaults } from '../../shared/collect-faults.js';
import { Faults } from '../../shared/errors.js';
import type { Fragment } from '../../sql/fragment.js';
import type { PassedKind } from '../../sql/link/traversal-plan.js';
import type { KindPart } from '../../sql/list/union.sql.js';
import type { LinkColumn } from '../../sql/walk/reached-links.sql.js';
import { placeLength, type WalkPlan } from '../../sql/walk/walk.sql.js';
import { decodeCursor, encodeCursor, positionsOf } from '../../unit/query/cursor.js';
import {
  type ExpectedKinds,
  LINK_FIELD,
  namedKinds,
  reachableKinds,
  shownLinkValues,
  type TraversableKinds,
  withoutLink,
} from '../../unit/query/reachable-kinds.js';
import { type PlanContext, planContextOf, planQuery } from '../../unit/query/list.plan.js';
import { relatedInQuery } from '../../unit/query/query-limits.js';
import { pathsInQuery, rootsOf } from '../../unit/query/paths-in-query.js';
import { includingKind, type PartsQuery, planParts } from '../../unit/query/union.plan.js';

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
    const parts = planned?.parts.filter(({ kind }) => linked.has(kind)) ?? [];
    const cursor = attempt(() => cursorOf(list, from, parts));
    found.throwIfAny();
    return {
      query: list,
      every,
      parts,
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
function signatureOf({ order, depth }: ListQuery, { start, direction }: From, parts: readonly KindPart[]): unknown {
  return ['link', start.kind.id, start.key, direction, depth, order.map(printOrder), positionsOf(parts)];
}

/** @throws KindError 400 if the cursor was not made for this traversal and order */
function cursorOf(query: ListQuery, from: From, parts: readonly KindPart[]): WalkPlan['cursor'] {
  const { cursor, order, depth } = query;
  if (cursor === undefined) return undefined;
  return cursor === '' ? [] : decodeCursor(cursor, signatureOf(query, from, parts), order.length + placeLength(depth));
}

/** @param last the values after which the next page begins */
export function nextCursor({ query, plan }: PlannedWalk, last: readonly (string | null)[]): string {
  return encodeCursor(signatureOf(query, plan, plan.shown), last);
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

/** The number of steps before the link, as the field `link` of a unit shows it. */
const DEPTH: Field = builtInField({ id: 'depth', type: 'integer', nullable: false }, { system: true });

interface WalkLinkNames extends LinkNames {
  /** The values that the query names. */
  readonly columns: readonly LinkColumn[];
}

/**
 * The names that may follow `link.`: those of all link types that are followed. A value that a link's type does not have
 * is null. Undefined if the query names none.
 */
function walkLinkNames(
  { model, caller }: Pick<Session, 'model' | 'caller'>,
  query: Pick<ListQuery, 'filter' | 'order' | 'linkIds'>,
): WalkLinkNames | undefined {
  const named = linkPathsOf(query);
  if (named.length === 0) return undefined;
  const ids = query.linkIds ?? [...model.linkTypes.keys()];
  const types = [...new Set(ids)].flatMap((id) => model.linkTypes.get(id)?.values ?? []);
  const visible = new Map<string, Field>([[DEPTH.id, DEPTH]]);
  const columns = new Map<string, Set<string>>([[DEPTH.id, new Set()]]);
  for (const type of types) {
    for (const [id, field] of readableFields(type, caller, model)) {
      visible.set(id, field.column === undefined ? field : { ...field, column: id });
      if (field.column === undefined) continue;
      const stored = columns.get(id) ?? new Set();
      columns.set(id, stored.add(field.column));
    }
  }
  const used = [...new Set(named.map(({ segments }) => segments[1] ?? ''))];
  return {
    types,
    visible,
    columns: used.flatMap((name) => {
      const stored = columns.get(name);
      return stored ? [{ name, columns: [...stored] }] : [];
    }),
  };
}

function linkPathsOf({ filter, order }: Pick<ListQuery, 'filter' | 'order'>): Path[] {
  const paths = [...(filter ? pathsOf(filter) : []), ...order.flatMap(({ value }) => pathsOfOrder(value))];
  return paths.filter(({ segments }) => isLinkPath(segments));
}

/**
 * A sample of the kinds that validates a query like all of them: the kinds whose units are `read`, and one more for each
 * sort of field that the query names, so that the cost of planning does not grow with the number of kinds. All kinds
 * where a name is unknown, because the message suggests the nearest name of any kind.
 */
function sampleKinds(
  query: PartsQuery,
  read: ReadonlySet<KindDef>,
  all: readonly PlanContext[],
  model: Model,
): readonly PlanContext[] {
  const names = namesInQuery(query);
  const referred = referredKinds(query, model);
  if (!names?.every((name) => all.some(({ visible }) => visible.has(name)))) return all;
  const known = new Set<string>();
  const adds = ({ visible }: PlanContext): boolean => {
    const before = known.size;
    for (const field of names.flatMap((name) => visible.get(name) ?? [])) known.add(`${field.id} ${sortOf(field)}`);
    return known.size > before;
  };
  for (const context of all) if (read.has(context.kind)) adds(context);
  return all.filter((context) => read.has(context.kind) || referred.has(context.kind) || adds(context));
}

/** The kinds to which the relations of functions such as `exists(comment.article)` lead: one of them must be reachable. */
function referredKinds(query: PartsQuery, { kinds }: Model): ReadonlySet<KindDef | undefined> {
  const references = relatedInQuery(query).map(({ relation }) =>
    relation.type === 'reference' ? kinds.get(relation.kind)?.fields.get(relation.parameter)?.reference : undefined,
  );
  return new Set(references.map((reference) => reference && kinds.get(reference.kind)));
}

/** The parameters that a query names, and the id, whose type differs between kinds; undefined if a name cannot be parsed. */
function namesInQuery(query: PartsQuery): string[] | undefined {
  const paths = pathsInQuery(query)?.filter(({ segments }) => !isLinkPath(segments));
  return paths && [...new Set(['id', ...rootsOf(paths), ...(query.exclude ?? [])])];
}

/** Fields of one name and one sort are compared and ordered in the same way. */
function sortOf({ type, columnType, def, reference }: Field): string {
  return `${type.id} ${columnType} ${def.multiple ? 'list' : ''} ${reference?.kind ?? ''}`;
}
