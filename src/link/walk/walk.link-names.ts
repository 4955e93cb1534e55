/** The values of links that the query of a traversal names, such as `link.weight`. Pure. */
import { readableFields } from '../../access/masks.js';
import type { Path } from '../../filter/filter.ast.js';
import { pathsOf } from '../../filter/filter.walk.js';
import { isLinkPath } from '../../filter/link-path.js';
import type { ListQuery } from '../../filter/list-query.js';
import { pathsOfOrder } from '../../filter/order.ast.js';
import { builtInField } from '../../model/field.js';
import type { Field } from '../../model/model.js';
import type { LinkNames } from '../../model/predicate/path.js';
import type { LinkColumn } from '../../sql/walk/reached-links.sql.js';
import type { Session } from '../../catalog/session/session.js';

/** The number of steps before the link, as the field `link` of a unit shows it. */
const DEPTH: Field = builtInField({ id: 'depth', type: 'integer', nullable: false }, { system: true });

interface WalkLinkNames extends LinkNames {
  /** The values that the query names. */
  readonly columns: readonly LinkColumn[];
}

/**
 * The names that may follow `link.`: those of all link types that are followed. A value that a link's type does not have
 * is null. Undefined if the query names none.
 */
export function walkLinkNames(
  { model, caller }: Pick<Session, 'model' | 'caller'>,
  query: Pick<ListQuery, 'filter' | 'order' | 'linkIds'>,
): WalkLinkNames | undefined {
  const named = linkPathsOf(query);
  if (named.length === 0) return undefined;
  const ids = query.linkIds ?? [...model.linkTypes.keys()];
  const types = [...new Set(ids)].flatMap((id) => model.linkTypes.get(id)?.values ?? []);
  const visible = new Map<string, Field>([[DEPTH.id, DEPTH]]);
  const columns = new Map<string, Set<string>>([[DEPTH.id, new Set()]]);
  for (const type of types) {
    for (const [id, field] of readableFields(type, caller, model)) {
      visible.set(id, field.column === undefined ? field : { ...field, column: id });
      if (field.column === undefined) continue;
      const stored = columns.get(id) ?? new Set();
      columns.set(id, stored.add(field.column));
    }
  }
  const used = [...new Set(named.map(({ segments }) => segments[1] ?? ''))];
  return {
    types,
    visible,
    columns: used.flatMap((name) => {
      const stored = columns.get(name);
      return stored ? [{ name, columns: [...stored] }] : [];
    }),
  };
}

function linkPathsOf({ filter, order }: Pick<ListQuery, 'filter' | 'order'>): Path[] {
  const paths = [...(filter ? pathsOf(filter) : []), ...order.flatMap(({ value }) => pathsOfOrder(value))];
  return paths.filter(({ segments }) => isLinkPath(segments));
}
