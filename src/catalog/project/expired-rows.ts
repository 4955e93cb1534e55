/** Deletes expired rows of the tables of projects from time to time. */
import { Injectable } from '@nestjs/common';
import type { Executor } from '../../database/database.js';
import { lruCache } from '../../shared/maps.js';
import { deleteExpiredRowsStatement, type ExpiringTable } from '../../sql/server/expired-rows.sql.js';

/** Writes to a table between two deletions. */
const INTERVAL = 50;
/** Tables that are remembered. The next write to a forgotten one deletes. */
const MAX_REMEMBERED = 10_000;

@Injectable()
export class ExpiredRows {
  /** How often this process has written to a table since its last deletion. */
  readonly #writes = lruCache<number>(MAX_REMEMBERED);

  /**
   * Call it with each write that adds rows. Each deletion removes more than were added since the last one. True if there
   * was one.
   */
  async sweep(executor: Executor, schema: string, table: ExpiringTable): Promise<boolean> {
    const key = `${schema}.${table}`;
    const writes = this.#writes.get(key) ?? 0;
    this.#writes.set(key, (writes + 1) % INTERVAL);
    if (writes > 0) return false;
    await executor.run(deleteExpiredRowsStatement(schema, table));
    return true;
  }
}
