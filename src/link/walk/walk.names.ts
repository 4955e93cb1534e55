/** The names that the query of a traversal may use: those of all kinds that can be reached, linked or not. Pure. */
import { isLinkPath } from '../../filter/link-path.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import { relatedInQuery } from '../../unit/query/lookup-limit.js';
import { pathsInQuery, rootsOf } from '../../unit/query/paths-in-query.js';
import type { PartsQuery } from '../../unit/query/union.plan.js';
import type { PlanContext } from '../../unit/query/list.plan.js';

/**
 * A sample of the kinds that validates a query like all of them: the kinds whose units are `read`, and one more for each
 * sort of field that the query names, so that the cost of planning does not grow with the number of kinds. All kinds
 * where a name is unknown, because the message suggests the nearest name of any kind.
 */
export function sampleKinds(
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
