/**
 * Units and links as texts, in the arrays of a traversal: a unit is `kind/id`, and a link the type of the link, and the id
 * and the kind of the unit from which it was followed. Texts of links are in the order in which a traversal prefers them.
 */
import type { UnitReference } from '../list/mixed-units.sql.js';
import { sql, type Fragment } from '../fragment.js';

/** PostgreSQL estimates that an array has ten elements; with this join it plans for many. */
export const PLAN_FOR_MANY_ROWS = sql` CROSS JOIN generate_series(1, (SELECT 1)) AS _many`;
/** The kind and the id of the unit `m.node`. */
export const NODE_KIND = sql`split_part(m.node, '/', 1)`;
export const NODE_ID = sql`substr(m.node, strpos(m.node, '/') + 1)`;
/** Before the kind in a text of a link. It sorts before other characters, so that ids are compared before kinds. */
const BEFORE_KIND = sql`chr(1)`;
/** The parts of the link `m.via`. */
const VIA_TYPE = sql`split_part(m.via, '/', 1)`;
const NEAR_KIND = sql`split_part(m.via, ${BEFORE_KIND}, -1)`;
const NEAR_ID = sql`left(substr(m.via, strpos(m.via, '/') + 1), -1 - length(${NEAR_KIND}))`;
/** The columns of a unit that was reached and of the link by which it was, of the row `m`. */
export const REACHED_COLUMNS = sql`
      ${NODE_KIND} AS kind,
      ${NODE_ID} AS id,
      ${VIA_TYPE} AS link_id,
      ${NEAR_ID} AS near,
      ${NEAR_KIND} AS near_kind
`;
/** The unit from which the link `m.via` was followed, as a text `kind/id`. */
export const NEAR_NODE = sql`${NEAR_KIND} || '/' || ${NEAR_ID}`;

/** A unit as a text. */
export function nodeText({ kind, id }: UnitReference): Fragment {
  return sql`${kind} || '/' || ${id}`;
}

/** The link `l`, followed from a unit, as a text. */
export function viaText({ kind, id }: UnitReference): Fragment {
  return sql`l."link_id" || '/' || ${id} || ${BEFORE_KIND} || ${kind}`;
}
