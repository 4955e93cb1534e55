/**
 * Stores for each project which indexes its slow queries lack, for `index advise`. Requests only add to numbers in memory;
 * once a minute a few of the statements are executed again to see their plans, and the numbers of those that lack an
 * index are added to a table of the project. No value of a query is stored.
 */
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isDatabaseAway, isStaleModel, causeText } from '../../database/statement/sqlstate.js';
import { PeriodicWork } from '../../shared/periodic-work.js';
import {
  addQueriesStatement,
  pruneQueriesStatement,
  type AddedQuery,
} from '../../sql/definition/query-statistics.sql.js';
import { measuredPlan } from './explained-page.js';
import { findingsOf } from './plan-findings.js';
import { SlowQueries, type QueryCall, type SlowQuery } from './slow-queries.js';

/** Milliseconds of a round in which statements are executed again: one of each project. The last one may take longer. */
const EXAMINED_PER_ROUND = 3000;
/** Statements that take longer, in milliseconds, are not examined. */
const STATEMENT_TIMEOUT = 10_000;

@Injectable()
export class QueryStatistics implements OnModuleDestroy {
  readonly #log = new Logger('queries');
  readonly #queries = new SlowQueries();
  readonly #rounds = new PeriodicWork((all) => this.#round(all));

  constructor(private readonly database: Database) {}

  /** Call it after each query. */
  note(call: QueryCall): void {
    this.#queries.note(call, performance.now());
    this.#rounds.start();
  }

  /** Examines statements and stores the numbers, as happens once a minute. `all`: without limits of time. */
  store(options?: { readonly all: boolean }): Promise<void> {
    return this.#rounds.run(options);
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(all: boolean): Promise<void> {
    const end = all ? Infinity : performance.now() + EXAMINED_PER_ROUND;
    const turns = this.#queries.schemas;
    for (const schema of turns) {
      if (this.#rounds.signal.aborted || performance.now() > end) break;
      const due = this.#queries.takeDue(schema, performance.now());
      if (due) due.missing = await this.#examine(due.last);
      if (due && all) turns.push(schema);
    }
    for (const schema of this.#queries.schemas) {
      const queries = this.#queries.take(schema, performance.now());
      if (queries.length > 0 && !this.#rounds.signal.aborted) await this.#store(schema, queries);
    }
    if (this.#queries.size === 0) this.#rounds.pause();
  }

  async #examine({ statement, model }: QueryCall): Promise<SlowQuery['missing']> {
    try {
      const plan = await this.database.transaction(
        (tx) => {
          tx.abortOn(this.#rounds.signal);
          return measuredPlan(tx, statement);
        },
        { isolation: 'read committed', readOnly: true, statementTimeout: STATEMENT_TIMEOUT },
      );
      return findingsOf(plan, model).missing;
    } catch {
      // The model has changed, or it takes too long: a later call is examined.
      return [];
    }
  }

  async #store(schema: string, queries: readonly AddedQuery[]): Promise<void> {
    try {
      await this.database.run(addQueriesStatement(schema, queries));
      await this.database.run(pruneQueriesStatement(schema));
    } catch (error) {
      // The schema of a deleted project is gone.
      if (!isStaleModel(error) && !isDatabaseAway(error)) {
        this.#log.warn(`${schema}: the numbers of queries were not stored: ${causeText(error)}`);
      }
    }
  }
}
