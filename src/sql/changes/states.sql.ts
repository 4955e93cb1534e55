/**
 * Units as they were: the unit now, or a deleted one as it was last, with the values that later changes replaced, in the
 * same snapshot.
 */
import { uniqueColumns } from '../../model/field.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { CHANGE_TABLE, OUTBOX_TABLE } from '../../model/table/internal-tables.js';
import { columnType, microseconds } from '../columns.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { all, ident, literal, sql, type Fragment } from '../fragment.js';
import { hiddenFields, jsonObject } from '../list/hidden-fields.sql.js';
import { kindTable } from '../table.sql.js';
import { rowOfObject } from '../write/input-rows.sql.js';

interface KindTable {
  readonly schema: string;
  readonly kind: KindDef;
}

/** Changes of a unit itself, not of its links. */
export const OF_UNITS = sql`c."operation" NOT IN ('link', 'unlink')`;

/** Whether the values of the change `e` were removed, so that nobody knows how the unit was. */
export const IS_ERASED = sql`jsonb_exists(e."origin", 'erased')`;

/** The units of which the changes are. */
const UNITS_OF_CHANGES = sql`SELECT e."unit" AS unit, max(e."seq") AS seq, min(e."seq") AS least FROM e GROUP BY 1`;

/** The same for one unit, also without changes. */
export function unitOfChanges(id: Fragment): Fragment {
  return sql`SELECT ${id} AS unit, coalesce(max(e."seq"), 0) AS seq, coalesce(min(e."seq"), 0) AS least FROM e`;
}

/**
 * CTEs, recursive ones: `e`, the changes; `n`, their units now, with the version of those that are there; `s`, each unit
 * after its change `seq`, and after those between.
 * @param changes selects changes as `c.*`, of this kind's units, and of each unit all between two that it selects
 */
export function statesOf({ schema, kind }: KindTable, changes: Fragment, units = UNITS_OF_CHANGES): Fragment {
  const [change, outbox] = [ident(schema, CHANGE_TABLE), ident(schema, OUTBOX_TABLE)];
  const of = (unit: Fragment) => sql`c."kind" = ${literal(kind.id)} AND c."unit" = ${unit} AND ${OF_UNITS}`;
  const later = (more: Fragment, columns: Fragment) => sql`
    SELECT 0 AS place, c."seq" AS n, ${columns} FROM ${change} AS c WHERE ${of(sql`l.unit`)} ${more}
    UNION ALL
    SELECT 1, c."id", ${columns} FROM ${outbox} AS c WHERE ${of(sql`l.unit`)}
  `;
  const key = sql`l.unit::${columnType(kind.keyField.columnType)}`;
  const isUnit = all([sql`t."id" = ${key}`, ...rowConditions(schema, kind, [])]);
  const sharedTable = kind.discriminated ? sql` || jsonb_build_object('kind_id', ${literal(kind.id)})` : sql``;
  return sql`
    e AS MATERIALIZED (${changes}),
    l AS MATERIALIZED (${units}),
    n AS MATERIALIZED (
      SELECT
        l.unit,
        l.seq,
        l.least,
        t.version,
        coalesce(t.state, g.state${sharedTable}, '{}') AS state,
        coalesce(t.state, '{}'${sharedTable}) || coalesce(b.values, '{}') AS last
      FROM l
      LEFT JOIN LATERAL (
        SELECT to_jsonb(t) AS state, ${microseconds(sql`t."updated_at"`)}::text AS version
        FROM ${kindTable(schema, kind)} AS t
        WHERE ${isUnit}
      ) AS t ON true
      LEFT JOIN LATERAL (
        SELECT jsonb_object_agg(k.key, k.value ORDER BY h.place DESC, h.n DESC) AS values
        FROM (${later(sql`AND c."seq" > l.seq`, sql`c."before" AS before`)}) AS h
        CROSS JOIN LATERAL jsonb_each(h.before) AS k
      ) AS b ON true
      LEFT JOIN LATERAL (
        SELECT h.before AS state
        FROM (${later(sql``, sql`c."before" AS before, c."operation" AS operation`)}) AS h
        WHERE h.operation = 'delete'
        ORDER BY h.place DESC, h.n DESC
        LIMIT 1
      ) AS g ON t.state IS NULL
    ),
    s(unit, least, seq, state, before) AS (
      SELECT n.unit, n.least, n.seq, n.last, ${replaced(sql`e`, sql`n.last`, sharedTable)}
      FROM n
      JOIN e ON e."seq" = n.seq
      UNION ALL
      SELECT s.unit, s.least, p."seq", s.before, ${replaced(sql`p`, sql`s.before`, sharedTable)}
      FROM s
      CROSS JOIN LATERAL (
        SELECT c."seq", c."operation", c."before"
        FROM ${change} AS c
        WHERE ${of(sql`s.unit`)} AND c."seq" < s.seq AND c."seq" >= s.least
        ORDER BY c."seq" DESC
        LIMIT 1
      ) AS p
    )
  `;
}

/** A unit before a change: of a deletion all that it had, whatever one with the same id has had since. */
function replaced(change: Fragment, after: Fragment, sharedTable: Fragment): Fragment {
  const before = sql`coalesce(${change}."before", '{}')`;
  return sql`CASE WHEN ${change}."operation" = 'delete' THEN ${before}${sharedTable} ELSE ${after} || ${before} END`;
}

/** Whether a unit as it was satisfies predicates: own values are those of the object. */
export function holdsIn(schema: string, state: Fragment, ...predicates: readonly (Predicate | undefined)[]): Fragment {
  return all(predicates.flatMap((each) => (each ? [holdsOf(schema, each, state)] : [])));
}

function holdsOf(schema: string, predicate: Predicate, state: Fragment): Fragment {
  const fields = testedFields(predicate);
  const test = predicateSql(predicate, { schema, row: '_n' });
  if (fields.length === 0) return sql`((${test}) IS TRUE)`;
  return sql`EXISTS (SELECT FROM ${rowOfObject(uniqueColumns(fields), state)} WHERE ${test})`;
}

/** The JSON of values of a unit as it was, as text, without those that it did not show. */
export function valuesOf({ schema, kind }: KindTable, fields: readonly Field[], state: Fragment): Fragment {
  return sql`(SELECT ${jsonObject(schema, fields)} FROM ${asRow(kind, state)})`;
}

/** The names of the fields that a unit as it was does not show, a list of texts; undefined if it shows all. */
export function hiddenIn({ schema, kind }: KindTable, fields: readonly Field[], state: Fragment): Fragment | undefined {
  const hidden = hiddenFields(schema, fields);
  return hidden && sql`(SELECT ${hidden} FROM ${asRow(kind, state)})`;
}

/** A unit as it was, as the row `t`. */
function asRow(kind: KindDef, state: Fragment): Fragment {
  const fields = uniqueColumns([...kind.fields.values()].filter(({ column }) => column !== undefined));
  return sql`(SELECT _n.* FROM ${rowOfObject(fields, state)}) AS t`;
}

/** The columns that the change `e` gave another value; of an erased one, whose values nobody knows, all that it names. */
export const CHANGED_COLUMNS = sql`
  ARRAY(
    SELECT k
    FROM jsonb_object_keys(coalesce(e."before", '{}') || coalesce(e."after", '{}')) AS k
    WHERE ${IS_ERASED} OR coalesce(e."before" -> k, 'null') <> coalesce(e."after" -> k, 'null')
  )
`;
