/** How old the built-in tables of a project are. */
import type { Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { builtInVersionStatement } from '../../sql/registry.sql.js';

/** The version of the built-in model that the tables of a schema were made by; undefined where they are not there. */
export async function builtInVersion(executor: Executor, schema: string): Promise<number | undefined> {
  try {
    const [row] = await executor.run<{ version: number }>(builtInVersionStatement(schema));
    return row?.version;
  } catch (error) {
    if (isStaleModel(error)) return undefined;
    throw error;
  }
}
