/** Plans a query for a caller: resolves names to fields, and texts to values. Pure. */
import { namedFields } from '../../access/masks.js';
import { unitRights } from '../../access/unit-rights.js';
import { referenceAccess } from '../../access/reference-access.js';
import type { ListQuery } from '../../filter/queries.js';
import type { Parsed } from '../../http/route/parse-list-query.js';
import { Faults } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Reach } from '../../model/predicate/path.js';
import { conjunction, followsReferences, type Predicate, selective } from '../../model/predicate/predicate.js';
import { relatedIn } from '../../model/predicate/related.js';
import { resolveFilter } from '../../model/predicate/resolve-filter.js';
import { type CountedRows, hasStoredCount, type ListPlan, type ReadPlan } from '../../sql/list/select.sql.js';
import { type AnswerNames, planAnswer } from './answer.plan.js';
import { collectFaults } from '../../shared/collect-faults.js';
import { planCursor } from './cursor.js';
import { checkLookups, checkRelated, checkRelatedPage, orderTargets, shownTargets } from './query-limits.js';
import { type AddressedSession, fileAddresses } from './file-addresses.js';
import { planOrder } from './order.plan.js';
import { planSearch, searchCondition } from './search.plan.js';
import type { Session } from '../../catalog/session/session.js';

/**
 * `visible` are the fields that the caller may read, `reach` the references that it may follow; none without `reach`.
 */
export interface PlanContext extends AnswerNames {
  readonly schema: string;
  /** The units that the caller may read. */
  readonly access: Predicate | undefined;
}

/** The part of a kind that a caller may read and use in queries. */
export function planContextOf(
  session: Pick<Session, 'model' | 'deployment'> & AddressedSession,
  { kind, access }: Pick<PlanContext, 'kind' | 'access'>,
  reach: Reach = referenceAccess(session.caller, session.model),
): PlanContext {
  const { project, caller, model, deployment } = session;
  const visible = namedFields(kind, caller, model);
  const rights = () => {
    const functions = kind.builtIn ? [] : (deployment?.functionsOfUnits(project.id, kind.id) ?? []);
    return unitRights(kind, { caller, model, visible }, functions);
  };
  const addresses = () => fileAddresses(session);
  return { schema: project.schema, kind, access, visible, reach, rights, addresses };
}

/**
 * Plans a parsed query. The faults found by parsing and those found by planning are reported together.
 * @throws KindError 400, and errors of other statuses that `plan` throws
 */
export function planQuery<Query, T>({ query, faults: parsing }: Parsed<Query>, plan: (query: Query) => T): T {
  if (parsing.length === 0) return plan(query);
  const faults = new Faults([...parsing]);
  // A cursor is valid for one order only. The order may have faults here, so the cursor is not checked.
  if (parsing.length < LIMITS.faults)
    collectFaults<unknown>(faults, () => plan({ ...query, cursor: undefined }), undefined);
  faults.throwIfAny();
  throw new Error('a query with faults was not refused');
}

/**
 * Plans a list and reports all faults of the query together.
 * @throws KindError 400; 401 and 403 if a path leads to data that the caller may not read
 */
export function planList(query: ListQuery, context: PlanContext, extra?: Predicate): ListPlan {
  const { kind } = context;
  const faults = new Faults();
  const attempt = <T>(work: () => T, otherwise: T): T => collectFaults(faults, work, otherwise);
  attempt(() => checkRelated(query), undefined);
  const search = attempt(() => planSearch(query.search, [context])(context), undefined);
  const names = { ...context, search };
  const order = attempt(() => planOrder(query, names), []);
  const filter = conjunction(
    attempt(() => selective(query.filter && resolveFilter(query.filter, context)), undefined),
    searchCondition(search),
  );
  const answer = attempt(() => planAnswer(query, names), { fields: [] });
  const cursor = attempt(() => planCursor(query, kind, order), undefined);
  attempt(() => checkLookups(filter, [...orderTargets(order), ...shownTargets(answer)], answer.related), undefined);
  attempt(() => checkRelatedPage(query, answer), undefined);
  faults.throwIfAny();
  return {
    schema: context.schema,
    kind,
    access: context.access,
    ...answer,
    filter: conjunction(extra, filter),
    order,
    limit: query.limit,
    offset: query.offset,
    count: countFor(query, [{ kind: context.kind, access: context.access, filter }]),
    cursor,
  };
}

/**
 * How the units of a query are counted. An estimate is exact where their number is stored, and where the caller may not
 * read all of them, because the estimate of PostgreSQL would include units that the caller may not read.
 */
export function countFor({ count }: Pick<ListQuery, 'count'>, parts: readonly CountedRows[]): ListQuery['count'] {
  const partial = parts.some(({ access, filter }) => access ?? (filter && mayReadOthers(filter)));
  return count === 'estimated' && (partial || parts.every(hasStoredCount)) ? 'exact' : count;
}

/** Whether an estimate for a filter could depend on units that the caller may not read. */
function mayReadOthers(filter: Predicate): boolean {
  return followsReferences(filter, (step) => step.access !== undefined) || relatedIn(filter).length > 0;
}

export function planGet(query: ListQuery, context: PlanContext): ReadPlan {
  const { schema, kind, access } = context;
  checkRelated(query);
  const answer = planAnswer(query, context);
  if (answer.paths ?? answer.related) checkLookups(undefined, shownTargets(answer), answer.related);
  return { schema, kind, access, ...answer };
}

/**
 * The plans of two parts of a query.
 * @throws KindError 400 with the faults of both; errors of other statuses come first
 */
export async function planBoth<A extends object, B extends object>(
  first: () => A,
  second: () => Promise<B>,
): Promise<readonly [A, B]> {
  const faults = new Faults();
  const one = collectFaults(faults, first, undefined);
  const other = await collectFaultsOf(faults, second());
  faults.throwIfAny();
  if (!one || !other) throw new Error('a query with faults was not refused');
  return [one, other];
}

async function collectFaultsOf<T>(faults: Faults, planned: Promise<T>): Promise<T | undefined> {
  try {
    return await planned;
  } catch (error) {
    return collectFaults(
      faults,
      () => {
        throw error;
      },
      undefined,
    );
  }
}
