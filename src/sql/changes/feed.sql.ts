/**
 * Reads changes that have a number, and judges in PostgreSQL which of them a caller sees: the read rule for the unit as
 * it is now, rule and filter for the unit as it was after the change and before it. A unit as it was is the unit now
 * with the values that later changes replaced, in the same snapshot.
 */
import type { Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { CHANGE_TABLE, FEED_TABLE, OUTBOX_TABLE } from '../../model/table/internal-tables.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { columnType, microseconds } from '../columns.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { all, ident, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { jsonObject } from '../list/hidden-fields.sql.js';
import { byKind, itemJson, unitSatisfies } from '../list/mixed-units.sql.js';
import type { ReadPlan } from '../list/select.sql.js';
import { withModelVersion } from '../model-version.sql.js';
import { kindTable } from '../table.sql.js';
import { rowOfObject } from '../write/input-rows.sql.js';

/** Changes of the units of one kind, as a caller sees them. */
export interface FeedKindPlan {
  /** How units are answered. Its access is the read rule. */
  readonly unit: ReadPlan;
  readonly filter: Predicate | undefined;
  /** The fields whose old and new values are answered; none where the caller may not read the history. */
  readonly changes: ReadPlan['fields'];
}

/** A change that may be seen; all but `kept` are null in the one row of none. */
export interface CandidateRow {
  /** In decimal digits: the number up to which changes are no longer kept. */
  readonly kept: string;
  readonly seq: string | null;
  readonly kind: string;
  /** Of a link, the kind of its child. */
  readonly child: string | null;
}

/** Numbers that one statement looks through. */
export const NUMBERS_AT_ONCE = 20_000n;

/** Rows `CandidateRow`: the first changes of these kinds after a number, up to another one. */
export function candidatesStatement(
  schema: string,
  kinds: readonly string[],
  { after, upTo, limit }: { readonly after: bigint; readonly upTo: bigint; readonly limit: number },
): Statement {
  return render(
    sql`
      SELECT f."kept" AS kept, c.*
      FROM ${ident(schema, FEED_TABLE)} AS f
      LEFT JOIN (
        SELECT
          c."seq" AS seq,
          c."kind" AS kind,
          CASE WHEN c."operation" IN ('link', 'unlink')
            THEN coalesce(c."after", c."before") ->> 'child_kind_id'
          END AS child
        FROM ${ident(schema, CHANGE_TABLE)} AS c
        WHERE c."seq" > ${param(String(after))}::bigint
          AND c."seq" <= ${param(String(upTo))}::bigint
          AND c."kind" = ANY(${param(kinds)}::text[])
        ORDER BY c."seq"
        LIMIT ${param(limit)}::int
      ) AS c ON true
      ORDER BY c.seq
    `,
    true,
  );
}

/** A change that the caller sees; all but `v` are null in the one row of none. */
export interface SeenRow {
  readonly v: string;
  readonly seq: string | null;
  readonly operation: string;
  readonly id: string;
  readonly version: string;
  readonly origin: Readonly<Record<string, unknown>>;
  /** The unit as it is now, as JSON text, and its version. */
  readonly unit: string | null;
  readonly unit_version: string | null;
  /** Of a link. */
  readonly link: Readonly<Record<string, string>> | null;
  /** The columns that differ, and the values of the fields before and after, as JSON texts. */
  readonly changed: readonly string[] | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** Rows `SeenRow`: those of the changes of units with these numbers that the caller sees. */
export function seenUnitsStatement(plan: FeedKindPlan, numbers: readonly string[]): Statement {
  const { schema, kind, access } = plan.unit;
  const [read, own] = [access, plan.filter];
  const holds = (state: Fragment, ...predicates: readonly (Predicate | undefined)[]) =>
    all(predicates.flatMap((each) => (each ? [holdsOf(schema, each, state)] : [])));
  const [now, after, before] = [sql`n.state`, sql`s.state`, sql`s.state || coalesce(e."before", '{}')`];
  const verdict = sql`
    CASE
      WHEN v.after AND ${holds(now, read)} THEN
        CASE WHEN e."operation" = 'create' THEN 'create' WHEN v.before THEN 'update' ELSE 'enter' END
      WHEN v.before AND NOT v.after THEN CASE WHEN e."operation" = 'delete' THEN 'delete' ELSE 'leave' END
    END
  `;
  const showsUnit = sql`_d.operation IN ('create', 'update', 'enter')`;
  const unit = itemJson([plan.unit], { kind: literal(kind.id), id: sql`_d.id` });
  const values = (state: Fragment, there: Fragment) =>
    plan.changes.length === 0 ? sql`NULL::text` : sql`CASE WHEN ${there} THEN ${valuesOf(plan, state)} END`;
  const changed = sql`
    ARRAY(
      SELECT k
      FROM jsonb_object_keys(coalesce(e."before", '{}') || coalesce(e."after", '{}')) AS k
      WHERE coalesce(e."before" -> k, 'null') <> coalesce(e."after" -> k, 'null')
    )
  `;
  const query = sql`
    WITH RECURSIVE ${statesOf(plan.unit, numbers)},
    _d AS MATERIALIZED (
      SELECT
        e."seq" AS seq,
        ${verdict} AS operation,
        e."unit" AS id,
        e."version" AS version,
        e."origin" AS origin,
        n.version AS unit_version,
        ${plan.changes.length > 0 ? changed : sql`NULL::text[]`} AS changed,
        ${values(before, sql`e."operation" <> 'create'`)} AS before,
        ${values(after, sql`e."operation" <> 'delete'`)} AS after
      FROM e
      JOIN s ON s.unit = e."unit" AND s.r = e.r
      JOIN n ON n.unit = e."unit"
      CROSS JOIN LATERAL (
        SELECT
          e."operation" <> 'delete' AND ${holds(after, read, own)} AS after,
          e."operation" <> 'create' AND ${holds(before, read, own)} AS before
        OFFSET 0
      ) AS v
    )
    SELECT
      _d.seq, _d.operation, _d.id, _d.version, _d.origin, NULL::jsonb AS link, _d.changed, _d.before, _d.after,
      CASE WHEN ${showsUnit} THEN _d.unit_version END AS unit_version,
      ${boundedInTotal(sql`_d.unit`)} AS unit
    FROM (
      SELECT _d.*, CASE WHEN ${showsUnit} THEN ${unit}::text END AS unit FROM _d WHERE _d.operation IS NOT NULL
    ) AS _d
  `;
  return render(withModelVersion(schema, SEEN_COLUMNS, query));
}

const SEEN_COLUMNS = sql`
  u.seq, u.operation, u.id, u.version, u.origin, u.link, u.changed, u.before, u.after, u.unit_version, u.unit
`;

/**
 * CTEs: `e`, the changes, numbered from the last one of each unit; `n`, the units now, the deleted ones as they were
 * last; `s`, each unit after its change `r`.
 */
function statesOf({ schema, kind }: ReadPlan, numbers: readonly string[]): Fragment {
  const [change, outbox] = [ident(schema, CHANGE_TABLE), ident(schema, OUTBOX_TABLE)];
  const ofUnit = sql`c."kind" = ${literal(kind.id)} AND c."unit" = l.unit AND c."operation" NOT IN ('link', 'unlink')`;
  const later = (more: Fragment, columns: Fragment) => sql`
    SELECT 0 AS place, c."seq" AS n, ${columns} FROM ${change} AS c WHERE ${ofUnit} ${more}
    UNION ALL
    SELECT 1, c."id", ${columns} FROM ${outbox} AS c WHERE ${ofUnit}
  `;
  const key = sql`l.unit::${columnType(kind.keyField.columnType)}`;
  const isUnit = all([sql`t."id" = ${key}`, ...rowConditions(schema, kind, [])]);
  const sharedTable = kind.discriminated ? sql` || jsonb_build_object('kind_id', ${literal(kind.id)})` : sql``;
  return sql`
    e AS MATERIALIZED (
      SELECT c.*, row_number() OVER (PARTITION BY c."unit" ORDER BY c."seq" DESC) AS r
      FROM ${change} AS c
      WHERE c."seq" = ANY(${param(numbers)}::bigint[])
    ),
    l AS MATERIALIZED (SELECT e."unit" AS unit, max(e."seq") AS seq FROM e GROUP BY 1),
    n AS MATERIALIZED (
      SELECT
        l.unit,
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
    s(unit, r, state) AS (
      SELECT n.unit, 1::bigint, n.last FROM n
      UNION ALL
      SELECT s.unit, s.r + 1, s.state || coalesce(e."before", '{}')
      FROM s
      JOIN e ON e."unit" = s.unit AND e.r = s.r
    )
  `;
}

/** Whether a unit as it was satisfies a predicate: own values are those of the object. */
function holdsOf(schema: string, predicate: Predicate, state: Fragment): Fragment {
  const fields = testedFields(predicate);
  const test = predicateSql(predicate, { schema, row: '_n' });
  if (fields.length === 0) return sql`((${test}) IS TRUE)`;
  return sql`EXISTS (SELECT FROM ${rowOfObject(fields, state)} WHERE ${test})`;
}

/** The JSON of the answered values of a unit as it was. */
function valuesOf({ unit: { schema, kind }, changes }: FeedKindPlan, state: Fragment): Fragment {
  const fields = [...kind.fields.values()].filter(({ column }) => column !== undefined);
  return sql`(SELECT ${jsonObject(schema, changes)} FROM (SELECT _n.* FROM ${rowOfObject(fields, state)}) AS t)`;
}

/** Rows `SeenRow`: those of the changes of links with these numbers whose units the caller may read. */
export function seenLinksStatement(
  { unit: { schema, kind, access }, filter }: FeedKindPlan,
  children: readonly ReadPlan[],
  numbers: readonly string[],
): Statement {
  const link = sql`coalesce(c."after", c."before")`;
  const child = { kind: sql`(${link} ->> 'child_kind_id')`, id: sql`(${link} ->> 'child_id')` };
  const isReadable = byKind(children, child, (each) => unitSatisfies(schema, each.kind, child, [each.access]));
  const isSeen = unitSatisfies(schema, kind, { kind: literal(kind.id), id: sql`c."unit"` }, [access, filter]);
  const query = sql`
    SELECT
      c."seq" AS seq, c."operation" AS operation, c."unit" AS id, c."version" AS version, c."origin" AS origin,
      ${link} AS link, NULL::text[] AS changed, NULL::text AS before, NULL::text AS after, NULL::text AS unit_version,
      NULL::text AS unit
    FROM ${ident(schema, CHANGE_TABLE)} AS c
    WHERE c."seq" = ANY(${param(numbers)}::bigint[]) AND ${isSeen} AND ${isReadable}
  `;
  return render(withModelVersion(schema, SEEN_COLUMNS, query));
}
