import type { Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { builtInVersionStatement } from '../../sql/model-version.sql.js';

/** The version of the built-in model in the tables of a schema; undefined if the tables do not exist. */
export async function builtInVersion(executor: Executor, schema: string): Promise<number | undefined> {
  try {
    const [row] = await executor.run<{ version: number }>(builtInVersionStatement(schema));
    return row?.version;
  } catch (error) {
    if (isStaleModel(error)) return undefined;
    throw error;
  }
}
