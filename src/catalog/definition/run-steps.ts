/** Executes the steps of a change of tables as DDL. */
import type { Executor } from '../../database/database.js';
import { isTooLongForIndex, isTooManyColumns } from '../../database/statement/sqlstate.js';
import type { NumberedRows, SchemaStep } from '../../model/table/diff.js';
import { refusal } from '../../shared/errors.js';
import { trigramSchema, type DeferredIndexes } from '../indexes/deferred-indexes.js';
import {
  createSequenceStatement,
  dropDefaultsStatement,
  numberRowsStatement,
  setNotNullStatement,
  stepStatements,
} from '../../sql/definition/ddl.sql.js';
import { highestNumberStatement } from '../../sql/write/sequence.sql.js';
import { inOneBlock, inOneMessage, type Statement } from '../../sql/fragment.js';

/**
 * Runs the steps in order, except deferred ones. The default of a new column, which fills existing rows, is dropped
 * afterwards. Steps are sent together, as far as no decision depends on them: a round trip for each took longer than
 * most of the steps.
 */
export async function runSteps(
  executor: Executor,
  schema: string,
  steps: readonly SchemaStep[],
  deferredIndexes?: DeferredIndexes,
): Promise<void> {
  const trigrams = steps.some(needsTrigrams) ? await trigramSchema(executor) : undefined;
  let unsent: SchemaStep[] = [];
  const sendAll = async (): Promise<void> => {
    await send(executor, inFewStatements(unsent, schema, trigrams));
    unsent = [];
  };
  for (const step of steps) {
    // Without the extension, filters for parts of texts read the table.
    if (needsTrigrams(step) && trigrams === undefined) continue;
    if (deferredIndexes?.mayDefer(step)) {
      await sendAll();
      if (await deferredIndexes.isDeferred(step)) continue;
    }
    if (step.type === 'create_sequence' && step.numbers) {
      await sendAll();
      await numberRows(executor, schema, step.name, step.numbers);
    } else unsent.push(step);
  }
  await sendAll();
}

/** Numbers stored units, and makes the sequence that goes on after them. */
async function numberRows(executor: Executor, schema: string, name: string, rows: NumberedRows): Promise<void> {
  await executor.run(numberRowsStatement(schema, rows));
  await executor.run(setNotNullStatement(schema, rows));
  const [found] = await executor.run<{ highest: number | null }>(
    highestNumberStatement(schema, rows.table, rows.column),
  );
  await executor.run(createSequenceStatement(schema, name, found?.highest ?? 0));
}

/** New tables as statements of their own, because Citus makes none in a block a table of the tenant; the rest as blocks. */
function inFewStatements(steps: readonly SchemaStep[], schema: string, trigrams: string | undefined): Statement[] {
  const statements: Statement[] = [];
  const block: Statement[] = [];
  for (const step of steps) {
    const changes = statementsOf(step, schema, trigrams);
    if (step.type === 'create_table') {
      if (block.length > 0) statements.push(inOneBlock(block.splice(0)));
      statements.push(...changes.splice(0, 1));
    }
    block.push(...changes);
  }
  return block.length > 0 ? [...statements, inOneBlock(block)] : statements;
}

function statementsOf(step: SchemaStep, schema: string, trigrams: string | undefined): Statement[] {
  const statements = stepStatements(step, schema, trigrams);
  if (step.type !== 'alter_table') return statements;
  const columnsWithDefault = step.changes.flatMap((each) =>
    each.type === 'add' && each.default !== null ? [each.column.name] : [],
  );
  if (columnsWithDefault.length === 0) return statements;
  return [...statements, dropDefaultsStatement(step.table, columnsWithDefault, schema)];
}

async function send(executor: Executor, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return;
  try {
    await executor.run(inOneMessage(statements));
  } catch (error) {
    if (isTooLongForIndex(error)) {
      throw refusal('parameter.violated', 'Stored values are too long for an index (at most some 2,600 bytes)');
    }
    if (isTooManyColumns(error)) {
      const text =
        'The table has had 1,600 columns, which is the most in PostgreSQL; those of removed parameters count too';
      throw refusal('project.full', text);
    }
    throw error;
  }
}

/** Whether a step makes an index that needs the extension pg_trgm. */
export function needsTrigrams(step: SchemaStep): boolean {
  return step.type === 'create_index' && step.index.method === 'trigram';
}
