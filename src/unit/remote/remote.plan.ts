/** Turns a query into the query of a source, validated as for a table, without what sources do not support. Pure. */
import { printFilter } from '../../filter/filter.printer.js';
import type { ListQuery } from '../../filter/list-query.js';
import { printOrderValue } from '../../filter/order.printer.js';
import type { RemoteQuery } from '../../kit/remote.js';
import type { Field } from '../../model/model.js';
import type { Names, Reach } from '../../model/predicate/path.js';
import { Faults, refusal } from '../../shared/errors.js';
import { planAnswer } from '../query/answer.plan.js';
import { collectFaults } from '../../shared/collect-faults.js';
import { planList, type PlanContext } from '../query/list.plan.js';

interface RemotePlan {
  /** The fields of each unit in the answer. */
  readonly fields: readonly Field[];
  readonly query: RemoteQuery;
}

/** Refuses paths over references: a source has only units of its kind. */
export const NO_REACH: Reach = {
  follow({ id }, at) {
    const text = `'${id}' leads no further: a remote kind is asked for its own parameters alone, at character ${at}`;
    throw refusal('filter.unknown_parameter', text, { parameter: id });
  },
  checkField: () => undefined,
};

/** @throws KindError 400 with all faults */
export function planRemoteList(query: ListQuery, context: PlanContext): RemotePlan {
  const faults = new Faults();
  const unitQuery = { ...query, include: undefined, exclude: undefined };
  collectFaults<unknown>(faults, () => planList(unitQuery, context), undefined);
  if (query.order.some(({ value }) => value.type === 'distance')) {
    const text = 'order: a remote kind is ordered by its own parameters, without distance()';
    faults.add('query.bad_value', text, { parameter: 'order' });
  }
  const fields = collectFaults(faults, () => planRemoteAnswer(query, context), []);
  faults.throwIfAny();
  const common = remoteQuery(query);
  return { fields, query: { ...common, order: common.order.filter(({ parameter }) => parameter !== 'kind_id') } };
}

/** The parts that queries of lists and aggregations have in common. */
export function remoteQuery({
  filter,
  order,
  offset,
  limit,
}: Pick<ListQuery, 'filter' | 'order' | 'offset' | 'limit'>): RemoteQuery {
  const selects = filter?.op === 'all' ? undefined : filter;
  return {
    filter: selects ?? null,
    filterText: selects ? printFilter(selects) : null,
    order: order.map(({ value, descending }) => ({ parameter: printOrderValue(value), descending })),
    offset,
    limit,
  };
}

/** The fields of a unit in the answer. @throws KindError 400 with all faults */
export function planRemoteAnswer(query: ListQuery, names: Names): readonly Field[] {
  const faults = new Faults();
  const { fields, paths } = collectFaults(faults, () => planAnswer(query, names), { fields: [] });
  if (paths) {
    const text = 'include: a remote kind answers its own parameters whole, without dotted paths';
    faults.add('query.bad_value', text, { parameter: 'include' });
  }
  faults.throwIfAny();
  return fields;
}
