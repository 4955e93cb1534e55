/** The queue of requests for connections: it limits those of each project, and serves waiting projects round robin. */
import { retryLater } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { LIMITS } from '../shared/limits.js';

/**
 * The fraction of the free connections that one project may use, so that two slow projects leave a connection to a
 * third.
 */
const PROJECT_SHARE = 0.8;
/**
 * The fraction of a project's connections that one kind may use, so that requests for a locked table leave connections
 * to other kinds.
 */
const KIND_SHARE = 0.75;
/**
 * A project is overloaded if its requests wait longer than this many milliseconds, and more than so many of them. Fewer
 * clients than that are never refused.
 */
const CONGESTION = { milliseconds: 500, waiting: 32 };
/** Milliseconds; the same as the timeout for a connection. */
const TIMEOUT = 5000;

/** @param connections of the pool */
export function connectionQueue(connections: number): FairQueue {
  return new FairQueue({
    concurrency: connections,
    keyShare: PROJECT_SHARE,
    partShare: KIND_SHARE,
    maxWaitingPerKey: LIMITS.requestsWaiting,
    maxWaitingShared: LIMITS.requestsWaitingOfAll,
    congestion: CONGESTION,
    timeout: TIMEOUT,
    refusal: () => retryLater('server.busy', 'Too many requests of this project are under way'),
  });
}
