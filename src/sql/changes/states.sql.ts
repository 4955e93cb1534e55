/**
 * Units as they were: the unit now, or a deleted one as it was last, with the values that later changes replaced, in the
 * same snapshot.
 */
import { uniqueColumns } from '../../model/field.js';
import type { Field, KindDef } from '../../model/model.js';
import { conditionOf, isConditional } from '../../model/predicate/conditional-field.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { CHANGE_TABLE, OUTBOX_TABLE } from '../../model/table/internal-tables.js';
import { columnType, microseconds } from '../columns.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { all, ident, join, literal, sql, type Fragment } from '../fragment.js';
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

/** The fields by which predicates, and the conditions of other fields, judge a unit. */
export function decidingFields(
  predicates: readonly (Predicate | undefined)[],
  shown: readonly Field[],
): readonly Field[] {
  const conditions = [...new Set(shown.map(conditionOf))];
  return uniqueColumns([...predicates, ...conditions].flatMap((each) => (each ? testedFields(each) : [])));
}

interface States {
  /** Selects changes as `c.*`, of this kind's units, and of each unit all between two that it selects. */
  readonly changes: Fragment;
  /** The units of which the changes are; those of the changes, if it is left out. */
  readonly units?: Fragment | undefined;
  /** The fields that the states have, few and small where many changes are read. */
  readonly fields: readonly Field[];
}

/**
 * CTEs, recursive ones: `e`, the changes; `n`, their units now, with the version of those that are there; `s`, each unit
 * after its change `seq`, and after those between.
 */
export function statesOf({ schema, kind }: KindTable, { changes, units = UNITS_OF_CHANGES, fields }: States): Fragment {
  const [change, outbox] = [ident(schema, CHANGE_TABLE), ident(schema, OUTBOX_TABLE)];
  const of = (unit: Fragment) => sql`c."kind" = ${literal(kind.id)} AND c."unit" = ${unit} AND ${OF_UNITS}`;
  const names = namesOf(fields);
  // Whole, whatever a reader is shown of them: that is asked of the states.
  const columns = join(uniqueColumns(fields).map(({ column, id }) => ident('t', column ?? id)));
  const now = sql`(SELECT to_jsonb(_r) FROM (SELECT ${columns}) AS _r)`;
  // Numbers of both tables in one order: what has none yet comes last.
  const waiting = sql`(1::bigint << 62)`;
  const later = (more: Fragment, column: Fragment) => sql`
    SELECT c."seq" AS n, ${column} FROM ${change} AS c WHERE ${of(sql`l.unit`)} ${more}
    UNION ALL
    SELECT c."id" + ${waiting}, ${column} FROM ${outbox} AS c WHERE ${of(sql`l.unit`)} ${more}
  `;
  const key = sql`l.unit::${columnType(kind.keyField.columnType)}`;
  const isUnit = all([sql`t."id" = ${key}`, ...rowConditions(schema, kind, [])]);
  const sharedTable = kind.discriminated ? sql` || jsonb_build_object('kind_id', ${literal(kind.id)})` : sql``;
  // Of each value the earliest that was replaced, without holding all of them in memory.
  const replacedSince = sql`
    SELECT jsonb_object_agg(k.key, coalesce(
      (SELECT c."before" -> k.key FROM ${change} AS c WHERE c."seq" = k.n),
      (SELECT c."before" -> k.key FROM ${outbox} AS c WHERE c."id" = k.n - ${waiting})
    )) AS values
    FROM (
      SELECT j.key, min(h.n) AS n
      FROM (${later(sql``, sql`c."before" AS before`)}) AS h
      CROSS JOIN LATERAL jsonb_object_keys(h.before) AS j(key)
      WHERE h.n > l.seq AND j.key = ANY(${names})
      GROUP BY 1
    ) AS k
  `;
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
        SELECT
          ${fields.length > 0 ? now : sql`'{}'::jsonb`} AS state,
          ${microseconds(sql`t."updated_at"`)}::text AS version
        FROM ${kindTable(schema, kind)} AS t
        WHERE ${isUnit}
      ) AS t ON true
      LEFT JOIN LATERAL (${fields.length > 0 ? replacedSince : sql`SELECT NULL::jsonb AS values`}) AS b ON true
      LEFT JOIN LATERAL (
        SELECT ${keptOf(sql`h.before`, names)} AS state
        FROM (${later(sql`AND c."operation" = 'delete'`, sql`c."before" AS before`)}) AS h
        ORDER BY h.n DESC
        LIMIT 1
      ) AS g ON t.state IS NULL
    ),
    s(unit, least, seq, state, before) AS (
      SELECT n.unit, n.least, n.seq, n.last, ${replaced(sql`e`, sql`n.last`, names, sharedTable)}
      FROM n
      JOIN e ON e."seq" = n.seq
      UNION ALL
      SELECT s.unit, s.least, p."seq", s.before, ${replaced(sql`p`, sql`s.before`, names, sharedTable)}
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

/** The columns of fields, a list of texts. */
export function namesOf(fields: readonly Field[]): Fragment {
  return sql`ARRAY[${join(uniqueColumns(fields).map((field) => literal(field.column ?? field.id)))}]::text[]`;
}

/** The values of an object that have one of these names. */
function keptOf(object: Fragment, names: Fragment): Fragment {
  return sql`(
    SELECT coalesce(jsonb_object_agg(k.key, ${object} -> k.key), '{}')
    FROM unnest(${names}) AS k(key)
    WHERE jsonb_exists(${object}, k.key)
  )`;
}

/** A unit before a change: of a deletion all that it had, whatever one with the same id has had since. */
function replaced(change: Fragment, after: Fragment, names: Fragment, sharedTable: Fragment): Fragment {
  const before = keptOf(sql`${change}."before"`, names);
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
  return sql`(SELECT _n.* FROM ${rowOfObject(storedFields(kind), state)}) AS t`;
}

export function storedFields({ fields }: KindDef): readonly Field[] {
  return uniqueColumns([...fields.values()].filter(({ column }) => column !== undefined));
}

/** A unit before or after a change. */
interface ShownState {
  readonly state: Fragment;
  /** Whether the caller is shown its values. */
  readonly isShown: Fragment;
}

/**
 * The JSON of the values that the change `e` gave another value, `{field: [before, after]}`, as text: those of `fields`
 * that one of both states shows. Of an erased change, whose values nobody knows, the names alone. Where the unit may not
 * be read as it was before, there are none: which fields differ would tell of its values.
 * @param hidden the names of fields that are left out, if some units show them, a list of texts
 */
export function changesJson(
  of: KindTable,
  fields: readonly Field[],
  {
    before,
    after,
    hidden,
  }: { readonly before: ShownState; readonly after: ShownState; readonly hidden?: Fragment | undefined },
): Fragment {
  const isComparable = sql`(e."operation" = 'create' OR ${before.isShown})`;
  const texts = (names: readonly string[]) => sql`ARRAY[${join(names.map(literal))}]::text[]`;
  const conditional = fields.filter(isConditional);
  const json = ({ state, isShown }: ShownState, recorded: Fragment) =>
    sql`CASE WHEN ${isShown} THEN ${valuesOf(of, fields, sql`${state} || coalesce(${recorded}, '{}')`)}::json END`;
  const pair = sql`to_json(ARRAY[_w.was -> f.name, _w.is -> f.name])`;
  const isTold = sql`
    CASE
      WHEN ${IS_ERASED} THEN f.name <> ALL(${texts(conditional.map(({ id }) => id))})
      ELSE coalesce(_w.was -> f.name, _w.is -> f.name) IS NOT NULL
    END
  `;
  return sql`(
    SELECT coalesce(json_object_agg(f.name, _p.pair ORDER BY f.n), '{}')::text
    FROM (
      SELECT
        ${json(before, sql`e."before"`)} AS was,
        ${json(after, sql`e."after"`)} AS is,
        ${CHANGED_COLUMNS} AS columns
      OFFSET 0
    ) AS _w
    CROSS JOIN unnest(${texts(fields.map(({ id }) => id))}, ${texts(fields.map(({ id, column }) => column ?? id))})
      WITH ORDINALITY AS f(name, column_name, n)
    CROSS JOIN LATERAL (SELECT CASE WHEN ${IS_ERASED} THEN '[null,null]' ELSE ${pair} END AS pair) AS _p
    WHERE ${all([
      sql`f.column_name = ANY(_w.columns)`,
      isComparable,
      isTold,
      hidden && sql`f.name <> ALL(${hidden}::text[])`,
    ])}
  )`;
}

/** The columns that the change `e` gave another value; of an erased one, whose values nobody knows, all that it names. */
export const CHANGED_COLUMNS = sql`
  ARRAY(
    SELECT k
    FROM jsonb_object_keys(coalesce(e."before", '{}') || coalesce(e."after", '{}')) AS k
    WHERE ${IS_ERASED} OR coalesce(e."before" -> k, 'null') <> coalesce(e."after" -> k, 'null')
  )
`;
