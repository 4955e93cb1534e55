/**
 * Reads what has happened to units of one kind. A version is shown where the caller may read the history of the unit as
 * it is now, of a deleted one as it was last, and as it was then. Where no rule decides that, no state is made.
 */
import type { Field, KindDef } from '../../model/model.js';
import { conditionOf } from '../../model/predicate/conditional-field.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { CHANGE_TABLE } from '../../model/table/internal-tables.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { columnType } from '../columns.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { all, ident, integer, join, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { orderBy, sortSql, type OrderTerm } from '../list/order.sql.js';
import { keysetRanges, limitOffset, limitSql, type PageRequest } from '../list/page.sql.js';
import { MODEL_TABLE } from '../model-version.sql.js';
import { kindTable } from '../table.sql.js';
import { OF_LEFT_HISTORY } from './number.sql.js';
import {
  CHANGED_COLUMNS,
  changesJson,
  decidingFields,
  hiddenIn,
  holdsIn,
  IS_ERASED,
  OF_UNITS,
  statesOf,
  storedFields,
  unitOfChanges,
  valuesOf,
} from './states.sql.js';

/** The versions of a kind's units that a caller may see. */
export interface VersionsPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** The id of a unit, as text; undefined for all. */
  readonly unit: string | undefined;
  /** The units that the caller may read, and whose history it may read. */
  readonly access: readonly Predicate[];
  /** The fields whose values are answered. */
  readonly fields: readonly Field[];
  /** Days for which versions are kept; undefined for ever. */
  readonly days: number | undefined;
}

export interface HistoryPlan extends VersionsPlan, PageRequest {
  /** Over the columns of a version (`VERSION_FIELDS`), as the order. */
  readonly filter: Predicate | undefined;
  readonly order: readonly OrderTerm[];
  readonly cursor: readonly (string | null)[] | undefined;
}

/** A version; all but `v`, `found` and `count` are null in the one row of none. */
export interface VersionRow {
  readonly v: string;
  /** Whether the caller may see the unit, if one is asked for. */
  readonly found: boolean;
  readonly count: string;
  readonly keys: readonly string[];
  readonly unit: string | null;
  readonly version: string;
  readonly operation: string;
  readonly origin: Readonly<Record<string, unknown>>;
  /** The values before and after, of the fields that differ and that the unit shows now, as JSON text. */
  readonly changes: string | null;
}

/** Rows `VersionRow`: one more than the page has, where a cursor is asked for. */
export function historyStatement(plan: HistoryPlan): Statement {
  const { schema, filter, order, cursor, limit, offset } = plan;
  const sort = sortSql(schema, order);
  const test = filter && predicateSql(filter, { schema, row: 't' });
  const ranges = cursor ? keysetRanges(sort.keys, cursor).flatMap((range) => range?.where ?? []) : [];
  const after = ranges.length > 0 ? sql`(${join(ranges, ' OR ')})` : undefined;
  const keys = join(sort.keys.map(({ value }) => sql`${value}::text`));
  const rows = cursor ? sql`LIMIT ${limitSql(limit, 1)}` : limitOffset(limit, offset);
  const judged = isJudged(plan);
  const fields = decidingFields(plan.access, plan.fields);
  const state = statesOf(plan, { changes: versionsOf(plan), units: unitsOf(plan), fields });
  // The rules are asked once of each unit as it is now.
  const now = sql`_m AS MATERIALIZED (SELECT n.* FROM n WHERE ${holdsIn(schema, sql`n.state`, ...plan.access)})`;
  const ctes = judged ? sql`${state}, ${now}` : sql`e AS MATERIALIZED (${versionsOf(plan)})`;
  const count = plan.count === 'none' ? sql`-1` : sql`(SELECT count(*) FROM _f)`;
  return render(sql`
    WITH RECURSIVE ${ctes},
    _f AS MATERIALIZED (
      SELECT t.*
      FROM (${shownVersions(plan, judged)} OFFSET 0) AS t
      WHERE ${all([test])}
    ),
    _page AS MATERIALIZED (
      SELECT t.*, row_number() OVER (ORDER BY ${orderBy(sort.keys)}) AS n, ARRAY[${keys}] AS keys
      FROM _f AS t
      WHERE ${all([after])}
      ORDER BY ${orderBy(sort.keys)}
      ${rows}
    )
    SELECT
      m."version" AS v, ${isFound(plan, judged)} AS found, ${count} AS count, u.keys, u.unit_id AS unit, u.version,
      u.operation, u.origin, ${boundedInTotal(sql`u.changes`)} AS changes
    FROM ${ident(schema, MODEL_TABLE)} AS m
    LEFT JOIN (
      SELECT
        p.keys, p.n, p.unit_id, p.version, p.operation, e."origin" AS origin, ${answered(plan, judged)} AS changes
      FROM _page AS p
      CROSS JOIN LATERAL (
        SELECT c.* FROM ${ident(schema, CHANGE_TABLE)} AS c WHERE c."seq" = p.seq OFFSET 0
      ) AS e
      ${judged ? sql`CROSS JOIN LATERAL (SELECT p._before AS before, p._state AS state) AS s` : sql``}
      ${judged ? sql`CROSS JOIN LATERAL (SELECT p._now AS state) AS n` : sql``}
      OFFSET 0
    ) AS u ON true
    ORDER BY u.n
  `);
}

/** The time of a version, exactly: seconds and microseconds each fit in what an interval is multiplied with. */
function timeOf(version: Fragment): Fragment {
  const [seconds, rest] = [sql`${version} / 1000000`, sql`${version} % 1000000`];
  return sql`'epoch'::timestamptz + (${seconds}) * interval '1 second' + (${rest}) * interval '1 microsecond'`;
}

/** Whether rules decide what is shown. */
function isJudged({ access, fields }: VersionsPlan): boolean {
  return access.length > 0 || fields.some((field) => conditionOf(field) !== undefined);
}

/** The changes of units that are kept, as `c.*`. */
function versionsOf({ schema, kind, unit, days }: VersionsPlan, more?: Fragment): Fragment {
  const oldest =
    days === undefined
      ? undefined
      : sql`c."version" >= ((extract(epoch FROM now()) - ${param(days)}::int * 86400) * 1000000)::bigint`;
  const ofUnit = unit === undefined ? undefined : sql`c."unit" = ${param(unit)}::text`;
  return sql`
    SELECT c.*
    FROM ${ident(schema, CHANGE_TABLE)} AS c
    WHERE ${all([sql`c."kind" = ${literal(kind.id)}`, ofUnit, OF_UNITS, sql`NOT ${OF_LEFT_HISTORY}`, oldest, more])}
  `;
}

function unitsOf({ unit }: VersionsPlan): Fragment | undefined {
  return unit === undefined ? undefined : unitOfChanges(sql`${param(unit)}::text`);
}

/** The versions that the caller may see, with the columns of `VERSION_FIELDS`. */
function shownVersions(plan: VersionsPlan & Partial<Pick<HistoryPlan, 'filter'>>, judged: boolean): Fragment {
  const { schema, access, filter } = plan;
  const names = filter && testedFields(filter).some(({ id }) => id === 'changed');
  const from = judged ? sql`e JOIN s ON s.seq = e."seq" JOIN _m AS n ON n.unit = e."unit"` : sql`e`;
  const then = sql`CASE WHEN e."operation" = 'delete' THEN s.before ELSE s.state END`;
  // Of an erased version nobody knows for whom it was.
  const shown =
    access.length === 0
      ? sql`true`
      : all([
          sql`NOT ${IS_ERASED}`,
          sql`(SELECT ${holdsIn(schema, sql`_t.state`, ...access)} FROM (SELECT ${then} AS state OFFSET 0) AS _t)`,
        ]);
  return sql`
    SELECT
      e."seq" AS seq,
      e."unit" AS unit_id,
      e."version" AS version,
      ${timeOf(sql`e."version"`)} AS at,
      e."operation" AS operation,
      e."origin" ->> 'member' AS member,
      e."origin" ->> 'via' AS via
      ${judged ? sql`, s.before AS _before, s.state AS _state, n.state AS _now` : sql``}
      ${names ? sql`, ${namesOfChanged(plan)} AS changed` : sql``}
    FROM ${from}
    WHERE ${shown}
  `;
}

/** The names of the fields that a version changed, of those that the caller is shown. */
function namesOfChanged(plan: VersionsPlan): Fragment {
  const { schema, fields } = plan;
  const lists = fields.map((field) => {
    const condition = conditionOf(field);
    const isChanged = sql`${literal(field.column ?? field.id)} = ANY(_k.columns)`;
    const tests = [sql`n.state`, sql`s.before`, sql`s.state`].map((state) => holdsIn(schema, state, condition));
    const [now, before, after] = tests as [Fragment, Fragment, Fragment];
    const wasThere = all([sql`e."operation" <> 'create'`, before]);
    const isThere = sql`e."operation" <> 'delete' AND ${after}`;
    const shows = condition ? sql`NOT ${IS_ERASED} AND ${now} AND (${wasThere} OR ${isThere})` : sql`true`;
    return sql`CASE WHEN ${isChanged} AND ${shows} THEN ${literal(field.id)} END`;
  });
  const isComparable = mayReadBefore(plan) ?? sql`true`;
  return sql`(
    SELECT array_remove(ARRAY[${join([...lists, sql`NULL`])}]::text[], NULL)
    FROM (SELECT ${CHANGED_COLUMNS} AS columns OFFSET 0) AS _k
    WHERE e."operation" = 'create' OR ${isComparable}
  )`;
}

/** Whether the caller may read the unit as it was before a version. */
function mayReadBefore({ schema, access }: VersionsPlan): Fragment | undefined {
  return access.length > 0 ? holdsIn(schema, sql`s.before`, ...access) : undefined;
}

/** The values of a version on a page. */
function answered(plan: VersionsPlan, judged: boolean): Fragment {
  const { schema, kind, fields } = plan;
  const of = { schema, kind };
  const [before, after] = judged ? [sql`s.before`, sql`s.state`] : [sql`'{}'::jsonb`, sql`'{}'::jsonb`];
  return changesJson(of, fields, {
    before: { state: before, isShown: all([sql`e."operation" <> 'create'`, mayReadBefore(plan)]) },
    after: { state: after, isShown: sql`e."operation" <> 'delete'` },
    hidden: judged ? hiddenIn(of, fields, sql`n.state`) : undefined,
  });
}

/** Whether there is a unit that the caller may see, now or until it was deleted. */
function isFound({ schema, kind, unit }: VersionsPlan, judged: boolean): Fragment {
  if (unit === undefined) return sql`true`;
  const wasThere = sql`EXISTS (SELECT FROM e)`;
  if (judged) return sql`EXISTS (SELECT FROM _m WHERE _m.version IS NOT NULL OR ${wasThere})`;
  const key = sql`${param(unit)}::${columnType(kind.keyField.columnType)}`;
  const isUnit = all([sql`t."id" = ${key}`, ...rowConditions(schema, kind, [])]);
  return sql`(${wasThere} OR EXISTS (SELECT FROM ${kindTable(schema, kind)} AS t WHERE ${isUnit}))`;
}

/** A unit as it was: after the last change at or before a time in microseconds, or after the change of a version. */
export interface PastPlan extends VersionsPlan {
  readonly unit: string;
  /** The units that the caller may read, whatever it may read of their history. */
  readonly read: Predicate | undefined;
  readonly asOf: { readonly atMost: string } | { readonly version: string };
}

export interface PastRow {
  readonly v: string;
  /** Whether the caller may see the unit, now or until it was deleted. */
  readonly found: boolean;
  /** Whether the caller may read it at least. */
  readonly readable: boolean;
  /** The version of the unit now; null if it was deleted. */
  readonly current: string | null;
  /** The first version that the caller may see, or one before the asked time; null if there is none. */
  readonly first: string | null;
  /** In microseconds. */
  readonly now: string;
  /** Of the change; null if there is none. */
  readonly version: string | null;
  /** Of the last change until then that the caller may see; null if there is none. */
  readonly operation: string | null;
  readonly erased: boolean;
  /** Whether the caller may see the unit as it was. */
  readonly seen: boolean;
  /** The values then, of a deletion those before it, and those now, as JSON texts. */
  readonly past: string | null;
  readonly present: string | null;
  /** The names of the fields that the unit does not show now. */
  readonly hidden: readonly string[] | null;
}

/** One row `PastRow`. */
export function pastStatement(plan: PastPlan): Statement {
  const { schema, access, read, fields, asOf } = plan;
  const which =
    'version' in asOf
      ? sql`c."version" = ${param(asOf.version)}::bigint`
      : sql`c."version" <= ${param(asOf.atMost)}::bigint`;
  const change = sql`${versionsOf(plan, which)} ORDER BY c."seq" DESC LIMIT 1`;
  // Without a change until then, it is as it is now, if it was that by then.
  const state = sql`CASE WHEN e."operation" = 'delete' THEN s.before ELSE coalesce(s.state, n.state) END`;
  const hidden = hiddenIn(plan, fields, sql`n.state`);
  const isSeen =
    access.length === 0 ? sql`true` : all([sql`(${IS_ERASED}) IS NOT TRUE`, holdsIn(schema, sql`p.state`, ...access)]);
  const wasThere = sql`(n.version IS NOT NULL OR EXISTS (${versionsOf(plan)}))`;
  return render(sql`
    WITH RECURSIVE ${statesOf(plan, { changes: change, units: unitsOf(plan), fields: storedFields(plan.kind) })},
    _f AS MATERIALIZED (${judgedVersions(plan)})
    SELECT
      m."version" AS v,
      _w.there AND ${holdsIn(schema, sql`n.state`, ...access)} AS found,
      _w.there AND ${holdsIn(schema, sql`n.state`, read)} AS readable,
      n.version AS current,
      (CASE
        WHEN e."seq" IS NOT NULL AND _s.seen THEN e."version"
        ELSE (SELECT _f.version FROM _f ORDER BY _f.seq LIMIT 1)
      END)::text AS first,
      (extract(epoch FROM clock_timestamp()) * ${integer(1_000_000)})::bigint::text AS now,
      e."version"::text AS version,
      CASE
        WHEN _s.seen THEN e."operation"
        ELSE (SELECT _f.operation FROM _f WHERE _f.seq <= e."seq" ORDER BY _f.seq DESC LIMIT 1)
      END AS operation,
      coalesce(${IS_ERASED}, false) AS erased,
      _s.seen,
      ${valuesOf(plan, fields, sql`p.state`)} AS past,
      CASE WHEN n.version IS NOT NULL THEN ${valuesOf(plan, fields, sql`n.state`)} END AS present,
      ${hidden ?? sql`NULL::text[]`} AS hidden
    FROM ${ident(schema, MODEL_TABLE)} AS m
    CROSS JOIN n
    LEFT JOIN e ON true
    LEFT JOIN s ON s.seq = e."seq"
    CROSS JOIN LATERAL (SELECT ${state} AS state OFFSET 0) AS p
    CROSS JOIN LATERAL (SELECT ${isSeen} AS seen OFFSET 0) AS _s
    CROSS JOIN LATERAL (SELECT ${wasThere} AS there OFFSET 0) AS _w
  `);
}

/** The versions that the caller may see; read only where the one that is asked for is none of them. */
function judgedVersions(plan: PastPlan): Fragment {
  const columns = sql`_v.seq, _v.version, _v.operation`;
  if (plan.access.length === 0) {
    return sql`SELECT ${columns} FROM (${versionsOf(plan)} ORDER BY c."seq" LIMIT 1) AS _v`;
  }
  const fields = decidingFields(plan.access, []);
  return sql`
    WITH RECURSIVE
      ${statesOf(plan, { changes: versionsOf(plan), units: unitsOf(plan), fields })},
      _m AS MATERIALIZED (SELECT n.* FROM n)
    SELECT ${columns} FROM (${shownVersions(plan, true)}) AS _v
  `;
}
