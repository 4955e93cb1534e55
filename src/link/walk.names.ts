/** Which names the query of a walk may use: those of all kinds that it may lead to, linked or not. Pure. */
import { parsePath } from '../filter/filter.parser.js';
import { pathsOf } from '../filter/filter.walk.js';
import type { Field, KindDef } from '../model/model.js';
import { KindError } from '../shared/errors.js';
import type { PartsQuery } from '../unit/query/union.plan.js';
import type { PlanContext } from '../unit/query/list.plan.js';

/**
 * The kinds by which a query is judged as by all of them: those whose units are `read`, and of the others one for each
 * sort of field that it names, so that planning does not grow with the kinds of a project. All of them where none has a
 * name, because what would be right is told of all.
 */
export function judging(
  query: PartsQuery,
  read: ReadonlySet<KindDef>,
  all: readonly PlanContext[],
): readonly PlanContext[] {
  const names = namesOf(query);
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

/** What a query asks for by name, and the id, whose type may be another one in every kind; undefined for what is no path. */
function namesOf({ filter, order, include = [], exclude = [] }: PartsQuery): string[] | undefined {
  try {
    const paths = [...order.map(({ path }) => path), ...include].map(parsePath);
    const roots = [...(filter ? pathsOf(filter) : []), ...paths].flatMap(({ segments: [root] }) => root ?? []);
    return [...new Set(['id', ...roots, ...exclude])];
  } catch (error) {
    if (error instanceof KindError) return undefined;
    throw error;
  }
}

/** Fields of one name and one sort are named, compared and ordered alike. */
function sortOf({ type, columnType, def, reference }: Field): string {
  return `${type.id} ${columnType} ${def.multiple ? 'list' : ''} ${reference?.kind ?? ''}`;
}
