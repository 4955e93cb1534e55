/** What is recorded of the calls of agents: no arguments, and no stored text. */
import { AGENT_CALL_TABLE } from '../../model/table/internal-tables.js';
import { LIMITS } from '../../shared/limits.js';
import { seconds, utcText } from '../columns.sql.js';
import { ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';

export interface AgentCall {
  readonly id: string;
  readonly key: string;
  readonly tool: string;
  /** Null where it named none that it may use. */
  readonly kind: string | null;
  /** Of the units that it was answered, or wrote; null for other answers. */
  readonly number: number | null;
  /** `done`, or the code of the refusal. */
  readonly outcome: string;
}

const KEPT = seconds(LIMITS.agentCallDays * 86_400);

export function recordCallStatement(schema: string, { id, key, tool, kind, number, outcome }: AgentCall): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, AGENT_CALL_TABLE)} ("id", "key", "at", "tool", "kind_id", "number", "outcome")
      VALUES (
        ${param(id)}::uuid, ${param(key)}::uuid, now(), ${param(tool)}, ${param(kind)}, ${param(number)}::bigint,
        ${param(outcome)}
      )
    `,
    true,
  );
}

/** Deletes what is too old. */
export function pruneCallsStatement(schema: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, AGENT_CALL_TABLE)} WHERE "at" < now() - ${KEPT}`, true);
}

/** The calls of a key, newest first, as JSON, with their number. One row `count, items`. */
export function listCallsStatement(
  schema: string,
  key: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Statement {
  const rows: Fragment = sql`
    FROM ${ident(schema, AGENT_CALL_TABLE)} AS c
    WHERE c."key" = ${param(key)}::uuid AND c."at" >= now() - ${KEPT}
  `;
  return render(sql`
    SELECT
      (SELECT count(*)::int ${rows}) AS count,
      coalesce(json_agg(p.item ORDER BY p.n), '[]')::text AS items
    FROM (
      SELECT
        json_build_object(
          'id', c."id",
          'at', ${utcText(sql`c."at"`)},
          'tool', c."tool",
          'kind_id', c."kind_id",
          'number', c."number",
          'outcome', c."outcome"
        ) AS item,
        row_number() OVER (ORDER BY c."at" DESC, c."id") AS n
      ${rows}
      ORDER BY c."at" DESC, c."id"
      LIMIT ${integer(limit)}
      OFFSET ${integer(offset)}
    ) AS p
  `);
}
