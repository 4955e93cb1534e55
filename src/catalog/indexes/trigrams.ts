/** The extension pg_trgm, which indexes for parts of texts need. A database may lack it. */
import type { Executor } from '../../database/database.js';
import { FIND_TRIGRAMS } from '../../sql/definition/index.sql.js';

/** The schema of the extension; undefined if the database does not have it. */
export async function trigramSchema(executor: Executor): Promise<string | undefined> {
  const [row] = await executor.run<{ schema: string }>(FIND_TRIGRAMS);
  return row?.schema;
}
