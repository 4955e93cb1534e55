/**
 * Limits how many exports and imports run at the same time, because each holds a connection for as long as its client
 * takes: in one process, of one project, and of the callers without a token of a project. While others wait for a place,
 * a transfer whose client keeps it waiting gives up its own.
 */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { retryLater } from '../shared/errors.js';
import { FairQueue, fractionOf, type FairQueueOptions } from '../shared/fair-queue.js';
import { MetricSources } from '../shared/metric-sources.js';
import { LIMITS } from '../shared/limits.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import type { WaitingTime } from './file/waiting-time.js';

/** The part of the connections of a process that exports and imports may hold. */
const SHARE = 0.4;
/** Connections from which on there are two places at least, of which one project takes one. */
const FOR_TWO = 4;
/** The part of the places that others leave which one project may take. */
const PROJECT_SHARE = 0.7;
/** Requests of one project that wait for a place, and milliseconds that each waits. */
const WAITING = 100;
const TIMEOUT = 5000;
/** Milliseconds that a client may keep a transfer waiting while others wait for a place, and how often that is looked at. */
const IDLE = 2000;
const INTERVAL = 250;

@Injectable()
export class ConcurrentTransfers {
  readonly #all: FairQueue;
  readonly #anonymous: FairQueue;
  readonly #arriving: FairQueue;
  /** How long each running transfer has waited for its client, in the order of their beginning. */
  readonly #clients = new Set<WaitingTime>();

  constructor(@Inject(CONFIG) { databasePool }: Config, metricSources: MetricSources) {
    const waiting: FairQueueOptions = {
      maxWaitingPerKey: WAITING,
      timeout: TIMEOUT,
      refusal: () => retryLater('server.busy', 'Other exports and imports of this project are under way', 5),
    };
    const perKey = LIMITS.transfersPerProject;
    const concurrency = Math.max(fractionOf(databasePool, SHARE), databasePool < FOR_TWO ? 1 : 2);
    this.#all = new FairQueue({ ...waiting, perKey, keyShare: PROJECT_SHARE, concurrency });
    this.#anonymous = new FairQueue({ ...waiting, perKey: 1, concurrency: Math.max(1, concurrency - 1) });
    this.#arriving = new FairQueue({
      ...waiting,
      perKey: LIMITS.importsArrivingPerProject,
      keyShare: PROJECT_SHARE,
      concurrency: LIMITS.importsArriving,
    });
    metricSources.addQueue('imports and exports', this.#all);
    metricSources.addQueue('arriving imports', this.#arriving);
  }

  /**
   * Runs `work` in a place.
   * @param client of a transfer that a client may keep waiting
   * @throws KindError 503 if there is none
   */
  async run<T>({ project, caller }: RequestScope, client: WaitingTime | undefined, work: () => Promise<T>): Promise<T> {
    const inPlace = () => this.#inPlace(project.id, client, work);
    return caller.type === 'anonymous' ? this.#anonymous.run(project.id, inPlace) : inPlace();
  }

  /** Receives a file before there is a place for its import. @throws KindError 503 if too many arrive */
  arriving<T>({ project }: Pick<RequestScope, 'project'>, work: () => Promise<T>): Promise<T> {
    return this.#arriving.run(project.id, work);
  }

  async #inPlace<T>(key: string, client: WaitingTime | undefined, work: () => Promise<T>): Promise<T> {
    const release = this.#all.tryAcquire(key) ?? (await this.#wait(key));
    if (client) this.#clients.add(client);
    try {
      return await work();
    } finally {
      if (client) this.#clients.delete(client);
      release();
    }
  }

  async #wait(key: string): Promise<() => void> {
    const endIdle = (): void => void [...this.#clients].find((client) => client.endAfter(IDLE));
    const timer = setInterval(endIdle, INTERVAL);
    try {
      return await this.#all.acquire(key);
    } finally {
      clearInterval(timer);
    }
  }
}
