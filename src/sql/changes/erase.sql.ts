/**
 * Removes the values of units for good from where they are kept beside the units. What happened when, by whom and to which
 * parameters stays. A table that gets such values is named here.
 */
import type { KindDef } from '../../model/model.js';
import { CHANGE_TABLE, IDEMPOTENCY_TABLE, OUTBOX_TABLE, TASK_TABLE } from '../../model/table/internal-tables.js';
import { ident, integer, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** The status of a kept answer whose content was erased. */
export const ERASED_STATUS = 0;

/** What kept answers show (`Shown`) that have the id of each unit of which they have values. */
const SHOWN_WITH_IDS = literal(JSON.stringify(['units', 'links']));

/** A unit whose values are removed. */
interface ErasedUnit {
  readonly schema: string;
  readonly kind: KindDef;
  readonly id: string;
}

/**
 * To be run one after the other, in this order: what gets its number meanwhile is found in its new table by the later one.
 */
export function eraseStatements(unit: ErasedUnit): readonly Statement[] {
  return [eraseChanges(unit, OUTBOX_TABLE), eraseChanges(unit, CHANGE_TABLE), eraseTasks(unit), eraseKeptAnswers(unit)];
}

/** Of the values, the names of those that differed stay, each with null. Citus refuses `jsonb_object_agg` in an UPDATE. */
function eraseChanges({ schema, kind, id }: ErasedUnit, table: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, table)} AS c
    SET
      "origin" = c."origin" || '{"erased": true}',
      "before" = NULL,
      "after" = (
        SELECT ('{' || coalesce(string_agg('"' || k || '": null', ','), '') || '}')::jsonb
        FROM jsonb_object_keys(coalesce(c."before", '{}') || coalesce(c."after", '{}')) AS k
        WHERE coalesce(c."before" -> k, 'null') <> coalesce(c."after" -> k, 'null')
      )
    WHERE c."kind" = ${literal(kind.id)}
      AND c."unit" = ${param(id)}::text
      AND c."operation" NOT IN ('link', 'unlink')
      AND NOT jsonb_exists(c."origin", 'erased')
  `);
}

/**
 * What was sent of its changes, and the texts of failures. The number of erasures tells one who has read values before that
 * they are not to be kept. It is written as text because Citus refuses `jsonb_build_object` of columns in an UPDATE.
 */
function eraseTasks({ schema, kind, id }: ErasedUnit): Statement {
  return render(sql`
    UPDATE ${ident(schema, TASK_TABLE)} AS k
    SET
      "body" = NULL,
      "report" = (coalesce(k."report", '{}') - 'text')
        || ('{"erased": ' || (${erasuresOf(sql`k."report"`)} + 1)::text || '}')::jsonb
    WHERE k."kind" = ${literal(kind.id)} AND k."unit" = ${param(id)}::text
  `);
}

/** How often the values of a task were erased, as its report has it. */
export function erasuresOf(report: Fragment): Fragment {
  return sql`coalesce((${report} ->> 'erased')::int, 0)`;
}

/** A row without an answer is that of the key of this transaction: it keeps the ids, for when it gets its answer. */
function eraseKeptAnswers({ schema, id }: ErasedUnit): Statement {
  const name = param(JSON.stringify(id));
  const isKept = sql`k."content" IS NOT NULL`;
  const of = (kept: Fragment, otherwise: Fragment): Fragment =>
    sql`CASE WHEN ${isKept} THEN ${kept} ELSE ${otherwise} END`;
  return render(sql`
    UPDATE ${ident(schema, IDEMPOTENCY_TABLE)} AS k
    SET
      "status" = ${of(integer(ERASED_STATUS), sql`k."status"`)},
      "content" = ${of(sql`''`, sql`NULL`)},
      "headers" = ${of(sql`NULL`, sql`coalesce(k."headers" || chr(10), '') || ${name}::text`)},
      "request" = ${of(sql`''`, sql`k."request"`)}
    WHERE ${of(mayShow('k', sql`strpos(k."content", ${name}) > 0`), sql`true`)}
  `);
}

/**
 * Whether the answer in a row may show values of a unit: if it names it, as JSON writes its id, or may show values without
 * an id, as all do but whole units and links; texts of refusals may quote some.
 */
export function mayShow(row: string, isNamed: Fragment): Fragment {
  const showsIds = sql`(${ident(row, 'headers')}::jsonb -> 'shows') <@ ${SHOWN_WITH_IDS}::jsonb`;
  return sql`(${ident(row, 'content')} NOT IN ('', 'null') AND (${isNamed} OR NOT coalesce(${showsIds}, false)))`;
}
