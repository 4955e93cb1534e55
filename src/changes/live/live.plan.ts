/** Plans what the query of a live list shows, and what may change it. Pure. */
import { authorizeKind } from '../../access/access.js';
import type { ListQuery } from '../../filter/queries.js';
import { parseListQuery, type QueryParameters } from '../../http/route/parse-list-query.js';
import { LIVE_QUERY, LIVE_UNIT_QUERY } from '../../http/route/query-names.js';
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { hasMoment } from '../../model/predicate/related.js';
import type { Opened } from '../../run/command.js';
import { refusal } from '../../shared/errors.js';
import type { ListPlan } from '../../sql/list/select.sql.js';
import { checkReferring } from '../../unit/query/list-access.js';
import { planContextOf, planList as planPage, planQuery } from '../../unit/query/list.plan.js';
import { requireKey } from '../../unit/store/unit-ids.js';
import type { Readable } from '../../unit/store/unit-store.js';
import type { UnitStores } from '../../unit/unit-stores.js';
import { LookedAt } from './looked-at.js';

/** A list, or with `unitId` one unit. */
export interface AskedList {
  readonly as: string;
  readonly kindId: string;
  readonly unitId: string | undefined;
  readonly parameters: QueryParameters;
}

export interface LivePlan {
  readonly list: ListPlan;
  readonly looksAt: LookedAt;
}

/** @throws KindError as a request for the list would be refused; 400 for what cannot be followed */
export function planList(opened: Opened, asked: AskedList, stores: UnitStores): LivePlan {
  const readable = authorizeKind(opened.model, asked.kindId, 'read', opened.caller);
  stores.of(readable.kind).checkState(readable.kind, opened, 'list');
  checkRecorded(readable.kind, 'is asked for');
  return planFollowed(opened, readable, asked);
}

function checkRecorded({ id, changes }: KindDef, why: string): void {
  if (changes !== 'none') return;
  const text = `path: '${id}' ${why}, and its changes are not recorded; its setting changes is 'none'`;
  throw refusal('changes.off', text);
}

function planFollowed(opened: Opened, { kind, grant }: Readable, asked: AskedList): LivePlan {
  const { unitId, parameters } = asked;
  const one = unitId === undefined ? undefined : isUnit(kind, unitId);
  const list = planQuery(parseListQuery(parameters, one ? LIVE_UNIT_QUERY : LIVE_QUERY), (query) => {
    // What a list shows is kept until a unit changes.
    const context = { ...planContextOf(opened, { kind, access: grant.predicate }), addresses: undefined };
    return planPage({ ...query, ...(one ? { limit: 1 } : exactly(query)) }, context, one);
  });
  if (list.filter && hasMoment(list.filter)) {
    const text = 'filter: time that passes is no change; @now is not possible here';
    throw refusal('filter.bad_value', text, { parameter: 'filter' });
  }
  if (list.related?.some((each) => each.list)) {
    throw refusal('query.bad_value', 'include: a live list has no related(…); make a live list of them', {
      parameter: 'include',
    });
  }
  if (!one) checkReferring(list);
  const looksAt = new LookedAt(list);
  for (const each of looksAt.kinds) checkRecorded(each, `is looked at by a rule, or by filter, order or include`);
  return { list, looksAt };
}

/** An estimate changes by itself. */
function exactly({ count }: ListQuery): Pick<ListQuery, 'count'> {
  return { count: count === 'estimated' ? 'exact' : count };
}

/** @throws KindError 404 */
function isUnit(kind: KindDef, id: string): Predicate {
  return { op: 'is', target: { field: kind.keyField, keys: [] }, negated: false, value: requireKey(kind, id) };
}
