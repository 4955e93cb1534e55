/**
 * Limits how many calls of user code a project may have at the same time. A call may wait long for something other than
 * the database, and holds a connection only from its first statement to its end.
 */
import { Injectable } from '@nestjs/common';
import { retryLater } from '../../shared/errors.js';
import { FairQueue, type FairQueueOptions } from '../../shared/fair-queue.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { LIMITS } from '../../shared/limits.js';

/** Concurrent calls of one project. */
const CALLS = 200;

/** Concurrent operations of one project on remote sources. They hold no connection while they wait. */
const SOURCES = 100;

/** Maximum wait in milliseconds, the same as for a connection. */
const WAIT_TIMEOUT = 5000;

@Injectable()
export class Capacity {
  /** By project. Both refuse with 503 what waits too long. */
  readonly calls: FairQueue;
  readonly sources: FairQueue;
  /** Hooks that look at contents of files, before the transactions of their writes. */
  readonly contents: FairQueue;

  constructor(metricSources: MetricSources) {
    const waiting: FairQueueOptions = {
      maxWaitingPerKey: LIMITS.requestsWaiting,
      timeout: WAIT_TIMEOUT,
      refusal: () => retryLater('server.busy', 'Too many functions are under way'),
    };
    this.calls = new FairQueue({ ...waiting, perKey: CALLS });
    this.sources = new FairQueue({ ...waiting, perKey: SOURCES });
    this.contents = new FairQueue({ ...waiting, perKey: LIMITS.uploadsPerProject, concurrency: LIMITS.uploads });
    metricSources.addQueue('function calls', this.calls);
    metricSources.addQueue('remote sources', this.sources);
    metricSources.addQueue('content hooks', this.contents);
  }
}
