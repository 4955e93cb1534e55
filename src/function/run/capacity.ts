/**
 * Limits how many calls and connections user code may hold, per project and in total. A call may wait long for
 * something other than the database, and holds a connection only from its first statement to its end.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/config.token.js';
import type { ConnectionShare } from '../../database/database.js';
import { retryLater } from '../../shared/errors.js';
import { FairQueue, fractionOf, type FairQueueOptions } from '../../shared/fair-queue.js';
import { Measurements } from '../../shared/measurements.js';
import { LIMITS } from '../../shared/limits.js';

/** Concurrent calls of one project. */
const CALLS = 200;

/** Concurrent operations of one project on remote sources. They hold no connection while they wait. */
const SOURCES = 100;

/** Parts of the connection pool that transactions of functions and hooks may hold: per project, and in total. */
const OF_ONE = 0.3;
const OF_ALL = 0.6;

/** Maximum wait in milliseconds, the same as for a connection. */
const WAIT_TIMEOUT = 5000;

@Injectable()
export class Capacity {
  readonly #calls: FairQueue;
  readonly #sources: FairQueue;
  readonly #transactions: FairQueue;

  constructor(@Inject(CONFIG) { databasePool }: Config, measurements: Measurements) {
    const waiting: FairQueueOptions = {
      maxWaitingPerKey: LIMITS.requestsWaiting,
      timeout: WAIT_TIMEOUT,
      refusal: busy,
    };
    this.#calls = new FairQueue({ ...waiting, perKey: CALLS });
    this.#sources = new FairQueue({ ...waiting, perKey: SOURCES });
    this.#transactions = new FairQueue({
      ...waiting,
      perKey: fractionOf(databasePool, OF_ONE),
      concurrency: fractionOf(databasePool, OF_ALL),
    });
    measurements.addQueue('function calls', this.#calls);
    measurements.addQueue('remote sources', this.#sources);
    measurements.addQueue('function transactions', this.#transactions);
  }

  /** @throws KindError 503 if too many calls are running */
  call<T>(project: string, work: () => Promise<T>): Promise<T> {
    return this.#calls.run(project, work);
  }

  /** @throws KindError 503 if too many calls are running */
  source<T>(project: string, work: () => Promise<T>): Promise<T> {
    return this.#sources.run(project, work);
  }

  /** The share of connections for the transactions of a project in which user code runs. */
  share(project: string): ConnectionShare {
    return this.#transactions.placesOf(project);
  }
}

function busy() {
  return retryLater('server.busy', 'Too many functions are under way');
}
