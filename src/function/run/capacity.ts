/**
 * How much of the service authored code may hold: of one project, and of all together. A call waits for what is not the
 * database, perhaps for long, and holds a connection only from its first statement to its end.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/config.token.js';
import type { ConnectionShare } from '../../database/database.js';
import { retryLater } from '../../shared/errors.js';
import { FairQueue, type FairQueueOptions } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';

/** Calls of one project at once. */
const CALLS = 200;

/** Calls of the sources of one project at once: they hold no connection while they wait. */
const SOURCES = 100;

/** The parts of the pool that transactions of functions and hooks may hold: of one project, and of all. */
const OF_ONE = 0.3;
const OF_ALL = 0.6;

/** Milliseconds to wait at most, as for a connection. */
const WAIT_TIMEOUT = 5000;

@Injectable()
export class Capacity {
  readonly #calls: FairQueue;
  readonly #sources: FairQueue;
  readonly #transactions: FairQueue;

  constructor(@Inject(CONFIG) { databasePool }: Config) {
    const waiting: FairQueueOptions = {
      maxWaitingPerKey: LIMITS.requestsWaiting,
      timeout: WAIT_TIMEOUT,
      refusal: busy,
    };
    const part = (share: number) => Math.max(1, Math.floor(databasePool * share));
    this.#calls = new FairQueue({ ...waiting, perKey: CALLS });
    this.#sources = new FairQueue({ ...waiting, perKey: SOURCES });
    this.#transactions = new FairQueue({ ...waiting, perKey: part(OF_ONE), concurrency: part(OF_ALL) });
  }

  /** @throws KindError 503 where too many are under way */
  call<T>(project: string, work: () => Promise<T>): Promise<T> {
    return this.#calls.run(project, work);
  }

  /** @throws KindError 503 where too many are under way */
  source<T>(project: string, work: () => Promise<T>): Promise<T> {
    return this.#sources.run(project, work);
  }

  /** The share of the connections that transactions of a project in which authored code runs have among themselves. */
  share(project: string): ConnectionShare {
    const lanes = this.#transactions;
    return { acquire: () => lanes.acquire(project), tryAcquire: () => lanes.tryAcquire(project) };
  }
}

function busy() {
  return retryLater('server.busy', 'Too many functions are under way');
}
