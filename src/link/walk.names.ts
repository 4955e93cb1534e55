/** The names that the query of a traversal may use: those of all kinds that can be reached, linked or not. Pure. */
import { parsePath } from '../filter/filter.parser.js';
import { pathsOf } from '../filter/filter.walk.js';
import { isLinkPath } from '../filter/link-path.js';
import { pathsOfOrder } from '../filter/order.ast.js';
import { ALL_FIELDS } from '../filter/list-query.js';
import type { Field, KindDef } from '../model/model.js';
import { KindError } from '../shared/errors.js';
import { relatedInQuery } from '../unit/query/lookup-limit.js';
import type { PartsQuery } from '../unit/query/union.plan.js';
import type { PlanContext } from '../unit/query/list.plan.js';

/**
 * A sample of the kinds that validates a query like all of them: the kinds whose units are `read`, and one more for each
 * sort of field that the query names, so that the cost of planning does not grow with the number of kinds. All kinds
 * where a name is unknown, because the message suggests the nearest name of any kind.
 */
export function sampleKinds(
  query: PartsQuery,
  read: ReadonlySet<KindDef>,
  all: readonly PlanContext[],
): readonly PlanContext[] {
  const names = namesInQuery(query);
  if (!names?.every((name) => all.some(({ visible }) => visible.has(name)))) return all;
  const known = new Set<string>();
  const adds = ({ visible }: PlanContext): boolean => {
    const before = known.size;
    for (const field of names.flatMap((name) => visible.get(name) ?? [])) known.add(`${field.id} ${sortOf(field)}`);
    return known.size > before;
  };
  for (const context of all) if (read.has(context.kind)) adds(context);
  return all.filter((context) => read.has(context.kind) || adds(context));
}

/** The parameters that a query names, and the id, whose type differs between kinds; undefined where a name can not be parsed, or related units are tested. */
function namesInQuery(query: PartsQuery): string[] | undefined {
  const { filter, order, include = [], exclude = [] } = query;
  // A relation may lead to any of the kinds.
  if (relatedInQuery(query).length > 0) return undefined;
  try {
    const tested = [...(filter ? pathsOf(filter) : []), ...order.flatMap(({ value }) => pathsOfOrder(value))];
    const ofUnits = tested.filter(({ segments }) => !isLinkPath(segments));
    const paths = [...ofUnits, ...include.filter(isName).map(parsePath)];
    return [...new Set(['id', ...paths.flatMap(({ segments: [root] }) => root ?? []), ...exclude])];
  } catch (error) {
    if (error instanceof KindError) return undefined;
    throw error;
  }
}

function isName(name: string): boolean {
  return name !== ALL_FIELDS;
}

/** Fields of one name and one sort are compared and ordered in the same way. */
function sortOf({ type, columnType, def, reference }: Field): string {
  return `${type.id} ${columnType} ${def.multiple ? 'list' : ''} ${reference?.kind ?? ''}`;
}
