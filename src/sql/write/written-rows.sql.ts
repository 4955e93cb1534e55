/** What the statements that write units have in common: their plans, conditions of the written rows, and the answer. */
import type { ResolvedCheck } from '../../model/check/kind-checks.js';
import type { FieldExpression } from '../../model/expression.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { bounded } from '../answer-size.sql.js';
import { columnRef, fieldType, rowOf, VERSION_TAG } from '../columns.sql.js';
import { all, ident, join, param, sql, type Fragment } from '../fragment.js';
import { expressionResult } from './expression.sql.js';
import { jsonObject } from '../list/hidden-fields.sql.js';
import { isModelVersion } from '../model-version.sql.js';
import type { TransitionField } from '../condition/next-values.sql.js';
import { predicateSql, writtenRowConditions } from '../condition/predicate.sql.js';
import { hasId } from '../table.sql.js';
import { identityOf } from '../statement-template.js';
import type { Recording } from './recording.sql.js';

export interface WritePlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** The version that the model must have. */
  readonly version: number;
  /** Fields that are written, in order. */
  readonly written: readonly Field[];
  /** Fields that are answered. */
  readonly fields: readonly Field[];
  /** The units that the caller may read; of others only `id` and `kind_id` are answered. Undefined for all. */
  readonly shown: Predicate | undefined;
  /** The condition that a unit must satisfy after the write, of an edit before it too; undefined for none. */
  readonly allowed: Predicate | undefined;
  /** Of an upsert: unique fields. A new unit with the values of another one is left out. */
  readonly by?: readonly Field[] | undefined;
  /** When a new unit, which is brought back, was created first; undefined for now. */
  readonly insertedAt?: string | undefined;
  /** Left out where changes are not recorded. */
  readonly recording?: Recording | undefined;
}

/** A written parameter with `write_once`. */
export interface WriteOnceField {
  readonly field: Field;
  /** Whether the stored value may be written again. */
  readonly repeatable: boolean;
}

/** A written parameter whose new value depends on the stored one: with `write_once`, or with transitions. */
export type GuardedField = WriteOnceField | TransitionField;

export function hasTransitions(guarded: GuardedField): guarded is TransitionField {
  return 'possible' in guarded;
}

export interface UpdatePlan extends WritePlan {
  /** The values that the statement makes of stored ones. Their fields are not in `written`. */
  readonly expressions?: readonly FieldExpression[];
  readonly guarded: readonly GuardedField[];
  readonly id: unknown;
  /** The units that the caller may change, by their values before the write; undefined for all. */
  readonly access: Predicate | undefined;
  /** The version tags of which the unit must have one (`If-Match`); undefined for any. */
  readonly tags: readonly string[] | undefined;
}

export type DeletePlan = Pick<UpdatePlan, 'schema' | 'kind' | 'version' | 'id' | 'access' | 'tags' | 'recording'>;

/** The ids of the written fields, and which ones are recorded, on which the text of the statement depends. */
export function writtenShape({ written, recording }: WritePlan): string {
  let shape = recording ? `${identityOf(recording.fields)} ` : '';
  for (const { id } of written) shape += `${id},`;
  return shape;
}

/** The time of the statement in the rows of the CTE `input` (`insert.sql.ts`). No column of a unit has this name. */
export const INPUT_TIME = ident('i', '_now');

export function targetConditions(
  { schema, kind, access, tags }: DeletePlan,
  id: Fragment,
  version: Fragment,
): Fragment {
  return all([
    hasId(kind, id),
    isModelVersion(schema, version),
    tags === undefined ? undefined : sql`${VERSION_TAG} = ANY(${param(tags)}::text[])`,
    ...writtenRowConditions(schema, kind, access),
  ]);
}

/** Whether a predicate holds for a row that has its written columns in the row `fresh`, and the others in `old`. */
export function holdsFor(
  plan: WritePlan & Pick<UpdatePlan, 'expressions'>,
  predicate: Predicate,
  fresh: string,
  old: string | undefined,
): Fragment {
  const fields = testedFields(predicate);
  const test = predicateSql(predicate, { schema: plan.schema, row: '_n', stored: old ?? null });
  if (fields.length === 0) return sql`((${test}) IS TRUE)`;
  return sql`EXISTS (SELECT FROM ${rowAfter(plan, fields, fresh, old)} WHERE ${test})`;
}

/** Whether the unit of the input row `i` fails a check after the write. @param old the row of the unit before an edit */
export function failsAfter(plan: WrittenRow, { condition, fields }: ResolvedCheck, old: string | undefined): Fragment {
  const holds = predicateSql(condition, { schema: plan.schema, row: '_n', threeValued: true });
  return sql`EXISTS (SELECT FROM ${rowAfter(plan, fields, 'i', old)} WHERE (${holds}) IS FALSE)`;
}

type WrittenRow = Pick<WritePlan, 'schema' | 'kind' | 'written'> & Pick<UpdatePlan, 'expressions'>;

/** The row `_n` with some fields of a unit after the write. */
function rowAfter(plan: WrittenRow, fields: readonly Field[], fresh: string, old: string | undefined): Fragment {
  const written = new Set(plan.written.map(({ column: name }) => name));
  return rowOf(fields, (field) => {
    if (written.has(field.column)) return columnRef(field, fresh);
    const expression = plan.expressions?.find((each) => each.field.column === field.column);
    if (expression) return expressionResult(expression);
    return old === undefined ? unwrittenValue(field, plan) : columnRef(field, old);
  });
}

/** The value of a new unit in a column that is not written. */
function unwrittenValue(field: Field, { kind }: Pick<WritePlan, 'kind'>): Fragment {
  if (field.columnType === 'timestamptz' && field.system) return INPUT_TIME;
  if (field.id === 'kind_id') return sql`${param(kind.id)}::text`;
  return sql`NULL::${fieldType(field)}`;
}

/** The columns `tag, body` of a written row `t`. */
export function answerColumns(plan: Pick<WritePlan, 'schema' | 'fields' | 'shown'>): Fragment {
  const unit = jsonObject(plan.schema, plan.fields);
  if (!plan.shown) return sql`${VERSION_TAG} AS tag, ${unit} AS body`;
  const always = plan.fields.filter(({ id }) => id === 'id' || id === 'kind_id');
  const shown = predicateSql(plan.shown, { schema: plan.schema, row: 't' });
  const body = sql`CASE WHEN ${shown} THEN ${unit} ELSE ${jsonObject(plan.schema, always)} END`;
  return sql`${VERSION_TAG} AS tag, ${body} AS body`;
}

/** What a statement is bound to beside its values: the version of the model, and the origin of what is recorded. */
export interface Stamp {
  readonly version: Fragment;
  readonly origin: Fragment;
}

interface WrittenAnswer {
  /** A CTE that the write reads. */
  readonly before?: Fragment;
  readonly answers?: typeof bounded;
  /** Stores the number of rows of `affected`. */
  readonly counted?: Fragment | undefined;
  /** Records the change of each row of `affected`. */
  readonly recorded?: Fragment | undefined;
}

/**
 * The written rows `t`, which a write returns as they are, because Citus computes nothing in RETURNING. They do not have
 * the version of the model, since nothing is written if it is not that of the plan: rows mean that it was. A version that
 * is read beside the write can be a later one, because Citus reads it after the write.
 * @param columns `tag, body` of the row `t`; OFFSET keeps PostgreSQL from computing them more than once
 */
export function writtenAnswer(
  affected: Fragment,
  columns: Fragment,
  { before, answers = bounded, counted, recorded }: WrittenAnswer = {},
): Fragment {
  const ctes = [...(before ? [before] : []), sql`affected AS (${affected})`];
  if (counted) ctes.push(sql`counted AS (${counted})`);
  if (recorded) ctes.push(sql`recorded AS (${recorded})`);
  return sql`
    WITH ${join(ctes)}
    SELECT a.tag, ${answers(sql`a.body`)} AS body
    FROM (SELECT ${columns} FROM affected AS t OFFSET 0) AS a
  `;
}
