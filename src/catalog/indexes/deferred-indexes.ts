/**
 * Decides which indexes of a change are built after its transaction, because building them would block writers for
 * long.
 */
import type { Executor } from '../../database/database.js';
import type { SchemaStep } from '../../model/table/diff.js';
import type { TableShape } from '../../model/table/required-tables.js';
import { LIMITS } from '../../shared/limits.js';
import { isLargeStatement, oversizedStatement, FIND_TRIGRAMS } from '../../sql/definition/index.sql.js';

type CreateIndexStep = Extract<SchemaStep, { type: 'create_index' }>;

export class DeferredIndexes {
  readonly #newTables = new Set<string>();
  readonly #deferred = new Set<string>();

  constructor(
    private readonly executor: Executor,
    private readonly schema: string,
    /** The tables after the change. */
    private readonly tables: ReadonlyMap<string, TableShape>,
    /** If a stored value is too long for an index, the change is refused, or the index is left out by the builder. */
    private readonly tooLong: 'refuse' | 'leave_out' = 'refuse',
  ) {}

  /** Whether any index was deferred. */
  get any(): boolean {
    return this.#deferred.size > 0;
  }

  /** Whether the index of this name was deferred. */
  has(name: string): boolean {
    return this.#deferred.has(name);
  }

  /** Whether a step may be deferred. Call it for each step, in order: an index of a new table never is. */
  mayDefer(step: SchemaStep): step is CreateIndexStep {
    if (step.type === 'create_table') this.#newTables.add(step.table.name);
    return step.type === 'create_index' && !step.index.unique && !this.#newTables.has(step.table);
  }

  /**
   * Whether an index is deferred; reads its table, so the steps before it must have run. Steps that can fail because of
   * stored values must run in the transaction, so that the change is refused: unique indexes, and indexes for which a
   * value may be too long. An upgrade must not be refused because of a value, so it leaves those to the builder.
   */
  async isDeferred(step: CreateIndexStep): Promise<boolean> {
    const large = isLargeStatement(this.schema, step.table, step.index.name, LIMITS.indexedInTransaction);
    const isLarge = await this.#isTrue(large);
    const deferred =
      this.tooLong === 'refuse'
        ? isLarge && !(await this.#mayBeTooLong(step))
        : isLarge || (await this.#mayBeTooLong(step));
    if (deferred) this.#deferred.add(step.index.name);
    return deferred;
  }

  async #mayBeTooLong({ table: name, index }: CreateIndexStep): Promise<boolean> {
    const table = this.tables.get(name);
    const oversized = table && oversizedStatement(this.schema, table, index);
    return oversized !== undefined && (await this.#isTrue(oversized));
  }

  async #isTrue(statement: Parameters<Executor['run']>[0]): Promise<boolean> {
    const [row] = await this.executor.run<Record<string, boolean>>(statement);
    return Object.values(row ?? {}).includes(true);
  }
}

/** The schema of the extension pg_trgm, which indexes for parts of texts need; undefined if the database does not have it. */
export async function trigramSchema(executor: Executor): Promise<string | undefined> {
  const [row] = await executor.run<{ schema: string }>(FIND_TRIGRAMS);
  return row?.schema;
}
