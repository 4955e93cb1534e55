/** Reads changes as what follows a commit gets them: whoever may see them, with the unit as it was after each. */
import type { Field, KindDef } from '../../model/model.js';
import { LIMITS } from '../../shared/limits.js';
import { CHANGE_TABLE } from '../../model/table/internal-tables.js';
import { ident, integer, join, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { withModelVersion } from '../model-version.sql.js';
import { kindTable } from '../table.sql.js';
import { changesJson, statesOf, valuesOf } from './states.sql.js';

/** A change; all but `v` are null in the one row of none. */
export interface EventRow {
  readonly v: string;
  readonly seq: string | null;
  readonly operation: string;
  readonly unit_id: string;
  readonly version: string;
  readonly origin: Readonly<Record<string, unknown>>;
  readonly link: Readonly<Record<string, string>> | null;
  /**
   * The values before and after, of the fields that differ, and the unit after it or, of a deletion, before it: JSON texts.
   * Null where those of the changes before it are large already.
   */
  readonly changes: string | null;
  readonly unit: string | null;
  /** Whether the member who wrote is still there. */
  readonly member: boolean;
}

interface EventPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** The fields of the answered units, and those of them whose changes are told. */
  readonly fields: readonly Field[];
  readonly versioned: readonly Field[];
  readonly memberKinds: readonly KindDef[];
}

/**
 * Rows `EventRow`: the changes of a kind with these numbers that are kept, in their order. The first has its values, and
 * the next ones as long as all together are no larger than what may be read at once.
 */
export function eventsStatement(
  { schema, kind, fields, versioned, memberKinds }: EventPlan,
  numbers: readonly string[],
): Statement {
  const stored = fields.filter(({ column }) => column !== undefined);
  const of = { schema, kind };
  const [isMade, isDeleted] = [sql`e."operation" = 'create'`, sql`e."operation" = 'delete'`];
  const told = changesJson(of, versioned, {
    before: { state: sql`a.before`, isShown: sql`NOT ${isMade}` },
    after: { state: sql`a.after`, isShown: sql`NOT ${isDeleted}` },
  });
  const changes = sql`
    SELECT
      c."seq", c."origin", c."operation", c."unit", c."version",
      CASE WHEN NOT k.links THEN c."before" END AS "before",
      CASE WHEN NOT k.links THEN c."after" END AS "after",
      CASE WHEN k.links THEN coalesce(c."after", c."before") END AS link
    FROM ${ident(schema, CHANGE_TABLE)} AS c
    CROSS JOIN LATERAL (SELECT c."operation" IN ('link', 'unlink') AS links) AS k
    WHERE c."seq" = ANY(${param(numbers)}::bigint[])
  `;
  // A link has no state of its own: it is that before the next change of the unit itself.
  const event = sql`
    SELECT
      e."seq" AS seq,
      e."operation" AS operation,
      e."unit" AS unit_id,
      e."version" AS version,
      e."origin" AS origin,
      e.link AS link,
      ${told} AS changes,
      ${valuesOf(of, fields, sql`CASE WHEN ${isDeleted} THEN a.before ELSE a.after END`)} AS unit,
      ${isThere(schema, memberKinds)} AS member
    FROM e
    CROSS JOIN LATERAL (
      SELECT s.before AS before, CASE WHEN s.seq = e."seq" THEN s.state ELSE s.before END AS after
      FROM s
      WHERE s.unit = e."unit" AND s.seq >= e."seq"
      ORDER BY s.seq
      LIMIT 1
    ) AS a
  `;
  const query = sql`
    WITH RECURSIVE ${statesOf(of, { changes, fields: stored })}
    SELECT
      v.*,
      row_number() OVER w AS n,
      sum(octet_length(v.changes) + coalesce(octet_length(v.unit), 0)) OVER w AS bytes
    FROM (${event} OFFSET 0) AS v
    WINDOW w AS (ORDER BY v.seq)
  `;
  const fits = sql`(u.n = 1 OR u.bytes <= ${integer(LIMITS.eventBytes)})`;
  const whole = ['seq', 'operation', 'unit_id', 'version', 'origin', 'link', 'member'].map((name) => ident('u', name));
  const values = ['changes', 'unit'].map(
    (name) => sql`CASE WHEN ${fits} THEN ${ident('u', name)} END AS ${ident(name)}`,
  );
  return render(withModelVersion(schema, join([...whole, ...values]), query));
}

/** Whether the member of the change `e` exists. */
function isThere(schema: string, kinds: readonly KindDef[]): Fragment {
  if (kinds.length === 0) return sql`false`;
  const cases = kinds.map((kind) => {
    const member = sql`SELECT FROM ${kindTable(schema, kind)} AS m WHERE m."id" = (e."origin" ->> 'member')::uuid`;
    return sql`WHEN ${literal(kind.id)} THEN EXISTS (${member})`;
  });
  return sql`CASE e."origin" ->> 'member_kind' ${join(cases, ' ')} ELSE false END`;
}
