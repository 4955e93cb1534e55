/** Runs requests as parts of one transaction, which is run again from its start after conflicts. */
import { Inject, Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/config.token.js';
import { idleTimeoutFor } from '../../database/connection/session-settings.js';
import { Database, type Transaction } from '../../database/database.js';
import { KindError, retryLater } from '../../shared/errors.js';
import { FairQueue, fractionOf } from '../../shared/fair-queue.js';
import { Measurements } from '../../shared/measurements.js';
import { LIMITS } from '../../shared/limits.js';
import type { EnclosingTransaction, RequestScope } from '../../tenancy/request-scope.js';
import { Behaviors } from '../draft/behavior.js';
import { withCompleteRefusal } from '../draft/complete-refusal.js';
import { timesOf } from '../session/caller-executor.js';

/** The scope of requests that are part of a transaction. */
export type EnclosedScope = RequestScope & { readonly enclosing: EnclosingTransaction };

export interface EnclosedOptions {
  readonly admit: EnclosingTransaction['admit'];
  /** A key of similar work, which writes the same units. */
  readonly workKey?: () => string;
}

/** Parts of the connection pool that such transactions may hold: per project, and in total. */
const OF_ONE = 0.3;
const OF_ALL = 0.4;

@Injectable()
export class EnclosedRunner {
  /** Requests wait here without a connection, and not before it is their turn on units that others change. */
  readonly #queue: FairQueue;

  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly behaviors: Behaviors,
    @Inject(CONFIG) { databasePool }: Config,
    measurements: Measurements,
  ) {
    this.#queue = new FairQueue({
      perKey: fractionOf(databasePool, OF_ONE),
      concurrency: fractionOf(databasePool, OF_ALL),
      maxWaitingPerKey: LIMITS.requestsWaiting,
      timeout: LIMITS.batchSeconds * 1000,
      refusal: () => retryLater('server.busy', 'Too many requests of several operations are under way'),
    });
    measurements.addQueue('batches', this.#queue);
  }

  /**
   * Runs `work` in a transaction at REPEATABLE READ that holds one connection, for `LIMITS.batchSeconds` at most with
   * all its runs. All statements have the same model; with a newer one, `work` is run again.
   * @throws KindError 503 after that time
   */
  async run<T>(
    scope: RequestScope,
    { admit, workKey }: EnclosedOptions,
    work: (scope: EnclosedScope, tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { deployment } = this.behaviors;
    const milliseconds = LIMITS.batchSeconds * 1000;
    const abort = new AbortController();
    const end = performance.now() + milliseconds;
    const timer = setTimeout(() => abort.abort(tookTooLong()), milliseconds);
    const { id } = scope.project;
    const share = this.#queue.placesOf(id);
    try {
      return await this.catalog.withModelUnqueued(scope, (model) => {
        const run = (tx: Transaction): Promise<T> => {
          tx.abortOn(abort.signal);
          return work({ ...scope, enclosing: { model, executor: tx, ...deployment, admit } }, tx);
        };
        const timeout = Math.max(1, end - performance.now());
        const runs = this.database.runs({
          timeout,
          ...(workKey && { workKey: () => `${id} ${workKey()}` }),
        });
        const times = { statementTimeout: milliseconds, idleTimeout: idleTimeoutFor(milliseconds) };
        const options = { ...times, ...timesOf(scope.caller), share, runs };
        return withCompleteRefusal(this.database, () => this.database.transaction(run, options));
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

function tookTooLong(): KindError {
  const text = `All operations together took longer than ${LIMITS.batchSeconds} seconds; send fewer of them`;
  return new KindError([{ code: 'query.timeout', text }]);
}
