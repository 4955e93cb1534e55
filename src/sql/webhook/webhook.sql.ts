/** Webhooks, as what writes them and sends for them needs them. */
import { CREDENTIAL_KIND, WEBHOOK_KIND } from '../../model/built-in-traits.js';
import { FAILURES, SEALED_HEADERS, SEALED_SECRETS } from '../../model/built-in/webhook-fields.js';
import { milliseconds } from '../columns.sql.js';
import { ident, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** A stored webhook. */
export interface HookRow {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly string[] | null;
  readonly operations: readonly string[];
  readonly filter: string | null;
  readonly member: string | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly active: boolean;
  readonly secrets: string | null;
  readonly header_values: string | null;
  /** Events that have failed for good since the last one that was delivered. */
  readonly failures: number;
}

/** One row `HookRow`, or none. */
export function hookStatement(schema: string, id: string): Statement {
  return render(
    sql`
      SELECT
        w."id", w."url", w."kinds", w."operations", w."filter", w."member"::text AS member, w."headers", w."active",
        w.${ident(SEALED_SECRETS)} AS secrets, w.${ident(SEALED_HEADERS)} AS header_values,
        w.${ident(FAILURES)}::int AS failures
      FROM ${hooks(schema)} AS w
      WHERE w."id" = ${param(id)}
    `,
    true,
  );
}

/** A webhook that is sent to. */
export interface RunningHook {
  readonly id: string;
  readonly kinds: readonly string[] | null;
  readonly operations: readonly string[];
  /** When it was made, in milliseconds since 1970. */
  readonly since: number;
}

/** Rows `RunningHook`. */
export function runningHooksStatement(schema: string): Statement {
  return render(
    sql`
      SELECT w."id", w."kinds", w."operations", ${milliseconds(sql`w."inserted_at"`)} AS since
      FROM ${hooks(schema)} AS w
      WHERE w."active"
      ORDER BY w."id"
    `,
    true,
  );
}

/** One row `kind`: of a member, if there is one with that id. */
export function kindOfMemberStatement(schema: string, id: string): Statement {
  return render(
    sql`
      SELECT c."member_kind" AS kind
      FROM ${ident(schema, CREDENTIAL_KIND)} AS c
      WHERE c."member_id" = ${param(id)}::uuid
    `,
    true,
  );
}

function hooks(schema: string): Fragment {
  return ident(schema, WEBHOOK_KIND);
}
