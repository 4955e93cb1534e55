/**
 * Removes the values of units for good from where they are kept beside the units. What happened when, by whom and to which
 * parameters stays. A table that gets such values is named here.
 */
import type { KindDef } from '../../model/model.js';
import { CHANGE_TABLE, OUTBOX_TABLE, TASK_TABLE } from '../../model/table/internal-tables.js';
import { ident, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { eraseAnswersStatement } from '../write/idempotency.sql.js';

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
  return [
    eraseChanges(unit, OUTBOX_TABLE),
    eraseChanges(unit, CHANGE_TABLE),
    eraseTasks(unit),
    eraseAnswersStatement(unit.schema, unit.id),
  ];
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
