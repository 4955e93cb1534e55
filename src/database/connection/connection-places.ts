/**
 * The account of a pool's connections: everything that uses one for a project takes a place here first, so that the
 * places of all projects together are never more than the connections, and a project that waits gets the next one.
 */
import { retryLater } from '../../shared/errors.js';
import { FairQueue, fractionOf } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';
import type { ConnectionUser } from '../database-options.js';

/**
 * The fraction of the free connections that one project may use, so that two slow projects leave a connection to a
 * third.
 */
const PROJECT_SHARE = 0.8;
/** The fraction of a project's connections that one kind may use, so that slow requests of one leave some to others. */
const KIND_SHARE = 0.75;
/**
 * A kind of a project is overloaded if its requests wait longer than this many milliseconds, and more than so many of
 * them. Fewer clients than that are never refused.
 */
const CONGESTION = { milliseconds: 1000, waiting: 32 };
/**
 * The parts of the connections that may be held long: by one project, and by all. The others are for statements, which
 * take milliseconds, so that no project waits long for one.
 */
const LONG = { ofOne: 0.3, ofAll: 0.6 };
/**
 * The part of the connections for what runs by itself, such as schedules, and what one project may use of it, so that
 * one with long work leaves something to others.
 */
const BACKGROUND = { ofAll: 1 / 3, ofOne: 1 / 2 };
/** Milliseconds to wait for a connection, if that is not said; the same as the timeout of the pool. */
const TIMEOUT = 5000;

export class ConnectionPlaces {
  /** A place for each connection that is used for a project. */
  readonly all: FairQueue;
  /**
   * A second place for work that may hold its connection long: transactions in which user code runs or a client is
   * waited for, and statements that wait for locks.
   */
  readonly long: FairQueue;
  /** A place for each thing that runs by itself, whether it has a connection or not. */
  readonly background: FairQueue;

  /** @param connections of the pool */
  constructor(connections: number) {
    const waiting = { maxWaitingPerKey: LIMITS.requestsWaiting, timeout: TIMEOUT };
    this.all = new FairQueue({
      ...waiting,
      concurrency: connections,
      keyShare: PROJECT_SHARE,
      partShare: KIND_SHARE,
      maxWaitingShared: LIMITS.requestsWaitingOfAll,
      congestion: CONGESTION,
      refusal: () => retryLater('server.busy', 'Too many requests of this project are under way'),
    });
    this.long = new FairQueue({
      ...waiting,
      perKey: fractionOf(connections, LONG.ofOne),
      concurrency: fractionOf(connections, LONG.ofAll),
      refusal: () => retryLater('server.busy', 'Too many long transactions of this project are under way'),
    });
    const background = fractionOf(connections, BACKGROUND.ofAll);
    this.background = new FairQueue({
      perKey: fractionOf(background, BACKGROUND.ofOne),
      concurrency: background,
      refusal: () => retryLater('server.busy', 'Too much runs in the background'),
    });
  }

  /**
   * Waits for the places of a transaction; the returned function releases them.
   * @param timeLeft milliseconds of a transaction that may hold its connection long, which waits until they are over, and
   * the usual time at least; undefined for others
   * @throws KindError 503
   */
  async acquire(project: ConnectionUser, timeLeft?: number): Promise<() => void> {
    if (timeLeft === undefined) return this.all.acquire(project.id);
    const until = performance.now() + Math.max(TIMEOUT, timeLeft);
    const left = () => Math.max(1, until - performance.now());
    const releaseLong = await this.long.acquire(project.id, left());
    try {
      const release = await this.all.acquire(project.id, left());
      return () => {
        release();
        releaseLong();
      };
    } catch (error) {
      releaseLong();
      throw error;
    }
  }
}
