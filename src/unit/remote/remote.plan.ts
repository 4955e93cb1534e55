/** Turns a query into the query of a source, validated as for a table, without what sources do not support. Pure. */
import { printFilter, printPath } from '../../filter/filter.printer.js';
import type { AggregateQuery, ListQuery } from '../../filter/queries.js';
import { printOrderValue } from '../../filter/order.js';
import type { RemoteAggregateQuery, RemoteQuery } from '../../kit/module.js';
import type { Field } from '../../model/model.js';
import type { Names, Reach } from '../../model/predicate/path.js';
import { Faults, refusal } from '../../shared/errors.js';
import { planAnswer } from '../query/answer.plan.js';
import { collectFaults } from '../../shared/collect-faults.js';
import { type PlanContext, planList } from '../query/list.plan.js';
import { namesOfHidden, planAggregate, termName } from '../query/aggregate.plan.js';

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
  trigrams(at) {
    throw refusal('filter.bad_operator', `a remote kind does not compare texts by their trigrams, at character ${at}`);
  },
};

/** @throws KindError 400 with all faults */
export function planRemoteList(query: ListQuery, context: PlanContext): RemotePlan {
  const faults = new Faults();
  const unitQuery = { ...query, include: undefined, exclude: undefined };
  collectFaults<unknown>(faults, () => planList(unitQuery, context), undefined);
  if (query.order.some(({ value, nulls }) => value.type !== 'path' || nulls)) {
    const text = 'order: a remote kind is ordered by its own parameters, without functions, nulls_first and nulls_last';
    faults.add('query.bad_value', text, { parameter: 'order' });
  }
  const fields = collectFaults(faults, () => planRemoteAnswer(query, context), []);
  faults.throwIfAny();
  const common = remoteQuery(query);
  return { fields, query: { ...common, order: common.order.filter(({ parameter }) => parameter !== 'kind_id') } };
}

/** The parts that queries of lists and aggregations have in common. */
function remoteQuery({
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
  const { fields, paths } = collectFaults(faults, () => planAnswer(query, { ...names, rights: undefined }), {
    fields: [],
  });
  if (paths) {
    const text = 'include: a remote kind answers its own parameters whole, without dotted paths';
    faults.add('query.bad_value', text, { parameter: 'include' });
  }
  faults.throwIfAny();
  return fields;
}

/** @throws KindError 400 for expressions, which no source computes */
function checkSelect({ select }: AggregateQuery): void {
  const found = select.find((term) => 'computed' in term || term.path?.computed);
  if (!found) return;
  const text = `select: a remote kind is asked for its own parameters alone, without expressions, at character ${found.at}`;
  throw refusal('query.bad_value', text, { parameter: 'select' });
}

/** `names` are those of the answer, in its order. @throws KindError 400 with all faults */
export function planRemoteAggregate(
  query: AggregateQuery,
  context: PlanContext,
): { query: RemoteAggregateQuery; names: readonly string[]; hidden: readonly string[] } {
  checkSelect(query);
  const plan = planAggregate(query, [context], context.schema);
  const { group, having, timezone } = query;
  const select = query.select.flatMap((term) => ('computed' in term ? [] : [term]));
  return {
    names: plan.columns.map(({ name }) => name),
    hidden: namesOfHidden(plan),
    query: {
      ...remoteQuery(query),
      select: select.map((term) => ({
        name: termName(term),
        function: term.function,
        parameter: term.path ? printPath(term.path.segments) : null,
        filter: term.filter ?? null,
        filterText: term.filter ? printFilter(term.filter) : null,
      })),
      group: group.map((term) => ({
        name: termName(term),
        parameter: printPath(term.path.segments),
        function: term.function ?? null,
        size: term.function === 'bucket' ? term.size : null,
      })),
      having: having ?? null,
      havingText: having ? printFilter(having) : null,
      timezone,
    },
  };
}
