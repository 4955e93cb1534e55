/** Counts the units that a change of definitions would lose or invalidate; if there are any, the change is refused. */
import type { Executor } from '../../database/database.js';
import type { Guard } from '../../model/table/diff.js';
import type { SettingId } from '../../model/parameter-setting/parameter-settings.js';
import type { Constraint } from '../../model/parameter-type/parameter-type.js';
import { plural } from '../../shared/texts.js';
import { Faults, refusal, type KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { guardStatement, patternValuesStatement } from '../../sql/definition/ddl.sql.js';
import type { Project } from '../../tenancy/project.js';
import type { PatternMatcher, PatternTime } from '../pattern/pattern-matcher.js';

interface GuardOptions {
  readonly cascade: boolean;
  readonly tellCounts: boolean;
}

/** What the guards need to count units. */
export interface GuardContext {
  readonly executor: Executor;
  readonly project: Project;
  readonly patterns: PatternMatcher;
}

/** @throws KindError 409 with one message per guard that found units, 400 if counting would take too long */
export async function checkGuards(
  context: GuardContext,
  guards: readonly Guard[],
  { cascade, tellCounts }: GuardOptions,
): Promise<void> {
  const active = guards.filter((guard) => !(cascade && guard.cascade));
  if (active.length === 0) return;
  const counts = await countUnits(context, active);
  const faults = new Faults();
  active.forEach((guard, at) => {
    const count = counts[at] ?? 0;
    if (count === 0) return;
    const location = guard.parameter === undefined ? {} : { parameter: guard.parameter };
    faults.add(guard.code, guardText(guard, rowsText(guard, tellCounts ? count : undefined)), location);
  });
  faults.throwIfAny();
}

/** The numbers of units or links that the guards find, in their order. */
export async function countUnits(context: GuardContext, guards: readonly Guard[]): Promise<number[]> {
  const { executor, project } = context;
  const rows = await executor.run<{ count: number }>(guardStatement(guards, project.schema));
  const counts = rows.map(({ count }) => count);
  const time = { workerTime: 0, seconds: LIMITS.patternSecondsOfChange };
  for (const [at, guard] of guards.entries())
    counts[at] = (await countMismatches(context, guard, time)) ?? counts[at] ?? 0;
  return counts;
}

/**
 * PostgreSQL does not support RE2 patterns, so values are read in batches and matched here. Undefined for other guards.
 */
async function countMismatches(
  { executor, project, patterns }: GuardContext,
  { condition, table, linkType, kind, parameter }: Guard,
  time: PatternTime,
): Promise<number | undefined> {
  if (condition.type !== 'violates' || condition.constraint.type !== 'pattern') return undefined;
  const { pattern } = condition.constraint;
  const { column, array } = condition;
  let count = 0;
  for (let after: string | null = null; ;) {
    const rows: { id: string; values: string[] }[] = await executor.run(
      patternValuesStatement(
        project.schema,
        { table, ...(linkType !== undefined && { linkType }) },
        column,
        array,
        after,
      ),
    );
    const matches = rows.flatMap(({ id, values }) => values.map((text) => ({ id, pattern, text })));
    const outcomes = await patterns.match(project.id, matches, time);
    if (outcomes.includes('costly')) throw tooCostly(kind, parameter ?? column);
    count += new Set(matches.filter((_, at) => outcomes[at] !== 'match').map(({ id }) => id)).size;
    const last: string | undefined = rows.at(-1)?.id;
    if (last === undefined) return count;
    after = last;
  }
}

function tooCostly(kind: string, parameter: string): KindError {
  const text = `pattern: to match it against the stored values of '${parameter}' of '${kind}' takes more than ${LIMITS.patternSecondsOfChange} seconds; make it simpler, or define another parameter with it`;
  return refusal('parameter.bad_pattern', text, { parameter: 'pattern' });
}

/** @param count undefined if the text may not contain it */
function rowsText({ linkType }: Guard, count: number | undefined): string {
  if (count === undefined) return linkType === undefined ? 'Units' : 'Links';
  return plural(count, linkType === undefined ? 'unit' : 'link');
}

const CASCADE_HINT = '; ?cascade=true deletes them anyway';

function guardText(guard: Guard, units: string): string {
  const of = `of '${guard.kind}'`;
  switch (guard.code) {
    case 'kind.has_units':
      return `${units} ${of} would be lost${CASCADE_HINT}`;
    case 'parameter.has_values':
      return `${units} ${of} would lose the value of '${guard.parameter ?? ''}'${CASCADE_HINT}`;
    case 'parameter.locked_by_units':
      return `'${guard.parameter ?? ''}' cannot change in this way while '${guard.kind}' has ${guard.linkType === undefined ? 'units' : 'links'}: ${units}`;
    case 'parameter.violated':
      return `${units} ${of} would violate ${constraintText(guard)}`;
  }
}

/** The field of a definition that a constraint comes from. */
const CONSTRAINT_FIELDS = {
  min_length: 'min_length',
  max_length: 'max_length',
  max_bytes: 'max_length',
  min_value: 'min_value',
  max_value: 'max_value',
  scale: 'scale',
  values: 'values',
  pattern: 'pattern',
} as const satisfies Record<Constraint['type'], SettingId>;

function constraintText({ condition, parameter }: Guard): string {
  const of = `of '${parameter ?? ''}'`;
  switch (condition.type) {
    case 'violates':
      return `the new ${CONSTRAINT_FIELDS[condition.constraint.type]} ${of}`;
    case 'duplicates':
      return `the uniqueness of ${condition.columns.length > 1 ? `(${condition.columns.join(', ')})` : `'${condition.columns[0] ?? ''}'`}`;
    case 'duplicate_elements':
    case 'more_than_one':
      return `the uniqueness ${of}`;
    case 'fails':
      return `the check '${condition.check.id}'`;
    case 'any':
    case 'has_value':
    case 'is_null':
      return `${of.slice(3)}, which may not be null`;
  }
}
