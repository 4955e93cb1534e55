/**
 * What a plan finds out about stored units. It counts them without locks, does what changes of tables do with them, as long
 * as that takes a second, and leaves tables with many units as they are.
 */
import type { Transaction } from '../../database/database.js';
import { isCancelled } from '../../database/statement/sqlstate.js';
import type { Guard, SchemaStep } from '../../model/table/diff.js';
import { LIMITS } from '../../shared/limits.js';
import { guardedIdsStatement } from '../../sql/definition/ddl.sql.js';
import { estimatedRowsStatement, hasMoreRowsStatement } from '../../sql/definition/index.sql.js';
import { statementTimeoutStatement } from '../../sql/server/transaction.sql.js';
import { countUnits, type GuardContext } from './change-guards.js';
import type { FilledNulls } from './filled-nulls.js';

/** Milliseconds for the changes of tables in a plan: others wait for their locks. */
const TABLES_TIMEOUT = 1000;
const SAVEPOINT = 1;

export interface FoundUnits {
  readonly guard: Guard;
  readonly number: number;
  /** Of some of them. Links have none. */
  readonly ids: readonly string[];
}

interface Judged {
  readonly guards: readonly Guard[];
  readonly filled: readonly FilledNulls[];
  readonly tables: readonly string[];
}

export class JudgedUnits {
  /** Those that the change contradicts. */
  readonly refused: FoundUnits[] = [];
  /** Those that get a value in place of null. */
  readonly filled: FoundUnits[] = [];
  /** What was not looked for, because its table has too many units. */
  readonly unread: Guard[] = [];
  /** Tables that were not read, or not changed. */
  readonly estimated = new Set<string>();

  /** @param keepsTables whether units are written to the changed tables */
  constructor(readonly keepsTables: boolean) {}

  /** Whether the tables are as they would be after the change. */
  hasTables = false;

  isRead({ table }: Guard): boolean {
    return !this.estimated.has(table);
  }

  /** About how many rows a table has that is not read. */
  async rowsOf({ executor, project }: GuardContext, { table }: Guard): Promise<number> {
    const [row] = await executor.run<{ rows: number }>(estimatedRowsStatement(project.schema, table));
    return Math.max(row?.rows ?? 0, LIMITS.rewrittenUnits);
  }

  /** @param guards without those that `cascade` lets pass */
  async judge(context: GuardContext, { guards, filled, tables }: Judged): Promise<void> {
    const { executor, project } = context;
    // A change may be run again.
    this.refused.length = 0;
    this.filled.length = 0;
    this.unread.length = 0;
    this.estimated.clear();
    this.hasTables = false;
    for (const table of new Set([...guards.map((guard) => guard.table), ...tables])) {
      const many = hasMoreRowsStatement(project.schema, [table], LIMITS.rewrittenUnits);
      const [row] = await executor.run<{ more: boolean }>(many);
      if (row?.more) this.estimated.add(table);
    }
    this.unread.push(...guards.filter((guard) => !this.isRead(guard)));
    this.refused.push(...(await this.#find(context, guards)));
    this.filled.push(
      ...(await this.#find(
        context,
        filled.map(({ guard }) => guard),
      )),
    );
  }

  async #find(context: GuardContext, guards: readonly Guard[]): Promise<FoundUnits[]> {
    const read = guards.filter((guard) => this.isRead(guard));
    if (read.length === 0) return [];
    const { executor, project } = context;
    const counts = await countUnits(context, read);
    const found: FoundUnits[] = [];
    for (const [at, guard] of read.entries()) {
      const number = counts[at] ?? 0;
      if (number === 0) continue;
      const statement = guardedIdsStatement(guard, project.schema);
      const rows = statement ? await executor.run<{ id: string }>(statement) : [];
      found.push({ guard, number, ids: rows.map(({ id }) => id) });
    }
    return found;
  }

  /** Changes the tables, and changes them back unless they are needed. */
  async change(
    tx: Transaction,
    steps: readonly SchemaStep[],
    run: (steps: readonly SchemaStep[]) => Promise<void>,
  ): Promise<void> {
    if (this.refused.length + this.estimated.size > 0) return;
    await tx.setSavepoint(SAVEPOINT);
    try {
      await tx.run(statementTimeoutStatement(TABLES_TIMEOUT));
      await run(this.keepsTables ? steps : ofKnownTables(steps));
    } catch (error) {
      if (!isCancelled(error)) throw error;
      await tx.backToSavepoint(SAVEPOINT);
      for (const step of steps) if ('table' in step && typeof step.table === 'string') this.estimated.add(step.table);
      return;
    }
    if (this.keepsTables) this.hasTables = true;
    else await tx.backToSavepoint(SAVEPOINT);
  }
}

/** Without those of new tables, in which nothing can be wrong. */
function ofKnownTables(steps: readonly SchemaStep[]): SchemaStep[] {
  const made = new Set(steps.flatMap((step) => (step.type === 'create_table' ? [step.table.name] : [])));
  return steps.filter((step) => {
    if (step.type === 'create_table') return false;
    if (step.type === 'add_foreign_key' && made.has(step.key.target)) return false;
    return !('table' in step) || !made.has(step.table);
  });
}
