/** Executes the steps of a change of tables as DDL. */
import type { Executor } from '../../database/database.js';
import { isTooLongForIndex } from '../../database/statement/sqlstate.js';
import type { SchemaStep } from '../../model/table/diff.js';
import { refusal } from '../../shared/errors.js';
import { dropDefaultsStatement, stepStatement } from '../../sql/ddl.sql.js';

/**
 * Runs the steps in order, except deferred ones. The default of a new column, which fills existing rows, is dropped
 * afterwards.
 */
export async function runSteps(
  executor: Executor,
  schema: string,
  steps: readonly SchemaStep[],
  isDeferred: (step: SchemaStep) => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  for (const step of steps) {
    if (await isDeferred(step)) continue;
    try {
      await executor.run(stepStatement(step, schema));
    } catch (error) {
      if (isTooLongForIndex(error)) {
        throw refusal('parameter.violated', 'Stored values are too long for an index (at most some 2,600 bytes)');
      }
      throw error;
    }
    if (step.type !== 'alter_table') continue;
    const columnsWithDefault = step.changes.flatMap((each) =>
      each.type === 'add' && each.default !== null ? [each.column.name] : [],
    );
    if (columnsWithDefault.length > 0)
      await executor.run(dropDefaultsStatement(step.table, columnsWithDefault, schema));
  }
}
