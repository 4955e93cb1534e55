/** Tests the access of many links of one unit, where it depends on both units of each. */
import { columnRef, columnType } from '../columns.sql.js';
import { all, ident, param, render, sql, type Statement } from '../fragment.js';
import type { LinkSet, OtherUnits } from './link-set.sql.js';
import { idText } from '../list/mixed-units.sql.js';
import { MODEL_TABLE } from '../model-version.sql.js';
import { conditionOnRows, rowConditions } from '../condition/predicate.sql.js';
import { hasKeyIn, kindTable } from '../table.sql.js';

/** Others of one kind, and the links with them that are allowed. */
export interface LinksToTest extends Pick<OtherUnits, 'kind' | 'allowed' | 'rule'> {
  readonly ids: readonly string[];
}

/** The ids of the others with which a link is not allowed. */
export interface RefusedLinksRow {
  readonly v: string;
  readonly refused: readonly string[];
}

/**
 * One row `RefusedLinksRow`. The units are locked against deletion. A lock against edits would conflict with the locks of
 * another request that replaces links of one of them, in an order that cannot be fixed.
 */
export function refusedLinksStatement(set: LinkSet, { kind, allowed, rule, ids }: LinksToTest): Statement {
  const { schema, direction, id } = set;
  const [parent, child, parentKind] = direction === 'child' ? ['u', 't', set.kind] : ['t', 'u', kind];
  const tests = [
    ...(allowed ? rowConditions(schema, parentKind, [allowed], parent) : []),
    ...(rule ? [conditionOnRows(schema, rule, { parent, child })] : []),
  ];
  const own = columnRef(set.kind.keyField, 'u');
  const units = sql`
    SELECT (${idText(kind)})::text AS id, (${tests.length > 0 ? all(tests) : sql`true`}) IS TRUE AS allowed
    FROM ${kindTable(schema, set.kind)} AS u
    CROSS JOIN ${kindTable(schema, kind)} AS t
    WHERE ${own} = ${param(id)}::${columnType(set.kind.keyField.columnType)} AND ${hasKeyIn(kind, ids)}
  `;
  return render(
    sql`
      WITH _r AS MATERIALIZED (${units})
      SELECT
        m."version" AS v,
        (SELECT coalesce(json_agg(r.id) FILTER (WHERE NOT r.allowed), '[]') FROM _r AS r) AS refused
      FROM ${ident(schema, MODEL_TABLE)} AS m
    `,
    true,
  );
}
