/** Turns the query of a walk into a plan. Pure. */
import { referenceAccess } from '../access/reference-access.js';
import { suggestableLinkTypes, authorizeKind } from '../access/access.js';
import type { ListQuery } from '../http/route/list-query.js';
import { WALK_QUERY } from '../http/route/query-names.js';
import type { KindDef, Model } from '../model/model.js';
import { refusal, type KindError } from '../shared/errors.js';
import { didYouMean } from '../shared/did-you-mean.js';
import { keepNewest } from '../shared/bounded-map.js';
import type { Fragment } from '../sql/fragment.js';
import type { PassedKind } from '../sql/traversal.sql.js';
import type { WalkPlan } from '../sql/walk.sql.js';
import type { Caller } from '../tenancy/caller.js';
import { planParts, tellingKind } from '../unit/query/union.plan.js';
import type { Session } from '../unit/session/session.js';
import { contextOf, planQuery } from '../unit/query/list.plan.js';
import { judging } from './walk.names.js';
import { LINK_FIELD, walkable, withoutLink, type Ground } from '../unit/query/traversal.js';

export type From = Pick<WalkPlan, 'start' | 'direction'>;

/** The kinds that pages have had so far, and whether these alone are read. */
export interface Expected {
  readonly met: ReadonlySet<string>;
  readonly narrow: boolean;
}

export interface PlannedWalk {
  readonly query: ListQuery;
  readonly plan: WalkPlan;
}

/** Plain walks by their query and what else they begin with, but for the unit; they go with the ground that they are made for. */
const kept = new WeakMap<Ground, Map<string, PlannedWalk>>();
/** Walks of a ground, and characters of a query. */
const KEPT = { walks: 50, characters: 100 } as const;

/**
 * A plain walk is planned once for all units that it may start from.
 * @throws KindError 400 for what is wrong with the query, 401, 403 and 404 for a kind that it names
 */
export function planWalk(url: string, session: Session, from: From, ground: Ground, expected: Expected): PlannedWalk {
  const { start, direction } = from;
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  const isShared = ground.shared && !start.access && search.length <= KEPT.characters;
  if (!isShared) return makePlan(url, session, from, ground, expected);
  const walks = kept.get(ground) ?? new Map<string, PlannedWalk>();
  kept.set(ground, walks);
  const met = expected.narrow ? expected.met.size : 'all';
  const key = `${session.project.schema} ${start.kind.id} ${direction} ${met} ${search}`;
  const known = walks.get(key);
  if (known) return { query: known.query, plan: { ...known.plan, start } };
  const { query, plan } = makePlan(url, session, from, ground, expected);
  if (!isPlain(query)) return { query, plan };
  const planned = { query, plan: { ...plan, templateOwner: {} } };
  keepNewest(walks, key, planned, KEPT.walks);
  return planned;
}

function makePlan(url: string, session: Session, from: From, ground: Ground, { met, narrow }: Expected): PlannedWalk {
  const { model, caller, project } = session;
  const plan = (asked: ListQuery) => {
    checkTypes(asked, model, caller);
    const wanted = asked.kindIds?.map((id) => openLinked(model, id, caller));
    const isWanted = ({ kind }: PassedKind) => !wanted || wanted.includes(kind);
    const every = ground.passed.filter(isWanted);
    const plain = isPlain(asked);
    const shown = plain && narrow ? every.filter(({ kind }) => met.has(kind.id)) : every;
    const read = { ...asked, include: asked.include?.filter(isOther) };
    const reach = referenceAccess(caller, model);
    const contextsOf = (kinds: readonly PassedKind[]) => kinds.map((passed) => contextOf(session, passed, reach));
    // A query that names parameters is judged by all kinds; PostgreSQL is asked for units of those alone that are linked.
    const linked = new Set(shown.map(({ kind }) => kind));
    const contexts = plain ? contextsOf(shown) : judging(read, linked, contextsOf(walkable(session).filter(isWanted)));
    const { parts, order } = planParts(caller.seesHidden ? tellingKind(read) : read, contexts);
    const asking = parts.filter(({ kind }) => linked.has(kind));
    return { query: asked, every, parts: asking, order, met: plain ? [...met] : undefined };
  };
  const { query, every, parts, order, met: named } = planQuery(url, WALK_QUERY, plan);
  const { depth, linkIds, limit, offset, count } = query;
  const planned: WalkPlan = {
    ...from,
    passed: ground.passed,
    passesAll: ground.passesAll,
    oneType: (linkIds ?? [...model.linkTypes.keys()]).length === 1,
    schema: project.schema,
    depth,
    linkIds,
    shown: parts.map((part) => ({ ...part, read: withoutLink(part.read) })),
    expectedKinds: named,
    excludesUnits: every.length < ground.passed.length || parts.some(({ filter }) => filter !== undefined),
    order,
    limit,
    offset,
    count,
  };
  return { query, plan: planned };
}

/** The same walk, with what `load_links` adds to the units of each kind. */
export function loading(plan: WalkPlan, loaded: (kind: KindDef) => Fragment): WalkPlan {
  const shown = plan.shown.map((part) => ({ ...part, read: { ...part.read, also: loaded(part.kind) } }));
  return { ...plan, shown };
}

/** What is wrong with other queries, and what they leave out, is known by all kinds together. */
function isPlain({ filter, order, include, exclude, kindIds, loadLinks }: ListQuery): boolean {
  return !filter && order.length === 0 && !include && !exclude && !kindIds && !loadLinks;
}

/** A kind of which linked units are wanted. @throws KindError 401, 403, 404 */
function openLinked(model: Model, id: string, caller: Caller): KindDef {
  const { kind } = authorizeKind(model, id, 'read', caller);
  if (kind.builtIn) throw notLinked(kind, { parameter: 'kind_id' });
  return kind;
}

/** `include` may name the field that every linked unit has. */
function isOther(name: string): boolean {
  return name !== LINK_FIELD;
}

export function notLinked({ id }: KindDef, place?: { readonly parameter: string }): KindError {
  return refusal('link.unknown', `Units of '${id}' have no links of this sort`, place);
}

function checkTypes({ linkIds }: ListQuery, model: Model, caller: Caller): void {
  const unknown = linkIds?.find((id) => !model.linkTypes.has(id));
  if (unknown === undefined) return;
  throw refusal(
    'link.unknown',
    `link_id: no link type '${unknown.slice(0, 80)}'${didYouMean(unknown, suggestableLinkTypes(model, caller))}`,
    {
      parameter: 'link_id',
    },
  );
}
