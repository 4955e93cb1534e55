/** Aggregations of remote kinds: validated as for a table, passed to the source, and its answer validated. Pure. */
import type { AggregateQuery } from '../../filter/aggregate-query.js';
import { printFilter, printPath } from '../../filter/filter.printer.js';
import type { RemoteAggregateQuery } from '../../kit/remote.js';
import type { KindDef } from '../../model/model.js';
import { isPlainObject, jsonFault, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { answerTooLarge } from '../../shared/response-size.js';
import { namesOfHidden, termName, planAggregate } from '../query/aggregate.plan.js';
import type { PlanContext } from '../query/list.plan.js';
import type { UnitPage } from '../store/unit-store.js';
import { pageOf, sourceUnavailable } from './remote-answer.js';
import { remoteQuery } from './remote.plan.js';

/** `names` are those of the answer, in its order. @throws KindError 400 with all faults */
export function planRemoteAggregate(
  query: AggregateQuery,
  context: PlanContext,
): { query: RemoteAggregateQuery; names: readonly string[]; hidden: readonly string[] } {
  const plan = planAggregate(query, [context], context.schema);
  const { select, group, having, timezone } = query;
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

interface Groups {
  readonly names: readonly string[];
  readonly limit: number;
}

/**
 * Reads the groups that a source returns; those beyond `limit` are ignored.
 * @throws KindError 503 with a cause that names the field; 400 if they are larger than an answer may be
 */
export function readGroups(kind: KindDef, given: unknown, { names, limit }: Groups): UnitPage {
  const texts: string[] = [];
  let count: number;
  let size = 0;
  try {
    const page = pageOf(given, 'aggregate');
    if (page.count < 0) throw new Error('count: must be the number of groups, got -1');
    ({ count } = page);
    for (const [at, item] of page.items.slice(0, limit).entries()) {
      const text = groupText(item, names, `items[${at}]`);
      size += Buffer.byteLength(text);
      if (size > LIMITS.answerBytes) break;
      texts.push(text);
    }
  } catch (error) {
    // The objects come from custom code: their getters may throw anything.
    throw sourceUnavailable(kind, error);
  }
  if (size > LIMITS.answerBytes) throw answerTooLarge();
  return { count, items: `[${texts.join(',')}]` };
}

function groupText(given: unknown, names: readonly string[], at: string): string {
  if (!isPlainObject(given)) throw new Error(`${at}: must be an object, got ${typeName(given)}`);
  const values = names.map((name) => [name, Object.hasOwn(given, name) ? (given[name] ?? null) : null] as const);
  for (const [name, value] of values) {
    const fault = jsonFault(value);
    if (fault !== undefined) throw new Error(`${at}.${name}: ${fault}`);
  }
  return JSON.stringify(Object.fromEntries(values));
}
