/** Reads what the models of projects are, without their definitions. */
import type { Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { modelSummariesStatement, type ModelSummaryRow } from '../../sql/definition/model.sql.js';

/** Schemas of one message. PostgreSQL reads the catalogue for each of their tables. */
const SCHEMAS_PER_MESSAGE = 100;

/** What is known of the models of projects, by schema. Those whose tables do not exist are not in it. */
type ModelSummaries = ReadonlyMap<string, ModelSummaryRow>;

/** One message to PostgreSQL for each hundred. */
export async function readModelSummaries(executor: Executor, schemas: readonly string[]): Promise<ModelSummaries> {
  const found = new Map<string, ModelSummaryRow>();
  for (let at = 0; at < schemas.length; at += SCHEMAS_PER_MESSAGE) {
    for (const row of await summariesOf(executor, schemas.slice(at, at + SCHEMAS_PER_MESSAGE))) {
      found.set(row.schema, row);
    }
  }
  return found;
}

/** Undefined if the tables of the schema do not exist. */
export async function findModelSummary(executor: Executor, schema: string): Promise<ModelSummaryRow | undefined> {
  const [found] = await summariesOf(executor, [schema]);
  return found;
}

async function summariesOf(executor: Executor, schemas: readonly string[]): Promise<ModelSummaryRow[]> {
  try {
    return await executor.run<ModelSummaryRow>(modelSummariesStatement(schemas));
  } catch (error) {
    if (!isStaleModel(error)) throw error;
    if (schemas.length === 1) return [];
    // One without tables makes the whole message fail.
    const middle = schemas.length >> 1;
    return [
      ...(await summariesOf(executor, schemas.slice(0, middle))),
      ...(await summariesOf(executor, schemas.slice(middle))),
    ];
  }
}
