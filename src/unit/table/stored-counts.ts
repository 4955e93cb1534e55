/**
 * Keeps the stored numbers of units short: every write of a kind appends a row to a table of the project, and after so
 * many of them this process adds them up to one, in the background.
 */
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import type { KindDef } from '../../model/model.js';
import { lruCache } from '../../shared/lru-cache.js';
import { storeCountStatement, takeCountsStatement, vacuumCountsStatement } from '../../sql/count.sql.js';

/** Writes of one kind after which its rows are added up: a list reads so many more rows. */
const FOLD_AFTER = 100;
/** Deleted rows of one project after which their space is freed. */
const VACUUM_AFTER = 2000;
/** Kinds and projects whose writes are remembered. A forgotten one is added up at its next write. */
const MAX_REMEMBERED = 5000;

/** Writes of a kind since its rows were added up. */
interface Writes {
  count: number;
}

@Injectable()
export class StoredCounts implements OnModuleDestroy {
  readonly #log = new Logger('counts');
  /** By schema and table. */
  readonly #writes = lruCache<Writes>(MAX_REMEMBERED);
  /** Rows that were deleted since the last VACUUM, by schema. */
  readonly #deleted = lruCache<number>(MAX_REMEMBERED);
  readonly #waiting = new Map<string, { readonly schema: string; readonly table: string }>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(private readonly database: Database) {}

  /** Call it after each statement that appended a row. */
  noteWrite(schema: string, { table, storage }: KindDef): void {
    if (!storage.counted) return;
    const key = `${schema}.${table}`;
    let writes = this.#writes.get(key);
    if (!writes) this.#writes.set(key, (writes = { count: FOLD_AFTER }));
    writes.count += 1;
    if (writes.count < FOLD_AFTER) return;
    writes.count = 0;
    if (this.#stopped) return;
    this.#waiting.set(key, { schema, table });
    this.#running ??= this.#foldAll().finally(() => (this.#running = undefined));
  }

  /** Resolves when all that waits is added up. */
  async finish(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await this.#running;
  }

  async #foldAll(): Promise<void> {
    for (const [key, { schema, table }] of this.#waiting) {
      this.#waiting.delete(key);
      try {
        await this.#fold(schema, table);
      } catch (error) {
        // The schema of a deleted project is gone; after other failures, a later write tries again.
        if (!isStaleModel(error))
          this.#log.warn(`${key}: the stored number of units was not added up: ${String(error)}`);
      }
    }
  }

  async #fold(schema: string, table: string): Promise<void> {
    const folded = await this.database.transaction(
      async (tx) => {
        const [row] = await tx.run<{ taken: number; sum: string }>(takeCountsStatement(schema, table));
        if (row && row.taken > 0) await tx.run(storeCountStatement(schema, table, row.sum));
        return row?.taken ?? 0;
      },
      { isolation: 'read committed' },
    );
    const deleted = (this.#deleted.get(schema) ?? 0) + folded;
    this.#deleted.set(schema, deleted < VACUUM_AFTER ? deleted : 0);
    if (deleted >= VACUUM_AFTER) await this.database.run(vacuumCountsStatement(schema));
  }
}
