/**
 * Stores for each project how often its queries ran, how long they took, and which indexes they lack, for
 * `index advise`. Requests only add to numbers in memory; once a minute these are added to a table of the project, and a
 * few of the statements are executed again to see their plans. No value of a query is stored.
 */
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isDatabaseAway, isStaleModel, causeText } from '../../database/statement/sqlstate.js';
import { PeriodicWork } from '../../shared/periodic-work.js';
import { queryPlanStatement } from '../../sql/server/query-plan.sql.js';
import { addQueriesStatement, pruneQueriesStatement } from '../../sql/definition/query-statistics.sql.js';
import { findingsOf } from './plan-findings.js';
import { QueryCollector, type QueryCall, type QuerySample } from './query-collector.js';
import { planOfTables, type QueryPlan } from './query-plan.js';

/** Milliseconds of a round in which statements are executed again. The last one may take longer. */
const EXAMINED_PER_ROUND = 3000;
/** Milliseconds of a round in which numbers are stored, each project for itself. The others are first in the next round. */
const STORED_PER_ROUND = 6000;
/** The statements of one project take at most this part of the time. */
const TIME_SHARE = 1 / 20;
/** Statements that take longer, in milliseconds, are not examined. */
const STATEMENT_TIMEOUT = 30_000;
/** The most queries that are stored of a project, and the seconds after which one that did not run again is deleted. */
const STORED = { most: 200, age: 30 * 24 * 3600 } as const;

@Injectable()
export class QueryStatistics implements OnModuleDestroy {
  readonly #log = new Logger('queries');
  readonly #collector = new QueryCollector();
  /** When statements of a project may be executed again, by schema. */
  readonly #pausedUntil = new Map<string, number>();
  /** Projects whose numbers the last round did not store, by schema. */
  #unstored: readonly string[] = [];
  readonly #rounds = new PeriodicWork((all) => this.#round(all));

  constructor(private readonly database: Database) {}

  /** Call it after each query. */
  note(call: QueryCall): void {
    this.#collector.note(call, performance.now());
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
    await this.#examine(all);
    await this.#storeAll(all ? Infinity : performance.now() + STORED_PER_ROUND);
    if (this.#collector.size > 0) return;
    this.#rounds.pause();
    this.#pausedUntil.clear();
  }

  async #storeAll(end: number): Promise<void> {
    const schemas = [...new Set([...this.#unstored, ...this.#collector.schemas])];
    let stored = 0;
    for (const schema of schemas) {
      if (this.#rounds.signal.aborted || performance.now() > end) break;
      await this.#storeOf(schema);
      stored += 1;
    }
    this.#unstored = schemas.slice(stored);
  }

  /** One statement of each project in turn, until the time of the round is over. */
  async #examine(all: boolean): Promise<void> {
    const end = all ? Infinity : performance.now() + EXAMINED_PER_ROUND;
    const waiting = this.#collector.schemas.sort((a, b) => this.#pause(a) - this.#pause(b));
    for (const schema of waiting) {
      if (this.#rounds.signal.aborted || performance.now() > end) return;
      if (!all && this.#pause(schema) > performance.now()) continue;
      const next = this.#collector.takeSample(schema, performance.now());
      if (!next) continue;
      // Its turn comes again after those of the other projects.
      waiting.push(schema);
      const start = performance.now();
      await this.#examineOne(schema, next.shape, next.sample);
      this.#pausedUntil.set(schema, performance.now() + (performance.now() - start) / TIME_SHARE);
    }
  }

  #pause(schema: string): number {
    return this.#pausedUntil.get(schema) ?? 0;
  }

  async #examineOne(schema: string, shape: string, { statement, model }: QuerySample): Promise<void> {
    try {
      const [row] = await this.database.transaction(
        (tx) => {
          tx.abortOn(this.#rounds.signal);
          return tx.run<{ 'QUERY PLAN': [QueryPlan] }>(queryPlanStatement(statement));
        },
        { isolation: 'read committed', readOnly: true, statementTimeout: STATEMENT_TIMEOUT },
      );
      if (row)
        this.#collector.noteMissing(schema, shape, findingsOf(planOfTables(row['QUERY PLAN'][0]), model).missing);
    } catch {
      // The model has changed, or it takes too long: a later call of the query is examined.
    }
  }

  async #storeOf(schema: string): Promise<void> {
    const rows = this.#collector.take(schema, performance.now());
    if (rows.length === 0) return;
    try {
      await this.database.run(addQueriesStatement(schema, rows));
      await this.database.run(pruneQueriesStatement(schema, STORED.most, STORED.age));
    } catch (error) {
      // The schema of a deleted project is gone.
      if (isStaleModel(error)) this.#collector.forget(schema);
      else if (!isDatabaseAway(error)) {
        this.#log.warn(`${schema}: the numbers of queries were not stored: ${causeText(error)}`);
      }
    }
  }
}
