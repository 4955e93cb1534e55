/**
 * Decides which indexes of a change are built after its transaction, because building them would block writers for
 * long.
 */
import type { Executor } from '../../database/database.js';
import type { SchemaStep } from '../../model/table/diff.js';
import type { TableShape } from '../../model/table/required-tables.js';
import { LIMITS } from '../../shared/limits.js';
import { isLargeStatement, oversizedStatement } from '../../sql/index.sql.js';

type CreateIndexStep = Extract<SchemaStep, { type: 'create_index' }>;

export class DeferredIndexes {
  readonly #newTables = new Set<string>();
  #deferred = false;

  constructor(
    private readonly executor: Executor,
    private readonly schema: string,
    /** The tables after the change. */
    private readonly tables: ReadonlyMap<string, TableShape>,
  ) {}

  /** Whether any index was deferred. */
  get any(): boolean {
    return this.#deferred;
  }

  /** Whether a step may be deferred. Call it for each step, in order: an index of a new table never is. */
  mayDefer(step: SchemaStep): step is CreateIndexStep {
    if (step.type === 'create_table') this.#newTables.add(step.table.name);
    return step.type === 'create_index' && !step.index.unique && !this.#newTables.has(step.table);
  }

  /**
   * Whether an index is deferred; reads its table, so the steps before it must have run. Steps that can fail because of
   * stored values must run in the transaction, so that the change is refused: unique indexes, and indexes for which a
   * value may be too long.
   */
  async isDeferred(step: CreateIndexStep): Promise<boolean> {
    const { schema, tables } = this;
    const large = isLargeStatement(schema, step.table, step.index.name, LIMITS.indexedInTransaction);
    if (!(await this.#isTrue(large))) return false;
    const table = tables.get(step.table);
    const oversized = table && oversizedStatement(schema, table, step.index);
    if (oversized && (await this.#isTrue(oversized))) return false;
    this.#deferred = true;
    return true;
  }

  async #isTrue(statement: Parameters<Executor['run']>[0]): Promise<boolean> {
    const [row] = await this.executor.run<Record<string, boolean>>(statement);
    return Object.values(row ?? {}).includes(true);
  }
}
