/** What a caller may reach over links: the kinds that it may pass through, those that a query names, and the values of links. */
import { accessSettingOf, authorizeKind, checkActive, grantOf, suggestableLinkTypes } from '../../access/access.js';
import { readsByFieldRules } from '../../access/field-rules.js';
import { dependsOnCaller } from '../../access/level.js';
import { readableFields, rightsKeyOf } from '../../access/masks.js';
import { type Field, isLinkable, type KindDef, type LinkTypeDef, type Model } from '../../model/model.js';
import { getOrInsert } from '../../shared/maps.js';
import { andThen, type MaybePromise } from '../../shared/work-in-pieces.js';
import { linkedKindsStatement } from '../../sql/link/many-links.sql.js';
import type { PassedKind, ShownLinkValues, Traversal } from '../../sql/link/traversal-plan.js';
import type { ReadPlan } from '../../sql/list/select.sql.js';
import { type Caller, isAdministrator, scopeOfKey } from '../../tenancy/caller.js';
import type { Session } from '../../catalog/session/session.js';
import type { ListQuery } from '../../filter/queries.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import { KindError, refusal } from '../../shared/errors.js';

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

const seenKinds = new WeakMap<Model, Set<string>>();
/** For callers of the same rights, where no access rule depends on the caller. */
const sharedKinds = new WeakMap<Model, Map<string, TraversableKinds>>();

/**
 * Reads a page of a traversal. Every kind in a statement costs time, so that the first attempt reads only the kinds that
 * earlier pages had units of; a page with units of other kinds is read again with all kinds.
 */
export async function withExpectedKinds<Page extends ReadPage>(
  model: Model,
  read: (expected: ExpectedKinds) => Promise<Page>,
): Promise<Page> {
  const seen = getOrInsert(seenKinds, model, () => new Set<string>());
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
export function traversableKinds(session: Session): MaybePromise<TraversableKinds> {
  const linkable = linkableKinds(session);
  if (linkable.length <= FEW) return traversableOf(session, linkable, linkable);
  return andThen(linkedKinds(session, linkable), (linked) => traversableOf(session, linkable, linked));
}

/** Whether what `traversableKinds` returns depends on stored links. */
export function readsLinks(session: Session): boolean {
  return linkableKinds(session).length > FEW;
}

function traversableOf(session: Session, linkable: readonly KindDef[], linked: readonly KindDef[]): TraversableKinds {
  const { model, caller } = session;
  const cached = getOrInsert(sharedKinds, model, () => new Map<string, TraversableKinds>());
  const key = `${rightsKeyOf(caller)} ${linked === linkable ? '' : linked.map(({ id }) => id).join()}`;
  const known = cached.get(key);
  if (known) return known;
  const passed = readableKinds(session, linked);
  const isSame = (kind: KindDef) => isReadByLevel(kind, model) && !readsByFieldRules(kind, caller);
  // There are as many scopes as clients define.
  const alike = isAdministrator(caller) || caller.type === 'anonymous';
  const shared = !scopeOfKey(caller) && (alike || linked.every(isSame));
  const traversable = { passed, passesAll: passed.length === linkable.length, shared };
  if (shared) cached.set(key, traversable);
  return traversable;
}

async function linkedKinds({ project, executor }: Session, kinds: readonly KindDef[]): Promise<KindDef[]> {
  const rows = await executor.run<{ id: string }>(linkedKindsStatement(project.schema));
  const linked = new Set(rows.map(({ id }) => id));
  return kinds.filter(({ id }) => linked.has(id));
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

/** The parameters of a link type that a caller may read. */
export function readableLinkFields({ values, parameters }: LinkTypeDef, caller: Caller, model: Model): Field[] {
  const readable = readableFields(values, caller, model);
  return parameters.flatMap((id) => readable.get(id) ?? []);
}

/** The link types that have parameters which the caller may read. @param linkIds undefined for all types */
export function shownLinkValues(
  { model, caller }: { readonly model: Model; readonly caller: Caller },
  linkIds?: readonly string[],
): ShownLinkValues[] {
  const types = linkIds?.flatMap((id) => model.linkTypes.get(id) ?? []) ?? [...model.linkTypes.values()];
  return types.flatMap((type) => {
    const fields = type.parameters.length === 0 ? [] : readableLinkFields(type, caller, model);
    return fields.length > 0 ? [{ linkId: type.id, fields }] : [];
  });
}

/**
 * The kinds; undefined for all.
 * @throws KindError 401 or 403 for a kind that the caller may not read, 404 for one that is not there or has no links, and
 *   for an unknown link type
 */
export function namedKinds(
  { model, caller }: Session,
  { linkIds = [], kindIds }: Pick<ListQuery, 'linkIds' | 'kindIds'>,
): ReadonlySet<KindDef> | undefined {
  const kinds = kindIds?.map((id): KindDef => {
    const kind = atKindId(() => authorizeKind(model, id, 'read', caller).kind);
    checkActive(kind);
    if (!isLinkable(kind)) throw notLinked(kind, { parameter: 'kind_id' });
    return kind;
  });
  const unknown = linkIds.find((id) => !model.linkTypes.has(id));
  if (unknown === undefined) return kinds && new Set(kinds);
  const hint = didYouMean(unknown, suggestableLinkTypes(model, caller));
  throw refusal('link.unknown', `link_id: no link type '${shortened(unknown)}'${hint}`, { parameter: 'link_id' });
}

/** Adds the query parameter to the refusal of an unknown kind. */
function atKindId<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError) || error.code !== 'kind.unknown') throw error;
    throw refusal('kind.unknown', `kind_id: ${error.messages[0].text}`, { parameter: 'kind_id' });
  }
}

export function notLinked({ id }: KindDef, place?: { readonly parameter: string }): KindError {
  return refusal('link.unknown', `Units of '${id}' have no links of this sort`, place);
}
