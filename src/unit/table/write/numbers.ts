/** Gives new units the next numbers of the sequences of their kind. A number that nobody gets in the end is a gap. */
import type { Session } from '../../../catalog/session/session.js';
import type { Executor } from '../../../database/database.js';
import { isSequenceUsedUp } from '../../../database/statement/sqlstate.js';
import { numberedFields } from '../../../model/field.js';
import type { Field, KindDef } from '../../../model/model.js';
import { sequenceName } from '../../../model/table/required-tables.js';
import { refusal } from '../../../shared/errors.js';
import {
  advanceStatement,
  highestNumberStatement,
  nextNumbersStatement,
  type SequenceName,
} from '../../../sql/write/sequence.sql.js';
import { withSystemValue } from '../../draft/draft.js';
import type { LocatedDraft } from '../../draft/references.js';

/** Numbers that are given already are kept, and the sequence goes on after them. */
export async function withNumbers(
  session: Session,
  kind: KindDef,
  units: readonly LocatedDraft[],
): Promise<readonly LocatedDraft[]> {
  let numbered = units;
  for (const field of numberedFields(kind)) numbered = await withNumbersOf(session, kind, field, numbered);
  return numbered;
}

async function withNumbersOf(
  { project, executor }: Session,
  { table }: KindDef,
  field: Field,
  units: readonly LocatedDraft[],
): Promise<readonly LocatedDraft[]> {
  const { id, column = id } = field;
  const name: SequenceName = { schema: project.schema, sequence: sequenceName(table, column) };
  const kept = units.map(({ draft }) => draft.row[column]).filter((number) => typeof number === 'number');
  if (kept.length > 0)
    await executor.run(
      advanceStatement(
        name,
        kept.reduce((most, each) => Math.max(most, each)),
      ),
    );
  if (kept.length === units.length) return units;
  const numbers = await nextNumbers(executor, name, units.length - kept.length, id);
  return units.map((unit) => {
    const isKept = typeof unit.draft.row[column] === 'number';
    return isKept ? unit : { ...unit, draft: withSystemValue(unit.draft, field, numbers.shift() ?? null) };
  });
}

/** Lets the sequences of a kind go on after the highest stored numbers. */
export async function continueNumbers(executor: Executor, schema: string, kind: KindDef): Promise<void> {
  for (const { id, column = id } of numberedFields(kind)) {
    const [found] = await executor.run<{ highest: number | null }>(highestNumberStatement(schema, kind.table, column));
    const { highest } = found ?? {};
    const name = { schema, sequence: sequenceName(kind.table, column) };
    if (typeof highest === 'number') await executor.run(advanceStatement(name, highest));
  }
}

async function nextNumbers(
  executor: Executor,
  name: SequenceName,
  count: number,
  parameter: string,
): Promise<number[]> {
  try {
    const [row] = await executor.run<{ numbers: number[] }>(nextNumbersStatement(name, count));
    return [...(row?.numbers ?? [])];
  } catch (error) {
    if (isSequenceUsedUp(error)) throw refusal('project.full', `The numbers of '${parameter}' are used up`);
    throw error;
  }
}
