/** Which indexes of a change are too large to be made in its transaction, which keeps writers out until it ends. */
import type { Executor } from '../../database/database.js';
import type { Step } from '../../model/table/diff.js';
import type { TableShape } from '../../model/table/table-shape.js';
import { LIMITS } from '../../shared/limits.js';
import { isLargeStatement, oversizedStatement } from '../../sql/index.sql.js';

export class LargeIndexes {
  readonly #fresh = new Set<string>();
  #any = false;

  constructor(
    private readonly executor: Executor,
    private readonly schema: string,
    /** The tables as they will be. */
    private readonly tables: ReadonlyMap<string, TableShape>,
  ) {}

  /** Whether some were left for later. */
  get any(): boolean {
    return this.#any;
  }

  /**
   * Whether a step is left for later. What holds a promise of the change is not: a unique index, and one that may turn
   * out too small for a stored value, which refuses the change.
   */
  readonly leaves = async (step: Step): Promise<boolean> => {
    if (step.type === 'create_table') this.#fresh.add(step.table.name);
    if (step.type !== 'create_index' || step.index.unique || this.#fresh.has(step.table)) return false;
    const { schema, tables } = this;
    const large = isLargeStatement(schema, step.table, step.index.name, LIMITS.indexedInTransaction);
    if (!(await this.#holds(large))) return false;
    const table = tables.get(step.table);
    const oversized = table && oversizedStatement(schema, table, step.index);
    if (oversized && (await this.#holds(oversized))) return false;
    this.#any = true;
    return true;
  };

  async #holds(statement: Parameters<Executor['run']>[0]): Promise<boolean> {
    const [row] = await this.executor.run<Record<string, boolean>>(statement);
    return Object.values(row ?? {}).includes(true);
  }
}
