/** Answers that are kept for idempotency keys. */
import { IDEMPOTENCY_TABLE } from '../../model/table/internal-tables.js';
import { ident, integer, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { seconds, secondsBefore } from '../columns.sql.js';

/** The status of a kept answer whose content was erased. */
export const ERASED_STATUS = 0;

/** What kept answers show (`Shown`) that have the id of each unit of which they have values. */
const SHOWN_WITH_IDS = literal(JSON.stringify(['units', 'links']));

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The member and the key. */
  readonly id: string;
  /** A hash of method, path and query, which may have values of units: erasing them takes nothing that is not kept. */
  readonly request: string;
  /** A hash of the body. */
  readonly hash: string;
}

/** The answer of a request. */
interface KeptAnswer {
  readonly status: number;
  /** JSON text: the content of a success, the messages of a refusal. */
  readonly content: string;
  /** JSON text: the headers of a success, with its ETag. */
  readonly headers: string | null;
}

/** The answer to an earlier request with the key. */
export type EarlierAnswer = KeptAnswer & Pick<KeyedRequest, 'request' | 'hash'>;

export type ClaimRow = (EarlierAnswer | { readonly content: null }) & {
  /** False while another transaction has the key; null if it was used before. */
  readonly free: boolean | null;
  /** Whether the key belongs to this transaction now. */
  readonly claimed: boolean;
};

/**
 * Takes a key for this transaction, without waiting for another one that has it. One row.
 *
 * The lock ends with its transaction, after what that has stored is visible. If this statement began before, it may get
 * the lock and not see the row: its insert then fails at REPEATABLE READ, and inserts nothing at READ COMMITTED.
 */
export function claimKeyStatement(schema: string, keyed: KeyedRequest, lifetime: number): Statement {
  const { id } = keyed;
  const table = ident(schema, IDEMPOTENCY_TABLE);
  return render(
    sql`
      WITH
      locked AS MATERIALIZED (
        SELECT CASE
          WHEN NOT EXISTS (SELECT FROM ${table} AS k WHERE ${isKept(id)})
          THEN pg_try_advisory_xact_lock(hashtextextended(${param(`${schema} ${id}`)}, 9))
        END AS free
      ),
      claimed AS (
        INSERT INTO ${table} AS k ("id", "request", "hash", "expires_at")
        SELECT ${rowValues(keyed, lifetime)}
        FROM locked
        WHERE free
        ON CONFLICT ("id") DO UPDATE SET
          "request" = excluded."request",
          "hash" = excluded."hash",
          "expires_at" = excluded."expires_at",
          "status" = NULL,
          "content" = NULL,
          "headers" = NULL
        WHERE ${isOver(lifetime)}
        RETURNING 1 AS one
      )
      SELECT
        free,
        EXISTS (SELECT 1 FROM claimed) AS claimed,
        k."request",
        k."hash",
        k."status"::int AS status,
        k."content",
        k."headers"
      FROM locked
      LEFT JOIN ${table} AS k ON ${isKept(id)}
    `,
    true,
  );
}

/** One row if the key has an answer. */
export function answeredKeyStatement(schema: string, id: string): Statement {
  return render(sql`
    SELECT 1
    FROM ${ident(schema, IDEMPOTENCY_TABLE)} AS k
    WHERE ${isKept(id)} AND k."content" IS NOT NULL
  `);
}

/**
 * Stores the answer in the transaction that has the key, with the hash of the body: of a file it is known at its end. An
 * answer that may show a unit whose values the transaction has erased is kept as an erased one.
 */
export function keepAnswerStatement(
  schema: string,
  { id, hash }: Pick<KeyedRequest, 'id' | 'hash'>,
  { status, content, headers }: KeptAnswer,
): Statement {
  const isNamed = sql`
    EXISTS (SELECT FROM unnest(string_to_array(k."headers", ${literal('\n')})) AS i(id) WHERE strpos(a."content", i.id) > 0)
  `;
  const isErased = sql`k."headers" IS NOT NULL AND ${mayShow('a', isNamed)}`;
  return render(
    sql`
      UPDATE ${ident(schema, IDEMPOTENCY_TABLE)} AS k
      SET
        "hash" = ${param(hash)},
        "status" = CASE WHEN ${isErased} THEN ${integer(ERASED_STATUS)} ELSE ${param(status)}::bigint END,
        "content" = CASE WHEN ${isErased} THEN '' ELSE a."content" END,
        "headers" = CASE WHEN ${isErased} THEN NULL ELSE a."headers" END
      FROM (SELECT ${param(content)}::text AS "content", ${param(headers)}::text AS "headers") AS a
      WHERE k."id" = ${param(id)}
    `,
    true,
  );
}

/** Stores the answer of a request whose transaction was rolled back, unless another one has used the key since. */
export function keepRefusalStatement(
  schema: string,
  keyed: KeyedRequest,
  { status, content }: KeptAnswer,
  lifetime: number,
): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, IDEMPOTENCY_TABLE)} AS k ("id", "request", "hash", "expires_at", "status", "content")
      SELECT ${rowValues(keyed, lifetime)}, ${param(status)}::bigint, ${param(content)}::text
      ON CONFLICT ("id") DO UPDATE SET
        "request" = excluded."request",
        "hash" = excluded."hash",
        "expires_at" = excluded."expires_at",
        "status" = excluded."status",
        "content" = excluded."content",
        "headers" = NULL
      WHERE ${isOver(lifetime)}
    `,
    true,
  );
}

/**
 * Removes answers that may show values of a unit. A row without an answer is that of the key of this transaction: it keeps
 * the ids of such units, for when it gets its answer.
 */
export function eraseAnswersStatement(schema: string, id: string): Statement {
  const name = param(JSON.stringify(id));
  const isKept = sql`k."content" IS NOT NULL`;
  const of = (kept: Fragment, otherwise: Fragment): Fragment =>
    sql`CASE WHEN ${isKept} THEN ${kept} ELSE ${otherwise} END`;
  return render(sql`
    UPDATE ${ident(schema, IDEMPOTENCY_TABLE)} AS k
    SET
      "status" = ${of(integer(ERASED_STATUS), sql`k."status"`)},
      "content" = ${of(sql`''`, sql`NULL`)},
      "headers" = ${of(sql`NULL`, sql`coalesce(k."headers" || ${literal('\n')}, '') || ${name}::text`)},
      "request" = ${of(sql`''`, sql`k."request"`)}
    WHERE ${of(mayShow('k', sql`strpos(k."content", ${name}) > 0`), sql`true`)}
  `);
}

/**
 * Whether the answer in a row may show values of a unit: if it names it, as JSON writes its id, or may show values without
 * an id, as all do but whole units and links; texts of refusals may quote some.
 */
function mayShow(row: string, isNamed: Fragment): Fragment {
  const showsIds = sql`(${ident(row, 'headers')}::jsonb -> 'shows') <@ ${SHOWN_WITH_IDS}::jsonb`;
  return sql`(${ident(row, 'content')} NOT IN ('', 'null') AND (${isNamed} OR NOT coalesce(${showsIds}, false)))`;
}

/** Whether the stored row `k` has expired when it is to be replaced by a new one. */
function isOver(lifetime: number): Fragment {
  return sql`k."expires_at" <= ${secondsBefore(sql`excluded."expires_at"`, lifetime)}`;
}

function isKept(id: string): Fragment {
  return sql`k."id" = ${param(id)} AND k."expires_at" > now()`;
}

function rowValues({ id, request, hash }: KeyedRequest, lifetime: number): Fragment {
  return sql`${param(id)}::text, ${param(request)}::text, ${param(hash)}::text, now() + ${seconds(lifetime)}`;
}
