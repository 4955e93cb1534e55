/**
 * The stored numbers of units. Every write of a kind appends a row to a table of the project, and after so many of them
 * this process adds them up to one, in the background. From time to time it compares them with the rows of the tables,
 * and repairs them: they differ only if another program wrote to a table.
 */
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { causeText, isDatabaseAway, isStaleModel } from '../../database/statement/sqlstate.js';
import type { KindDef } from '../../model/model.js';
import { lruCache } from '../../shared/maps.js';
import { PeriodicWork, ROUND_INTERVAL } from '../../shared/periodic-work.js';
import {
  lockCountStatement,
  repairCountStatement,
  storeCountStatement,
  takeCountsStatement,
  vacuumCountsStatement,
} from '../../sql/count.sql.js';

/** Writes of one kind after which its rows are added up: a list reads so many more rows. */
const FOLD_AFTER = 100;
/** Deleted rows of one project after which their space is freed. */
const VACUUM_AFTER = 2000;
/** Kinds and projects that are remembered. A forgotten one is added up at its next write, and checked after its next use. */
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
        const [lock] = await tx.run<{ locked: boolean }>(lockCountStatement(schema, table));
        // Another process adds them up, or the table gets another name.
        if (!lock?.locked) return 0;
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

/** Milliseconds at least between two checks of a kind. */
const KIND_INTERVAL = 600_000;
/** A kind is checked so rarely that checks take at most this part of the time. */
const TIME_SHARE = 1 / 1000;
/** Milliseconds of a round, besides its last check. The others are first in the next round. */
const TIME_PER_ROUND = 3000;
/** A check that takes longer, in milliseconds, is ended. */
const STATEMENT_TIMEOUT = 60_000;

interface Check {
  readonly schema: string;
  readonly kind: KindDef;
  /** When the kind is to be checked. */
  readonly due: number;
}

@Injectable()
export class CountChecker implements OnModuleDestroy {
  readonly #log = new Logger('counts');
  readonly #checks = lruCache<Check>(MAX_REMEMBERED);
  readonly #rounds = new PeriodicWork((all) => this.#checkDue(all));

  constructor(private readonly database: Database) {}

  /** Call it when a stored number is used, so that it is checked. */
  noteUse(schema: string, kind: KindDef): void {
    const key = `${schema}.${kind.table}`;
    const known = this.#checks.get(key);
    if (known?.kind === kind) return;
    this.#checks.set(key, { schema, kind, due: known?.due ?? performance.now() + ROUND_INTERVAL });
    this.#rounds.start();
  }

  /** Checks the kinds that are due, or all that were used, one after the other. */
  check(options?: { readonly all: boolean }): Promise<void> {
    return this.#rounds.run(options);
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Those that are due, the longest due first, until the end of the round. */
  async #checkDue(all: boolean): Promise<void> {
    const now = performance.now();
    const [time, end] = all ? [Infinity, Infinity] : [now, now + TIME_PER_ROUND];
    const due = [...this.#checks.entries()].filter(([, check]) => check.due <= time);
    for (const [key, { schema, kind }] of due.sort(([, a], [, b]) => a.due - b.due)) {
      if (this.#rounds.signal.aborted || performance.now() > end) return;
      const start = performance.now();
      try {
        await this.#repair(schema, kind);
      } catch (error) {
        if (isStaleModel(error)) {
          // The kind or its project was deleted.
          this.#checks.delete(key);
          continue;
        }
        // All are due in the next round.
        if (isDatabaseAway(error)) return;
        this.#log.warn(`${key}: the stored number of units was not checked: ${causeText(error)}`);
      }
      const pause = Math.max(KIND_INTERVAL, (performance.now() - start) / TIME_SHARE);
      this.#checks.set(key, { schema, kind: this.#checks.peek(key)?.kind ?? kind, due: performance.now() + pause });
    }
  }

  async #repair(schema: string, kind: KindDef): Promise<void> {
    // The snapshot of the second statement must be taken with the lock held.
    const [repaired] = await this.database.transaction(
      async (tx) => {
        tx.abortOn(this.#rounds.signal);
        const [lock] = await tx.run<{ locked: boolean }>(lockCountStatement(schema, kind.table));
        return lock?.locked ? tx.run<{ missing: string }>(repairCountStatement(schema, kind)) : [];
      },
      { isolation: 'read committed', statementTimeout: STATEMENT_TIMEOUT },
    );
    if (!repaired) return;
    const difference = Number(repaired.missing);
    this.#log.warn(
      `${schema}.${kind.table}: the stored number of units was ${Math.abs(difference)} too ${difference > 0 ? 'low' : 'high'} and is repaired; another program wrote to the table`,
    );
  }
}
