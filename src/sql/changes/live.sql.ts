/**
 * Live lists: pages with the position at which they were read, what has changed since a position, and which of it the
 * readers of lists see. A position is of a snapshot: the last number of a change, and the changes that were committed
 * without one. What it does not have, the snapshot did not see.
 */
import type { Field, KindDef } from '../../model/model.js';
import { testedFields } from '../../model/predicate/related.js';
import { CHANGE_TABLE, FEED_TABLE, OUTBOX_TABLE } from '../../model/table/internal-tables.js';
import { boundedInTotal, boundedList } from '../answer-size.sql.js';
import { columnRef, columnType, microseconds, rowOf } from '../columns.sql.js';
import { matchingRows, predicateSql, rowConditions } from '../condition/predicate.sql.js';
import {
  all,
  boundIn,
  EMPTY_SQL,
  ident,
  join,
  literal,
  param,
  render,
  sql,
  textOfValue,
  withValuesFrom,
  type Fragment,
  type Param,
  type Statement,
} from '../fragment.js';
import { itemJson } from '../list/mixed-units.sql.js';
import { sortSql } from '../list/order.sql.js';
import { pageRows } from '../list/page-rows.sql.js';
import { limitOffset, totalCount } from '../list/page.sql.js';
import { countRows, unitJson, type ListPlan } from '../list/select.sql.js';
import { modelVersion } from '../model-version.sql.js';
import { kindTable } from '../table.sql.js';
import { inputColumn, typedColumns } from '../write/input-rows.sql.js';
import { namesOf } from './states.sql.js';

/** What a snapshot has of the changes of a project. */
export interface LivePosition {
  readonly epoch: string;
  /** In decimal digits: the last number of a change. */
  readonly last: string;
  /** The ids of committed changes without a number, in decimal digits. */
  readonly pending: readonly string[];
}

function positionColumns(schema: string): Fragment {
  const of = (column: string): Fragment => sql`(SELECT ${ident(column)} FROM ${ident(schema, FEED_TABLE)})`;
  return sql`
    ${of('epoch')} AS epoch,
    ${of('last')}::text AS last,
    ARRAY(SELECT o."id"::text FROM ${ident(schema, OUTBOX_TABLE)} AS o ORDER BY o."id") AS pending
  `;
}

/** A page of a live list. `items` is its JSON, `versions` that of the versions of its units. */
export interface LivePageRow extends LivePosition {
  readonly v: string;
  readonly count: string;
  readonly items: string;
  readonly versions: string;
}

/** One row `LivePageRow`. */
export function livePageStatement(plan: ListPlan): Statement {
  const { schema, kind, access, filter, order, limit, count } = plan;
  const found = matchingRows(schema, kind, [access, filter]);
  const sort = sortSql(schema, order, found.lookups);
  const rows = pageRows({ ...plan, where: found.where, order, sort, limits: limitOffset(limit, 0) });
  const item = unitJson({ ...plan, ...(rows.related.length > 0 && { related: rows.related }) });
  const total = count === 'none' ? sql`-1` : totalCount(plan, countRows(plan, found));
  return render(sql`
    WITH _page AS MATERIALIZED (
      SELECT row_number() OVER () AS n, ${microseconds(sql`t."updated_at"`)} AS version, ${item} AS item
      FROM ${rows.from}
    )
    SELECT
      ${modelVersion(schema)} AS v,
      ${positionColumns(schema)},
      ${total} AS count,
      ${boundedList(sql`p.item`, sql`_page AS p ORDER BY p.n`)}::text AS items,
      (SELECT coalesce(json_agg(p.version ORDER BY p.n), '[]')::text FROM _page AS p) AS versions
  `);
}

/** The changes of some kinds since a position. */
interface Since {
  readonly position: LivePosition;
  readonly kinds: readonly string[];
}

/** Rows `place, n, kind, unit, operation, version, before`: those of a unit in the order of `place, n`. */
function changesSince(schema: string, { position, kinds }: Since): Fragment {
  const [pending, named] = [sql`${param(position.pending)}::bigint[]`, sql`${param(kinds)}::text[]`];
  const columns = sql`
    c."kind" AS kind, c."unit" AS unit, c."operation" AS operation, c."version" AS version, c."before" AS before
  `;
  return sql`
    SELECT 0 AS place, c."seq" AS n, ${columns}
    FROM ${ident(schema, CHANGE_TABLE)} AS c
    WHERE c."seq" > ${param(position.last)}::bigint AND c."outbox" <> ALL(${pending}) AND c."kind" = ANY(${named})
    UNION ALL
    SELECT 1, c."id", ${columns}
    FROM ${ident(schema, OUTBOX_TABLE)} AS c
    WHERE c."id" <> ALL(${pending}) AND c."kind" = ANY(${named})
  `;
}

const IS_LINK = sql`c.operation IN ('link', 'unlink')`;

/** Something has changed in a kind; all but the model's version and the position are null in the one row of nothing. */
export interface NewsRow extends LivePosition {
  readonly v: string;
  readonly kind: string | null;
  /** How many units. */
  readonly units: number;
  /** Whether links to children were made, changed or deleted. */
  readonly links: boolean;
  /** The ids of the units, of the kinds for which they are asked. */
  readonly ids: readonly string[] | null;
}

/** Rows `NewsRow`, at least one. @param named the kinds whose ids are told */
export function newsStatement(schema: string, since: Since, named: readonly string[]): Statement {
  return render(sql`
    SELECT
      ${modelVersion(schema)} AS v,
      p.*,
      k.kind,
      k.units,
      k.links,
      k.ids
    FROM (SELECT ${positionColumns(schema)}) AS p
    LEFT JOIN (
      SELECT
        c.kind AS kind,
        (count(DISTINCT c.unit) FILTER (WHERE NOT ${IS_LINK}))::int AS units,
        bool_or(${IS_LINK}) AS links,
        CASE
          WHEN c.kind = ANY(${param(named)}::text[]) THEN array_agg(DISTINCT c.unit) FILTER (WHERE NOT ${IS_LINK})
        END AS ids
      FROM (${changesSince(schema, since)}) AS c
      GROUP BY 1
    ) AS k ON true
  `);
}

/** What decides whether the reader of a list sees a unit, and what is then answered of it. */
export interface Judgement {
  readonly schema: string;
  readonly kind: KindDef;
  /** Whether the row `t` is in the list. */
  readonly now: Fragment;
  /** Whether the row `_n` was, which has the unit as it was. */
  readonly before: Fragment;
  /** The fields that `_n` has. */
  readonly fields: readonly Field[];
  /** The JSON of the unit `g.id`. */
  readonly unit: Fragment;
}

export function judgementOf(plan: ListPlan): Judgement {
  const { schema, kind, access, filter } = plan;
  const predicates = [access, filter].flatMap((each) => each ?? []);
  const holds = (row: string): Fragment => {
    return all(predicates.map((each) => sql`((${predicateSql(each, { schema, row })}) IS TRUE)`));
  };
  return {
    schema,
    kind,
    now: holds('t'),
    before: holds('_n'),
    fields: [...new Set([kind.keyField, ...predicates.flatMap(testedFields)])],
    unit: itemJson([plan], { kind: literal(kind.id), id: sql`g.id` }),
  };
}

/** The text of a judgement, the same for all whose values alone differ, and the values as PostgreSQL reads them. */
interface JudgementText {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

function whole({ now, before, unit }: Judgement): Fragment {
  return sql`${now}, ${before}, ${unit}`;
}

/** @throws KindError 400 `query.too_large` */
export function judgementText(judgement: Judgement): JudgementText {
  const { text, values } = render(whole(judgement));
  return { text, values: values.map((value) => (value === null ? null : textOfValue(value))) };
}

/** What has happened to a unit of a list. */
export interface JudgedRow {
  readonly operation: 'insert' | 'update' | 'leave' | 'delete';
  readonly id: string;
  /** In decimal digits. */
  readonly version: string;
  /** The readers, by their positions in what was asked. */
  readonly readers: readonly number[];
  /** JSON; null for what the readers no longer see. */
  readonly unit: string | null;
}

/**
 * Rows `JudgedRow`: what has happened since a position to the units of a kind, for each of the readers whose judgements
 * have the same text. Values that differ among them are columns of a row for each reader.
 * @param readers the values of each
 */
export function judgedStatement(
  judgement: Judgement,
  position: LivePosition,
  readers: readonly (readonly (string | null)[])[],
): Statement {
  const { schema, kind, fields } = judgement;
  const { place, columns } = placesOf(boundIn(whole(judgement)), readers);
  const of = (fragment: Fragment): Fragment => withValuesFrom(fragment, place);
  const differs = boundIn(judgement.unit).some((value) => columns.has(value));
  const values = [...columns.values()];
  const lists = [sql`${param(readers.map((_, at) => String(at)))}::int[]`];
  for (const { list } of values) lists.push(sql`${param(list)}::text[]`);
  const names = join([sql`reader`, ...values.map(({ name }) => name)]);
  const key = sql`${columnRef(kind.keyField)} = u.unit::${columnType(kind.keyField.columnType)}`;
  const there = sql`${columnRef(kind.keyField)} IS NOT NULL`;
  const shown = [...shownFields(kind, fields)];
  return render(sql`
    WITH c AS MATERIALIZED (
      SELECT c.* FROM (${changesSince(schema, { position, kinds: [kind.id] })}) AS c WHERE NOT ${IS_LINK}
    ),
    u AS MATERIALIZED (
      SELECT
        c.unit AS unit,
        max(c.version) AS version,
        (array_agg(c.operation ORDER BY c.place, c.n))[1] <> 'create' AS was
      FROM c
      GROUP BY 1
    ),
    o AS MATERIALIZED (
      SELECT c.unit AS unit, jsonb_object_agg(k.key, k.value ORDER BY c.place DESC, c.n DESC) AS old
      FROM c
      CROSS JOIN LATERAL jsonb_each(c.before) AS k
      WHERE k.key = ANY(${namesOf(shown)})
      GROUP BY 1
    ),
    _live AS MATERIALIZED (SELECT * FROM unnest(${join(lists)}) AS _live(${names})),
    d AS MATERIALIZED (
      SELECT
        u.unit AS id,
        coalesce(${microseconds(sql`t."updated_at"`)}, u.version) AS version,
        _live.reader AS reader,
        CASE
          WHEN v.now THEN CASE WHEN v.before THEN 'update' ELSE 'insert' END
          WHEN ${there} THEN 'leave'
          ELSE 'delete'
        END AS operation
      FROM u
      LEFT JOIN o ON o.unit = u.unit
      LEFT JOIN ${kindTable(schema, kind)} AS t ON ${all([key, ...rowConditions(schema, kind, [])])}
      CROSS JOIN LATERAL jsonb_to_record(coalesce(o.old, '{}')) AS i(${join(typedColumns(shown))})
      CROSS JOIN LATERAL ${rowOf(shown, (field) => stateBefore(kind, field))}
      CROSS JOIN _live
      CROSS JOIN LATERAL (
        SELECT ${there} AND ${of(judgement.now)} AS now, u.was AND ${of(judgement.before)} AS before
        OFFSET 0
      ) AS v
      WHERE v.now OR v.before
    ),
    g AS MATERIALIZED (
      SELECT d.id, d.version, d.operation, array_agg(d.reader) AS readers, min(d.reader) AS reader
      FROM d
      GROUP BY d.id, d.version, d.operation${differs ? sql`, d.reader` : EMPTY_SQL}
    )
    SELECT g.id, g.version, g.operation, g.readers, ${boundedInTotal(sql`g.unit`)} AS unit
    FROM (
      SELECT
        g.*,
        CASE WHEN g.operation IN ('insert', 'update') THEN ${of(judgement.unit)}::text END AS unit
      FROM g
      JOIN _live ON _live.reader = g.reader
      OFFSET 0
    ) AS g
  `);
}

/** Where the values of a judgement come from: from a column if they differ, else they are bound. */
function placesOf(params: readonly Param[], readers: readonly (readonly (string | null)[])[]) {
  const columns = new Map<Param, { readonly name: Fragment; readonly list: readonly (string | null)[] }>();
  const bound = new Map<Param, Fragment>();
  for (const [at, value] of params.entries()) {
    const list = readers.map((values) => values[at] ?? null);
    if (list.every((text) => text === list[0])) bound.set(value, param(list[0]));
    else columns.set(value, { name: ident(`p${at}`), list });
  }
  const place = (value: Param): Fragment => {
    const column = columns.get(value);
    return column ? sql`_live.${column.name}` : (bound.get(value) ?? param(value.value));
  };
  return { columns, place };
}

/** The fields with those that decide whether they are shown. */
function* shownFields(kind: KindDef, fields: readonly Field[]): Iterable<Field> {
  const names = new Set(fields.map(({ column, id }) => column ?? id));
  for (const { shownWhere } of fields) {
    if (typeof shownWhere === 'object')
      for (const { id, column } of [shownWhere.flag, shownWhere.level]) names.add(column ?? id);
  }
  for (const field of kind.fields.values()) {
    const name = field.column;
    if (name !== undefined && names.delete(name)) yield field;
  }
}

/** The value of a field as it was: that of the row `i` where the unit was changed, else that of the row `t`. */
function stateBefore(kind: KindDef, field: Field): Fragment {
  const name = field.column ?? field.id;
  if (kind.discriminated && name === 'kind_id') return literal(kind.id);
  return sql`
    CASE WHEN coalesce(o.old, '{}') ? ${literal(name)} THEN ${inputColumn(field)} ELSE ${ident('t', name)} END
  `;
}
