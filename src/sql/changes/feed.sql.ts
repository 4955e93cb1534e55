/**
 * Reads changes that have a number, and judges in PostgreSQL which of them a caller sees: the read rule for the unit as
 * it is now, rule and filter for the unit as it was after the change and before it. A unit as it was is the unit now
 * with the values that later changes replaced, in the same snapshot.
 */
import type { Predicate } from '../../model/predicate/predicate.js';
import { CHANGE_TABLE, FEED_TABLE } from '../../model/table/internal-tables.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { all, ident, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { byKind, itemJson, unitSatisfies } from '../list/mixed-units.sql.js';
import type { ReadPlan } from '../list/select.sql.js';
import { withModelVersion } from '../model-version.sql.js';
import { changesJson, decidingFields, hiddenIn, holdsIn, IS_ERASED, statesOf } from './states.sql.js';

/** Changes of the units of one kind, as a caller sees them. */
export interface FeedKindPlan {
  /** How units are answered. Its access is the read rule. */
  readonly unit: ReadPlan;
  readonly filter: Predicate | undefined;
  /** What the caller may read of the history; undefined for nothing. */
  readonly history: HistoryRight | undefined;
}

export interface HistoryRight {
  /** The units whose history it may read, among those that it may read. */
  readonly access: Predicate | undefined;
  /** The fields whose old and new values are answered. */
  readonly fields: ReadPlan['fields'];
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
  /** Whether the caller may read the history of the unit as it was and, if it sees the unit now, as it is. */
  readonly tells: boolean;
  /** The unit as it is now, as JSON text, and its version. */
  readonly unit: string | null;
  readonly unit_version: string | null;
  /** Of a link. */
  readonly link: Readonly<Record<string, string>> | null;
  /** The values before and after, of the fields that differ, as JSON text. */
  readonly changes: string | null;
}

/** Which changes are asked for. */
interface Sought {
  readonly numbers: readonly string[];
  readonly operations: readonly string[];
  readonly limit: number;
}

/** Rows `SeenRow`: the first of the changes of units with these numbers that the caller sees. */
export function seenUnitsStatement(plan: FeedKindPlan, { numbers, operations, limit }: Sought): Statement {
  const { unit: of, filter, history } = plan;
  const { schema, kind, access } = of;
  const holds = (state: Fragment, ...predicates: readonly (Predicate | undefined)[]) =>
    holdsIn(schema, state, ...predicates);
  const tells = (state: Fragment) => (history ? holds(state, history.access) : sql`false`);
  const [now, after, before] = [sql`n.state`, sql`s.state`, sql`s.before`];
  // Of an erased change nobody knows for whom it was.
  const isKnown = access || filter ? sql`NOT ${IS_ERASED}` : sql`true`;
  const verdict = sql`
    CASE
      WHEN v.after AND ${holds(now, access)} THEN
        CASE WHEN e."operation" = 'create' THEN 'create' WHEN v.before THEN 'update' ELSE 'enter' END
      WHEN v.before AND NOT v.after THEN CASE WHEN e."operation" = 'delete' THEN 'delete' ELSE 'leave' END
    END
  `;
  const changes = sql`
    SELECT c.* FROM ${ident(schema, CHANGE_TABLE)} AS c WHERE c."seq" = ANY(${param(numbers)}::bigint[])
  `;
  const fields = decidingFields([access, filter, history?.access], history?.fields ?? []);
  const showsUnit = sql`_d.operation IN ('create', 'update', 'enter')`;
  const values =
    history &&
    changesJson(of, history.fields, {
      before: { state: before, isShown: sql`e."operation" <> 'create' AND _d.before AND ${tells(before)}` },
      after: { state: after, isShown: sql`_d.after AND ${tells(after)}` },
      hidden: hiddenIn(of, history.fields, now),
    });
  const told = values
    ? sql`CASE WHEN w.tells AND _d.operation IN ('create', 'update') THEN ${values} END`
    : sql`NULL::text`;
  const query = sql`
    WITH RECURSIVE ${statesOf(of, { changes, fields })},
    _d AS MATERIALIZED (
      SELECT d.*
      FROM (
        SELECT e."seq" AS seq, ${verdict} AS operation, v.*
        FROM e
        JOIN s ON s.seq = e."seq"
        JOIN n ON n.unit = e."unit"
        CROSS JOIN LATERAL (
          SELECT
            ${isKnown} AND e."operation" <> 'delete' AND ${holds(after, access, filter)} AS after,
            ${isKnown} AND e."operation" <> 'create' AND ${holds(before, access, filter)} AS before
          OFFSET 0
        ) AS v
        OFFSET 0
      ) AS d
      WHERE d.operation = ANY(${param(operations)}::text[])
      ORDER BY d.seq
      LIMIT ${param(limit)}::int
    )
    SELECT
      u.seq, u.operation, u.id, u.version, u.origin, u.tells, NULL::jsonb AS link, u.unit_version,
      ${boundedInTotal(sql`u.unit`)} AS unit, ${boundedInTotal(sql`u.changes`)} AS changes
    FROM (
      SELECT
        _d.seq, _d.operation, e."unit" AS id, e."version" AS version, e."origin" AS origin, w.tells,
        CASE WHEN ${showsUnit} THEN n.version END AS unit_version,
        CASE WHEN ${showsUnit} THEN ${itemJson([of], { kind: literal(kind.id), id: sql`e."unit"` })}::text END AS unit,
        ${told} AS changes
      FROM _d
      JOIN e ON e."seq" = _d.seq
      JOIN s ON s.seq = _d.seq
      JOIN n ON n.unit = e."unit"
      CROSS JOIN LATERAL (
        SELECT CASE WHEN _d.after THEN ${tells(now)} AND ${tells(after)} ELSE ${tells(before)} END AS tells OFFSET 0
      ) AS w
      ORDER BY _d.seq
      OFFSET 0
    ) AS u
  `;
  return render(withModelVersion(schema, SEEN_COLUMNS, query));
}

const SEEN_COLUMNS = sql`
  u.seq, u.operation, u.id, u.version, u.origin, u.tells, u.link, u.changes, u.unit_version, u.unit
`;

/** Rows `SeenRow`: the first of the changes of links with these numbers whose units the caller may read. */
export function seenLinksStatement(
  { unit: { schema, kind, access }, filter, history }: FeedKindPlan,
  children: readonly ReadPlan[],
  { numbers, operations, limit }: Sought,
): Statement {
  const link = sql`coalesce(c."after", c."before")`;
  const child = { kind: sql`(${link} ->> 'child_kind_id')`, id: sql`(${link} ->> 'child_id')` };
  const isReadable = byKind(children, child, (each) => unitSatisfies(schema, each.kind, child, [each.access]));
  const parent = { kind: literal(kind.id), id: sql`c."unit"` };
  const isSeen = unitSatisfies(schema, kind, parent, [access, filter]);
  const tells = history ? unitSatisfies(schema, kind, parent, [history.access]) : sql`false`;
  const query = sql`
    SELECT
      c."seq" AS seq, c."operation" AS operation, c."unit" AS id, c."version" AS version, c."origin" AS origin,
      ${tells} AS tells, ${link} AS link, NULL::text AS changes, NULL::text AS unit_version, NULL::text AS unit
    FROM ${ident(schema, CHANGE_TABLE)} AS c
    WHERE ${all([
      sql`c."seq" = ANY(${param(numbers)}::bigint[])`,
      sql`c."operation" = ANY(${param(operations)}::text[])`,
      isSeen,
      isReadable,
    ])}
    ORDER BY c."seq"
    LIMIT ${param(limit)}::int
  `;
  return render(withModelVersion(schema, SEEN_COLUMNS, query));
}
