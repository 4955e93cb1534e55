/** Counts the units that a change would lose or invalidate; any at all refuse it. */
import type { Executor } from '../database/database.js';
import type { Guard } from '../model/diff.js';
import type { Constraint, OwnField } from '../model/parameter-type/parameter-type.js';
import { matchesPattern, plural } from '../model/parameter-type/text-rules.js';
import { Breather } from '../shared/breather.js';
import { Faults } from '../shared/errors.js';
import { guardStatement, patternValues } from '../sql/ddl.sql.js';

export interface GuardOptions {
  readonly cascade: boolean;
  readonly tellCounts: boolean;
}

/** @throws KindError 409 with one message per guard that found units */
export async function checkGuards(
  executor: Executor,
  schema: string,
  guards: readonly Guard[],
  { cascade, tellCounts }: GuardOptions,
): Promise<void> {
  const asked = guards.filter((guard) => !(cascade && guard.cascade));
  if (asked.length === 0) return;
  const counts = await countAll(executor, schema, asked);
  const faults = new Faults();
  asked.forEach((guard, at) => {
    const count = counts[at] ?? 0;
    if (count === 0) return;
    const place = guard.parameter === undefined ? {} : { parameter: guard.parameter };
    faults.add(guard.code, textOf(guard, tellCounts ? plural(count, 'unit') : 'Units'), place);
  });
  faults.throwIfAny();
}

async function countAll(executor: Executor, schema: string, guards: readonly Guard[]): Promise<number[]> {
  const rows = await executor.run<{ count: number }>(guardStatement(guards, schema));
  const counts = rows.map(({ count }) => count);
  for (const [at, guard] of guards.entries()) {
    const { condition } = guard;
    if (condition.type !== 'violates' || condition.constraint.type !== 'pattern') continue;
    counts[at] = await countMismatches(
      executor,
      schema,
      guard.table,
      condition.column,
      condition.array,
      condition.constraint.pattern,
    );
  }
  return counts;
}

/** Patterns are RE2's, which PostgreSQL does not speak: values are read in slices and matched here. */
async function countMismatches(
  executor: Executor,
  schema: string,
  table: string,
  column: string,
  array: boolean,
  pattern: string,
): Promise<number> {
  let count = 0;
  const breather = new Breather();
  for (let after: string | null = null; ;) {
    const rows: { id: string; values: string[] }[] = await executor.run(
      patternValues(schema, table, column, array, after),
    );
    for (const { values } of rows) {
      if (breather.due) await breather.pause();
      if (values.some((value) => !matchesPattern(pattern, value))) count += 1;
    }
    const last: string | undefined = rows.at(-1)?.id;
    if (last === undefined) return count;
    after = last;
  }
}

const LIFT = '; ?cascade=true does it all the same';

function textOf(guard: Guard, units: string): string {
  const of = `of '${guard.kind}'`;
  switch (guard.code) {
    case 'kind.has_units':
      return `${units} ${of} would be lost${LIFT}`;
    case 'parameter.has_values':
      return `${units} ${of} would lose the value of '${guard.parameter ?? ''}'${LIFT}`;
    case 'parameter.locked_by_units':
      return `'${guard.parameter ?? ''}' can not change in this way while '${guard.kind}' has units: ${units}`;
    default:
      return `${units} ${of} would violate ${reasonOf(guard)}`;
  }
}

/** The field of a definition that a constraint comes from. */
const FIELDS = {
  min_length: 'min_length',
  max_length: 'max_length',
  max_bytes: 'max_length',
  min_value: 'min_value',
  max_value: 'max_value',
  scale: 'scale',
  values: 'values',
  pattern: 'pattern',
} as const satisfies Record<Constraint['type'], OwnField>;

function reasonOf({ condition, parameter }: Guard): string {
  const of = `of '${parameter ?? ''}'`;
  switch (condition.type) {
    case 'violates':
      return `the new ${FIELDS[condition.constraint.type]} ${of}`;
    case 'duplicates':
      return `the uniqueness of ${condition.columns.length > 1 ? `(${condition.columns.join(', ')})` : `'${condition.columns[0] ?? ''}'`}`;
    case 'duplicate_elements':
    case 'more_than_one':
      return `the uniqueness ${of}`;
    default:
      return `${of.slice(3)}, which may not be null`;
  }
}
