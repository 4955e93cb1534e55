/**
 * Limits how many exports and imports run at the same time, because each holds a connection for as long as its client
 * takes: in one process, of one project, and of the callers without a token of a project.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';
import { retryLater } from '../shared/errors.js';
import { FairQueue, fractionOf, type FairQueueOptions } from '../shared/fair-queue.js';
import { Measurements } from '../shared/measurements.js';
import { LIMITS } from '../shared/limits.js';
import type { RequestScope } from '../tenancy/request-scope.js';

/** The part of the connections of a process that exports and imports may hold. */
const SHARE = 0.4;
/** Requests of one project that wait for a place, and milliseconds that each waits. */
const WAITING = 100;
const TIMEOUT = 5000;

@Injectable()
export class TransferPlaces {
  readonly #all: FairQueue;
  readonly #anonymous: FairQueue;

  constructor(@Inject(CONFIG) { databasePool }: Config, measurements: Measurements) {
    const waiting: FairQueueOptions = {
      maxWaitingPerKey: WAITING,
      timeout: TIMEOUT,
      refusal: () => retryLater('server.busy', 'Other exports and imports of this project are under way', 5),
    };
    const concurrency = fractionOf(databasePool, SHARE);
    this.#all = new FairQueue({ ...waiting, perKey: LIMITS.transfersPerProject, concurrency });
    this.#anonymous = new FairQueue({ ...waiting, perKey: 1, concurrency: Math.max(1, concurrency - 1) });
    measurements.addQueue('imports and exports', this.#all);
  }

  /** Runs `work` in a place of the project. @throws KindError 503 if there is none */
  run<T>({ project, caller }: RequestScope, work: () => Promise<T>): Promise<T> {
    const inPlace = () => this.#all.run(project.id, work);
    return caller.type === 'anonymous' ? this.#anonymous.run(project.id, inPlace) : inPlace();
  }
}
