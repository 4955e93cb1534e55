/**
 * Upgrades the projects of older versions, and finishes interrupted deletions: for a limited time when a service starts,
 * then in the background, so that a start does not take longer the more projects there are. Each project is a
 * transaction of its own, so several processes can do it at the same time, and any of them can go on.
 */
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { ProjectRepository } from '../../database/registry/project.repository.js';
import { isDatabaseAway, causeText } from '../../database/statement/sqlstate.js';
import { LOGGER } from '../../http/log/logger.js';
import { isRefusedAlone, KindError } from '../../shared/errors.js';
import { lruCache } from '../../shared/maps.js';
import { PeriodicWork, ROUND_INTERVAL } from '../../shared/periodic-work.js';
import { Provisioning } from './provisioning.js';

/** Milliseconds before the upgrade of a project is tried again for a request. */
const UPGRADE_RETRY_DELAY = 60_000;
const MAX_TRIED = 10_000;
/** Milliseconds before a round tries a refused upgrade again: twice as many after each refusal. */
const REFUSED_DELAY = { first: ROUND_INTERVAL / 2, most: 3_600_000 };

interface Refused {
  readonly delay: number;
  /** When it is tried again, as `performance.now()`. */
  readonly due: number;
}

@Injectable()
export class ProjectUpgrades implements OnModuleDestroy {
  readonly #rounds = new PeriodicWork(() => this.#runInBackground());
  /** Projects whose upgrade was refused, because a table was locked, or differs from the model until it is repaired. */
  readonly #refused = new Map<string, Refused>();
  readonly #tried = lruCache<true>(MAX_TRIED, { ttl: UPGRADE_RETRY_DELAY });
  #upgrading = false;

  constructor(
    private readonly provisioning: Provisioning,
    private readonly registry: ProjectRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** One round, which ends between two projects if the signal aborts. @throws KindError 503 if the database is away */
  async run(signal: AbortSignal): Promise<void> {
    for await (const ids of this.provisioning.outdated()) {
      for (const id of ids) {
        if (signal.aborted) return;
        if ((this.#refused.get(id)?.due ?? 0) <= performance.now()) await this.#upgrade(id);
      }
      if (signal.aborted) return;
    }
    for (const id of await this.registry.deleting()) {
      if (signal.aborted) return;
      await this.#finishDeletion(id, signal);
    }
  }

  /** Begins a round now, and then one every minute, until the module is destroyed. */
  watch(): void {
    this.#rounds.start();
    void this.#rounds.run();
  }

  /**
   * Upgrades a project that was found to be outdated by a request, because it was restored from a dump, was changed by an
   * older release, or waits for its turn. One project at a time: one that is found meanwhile is upgraded after a later
   * request.
   */
  upgradeOnDemand(id: string): void {
    if (this.#upgrading || this.#tried.has(id)) return;
    this.#upgrading = true;
    this.#tried.set(id, true);
    this.#upgrade(id)
      .then((done) => done && this.#tried.delete(id))
      .catch((err: unknown) => {
        if (!isDatabaseAway(err)) this.logger.error({ err, project: id }, 'project not brought up to date');
      })
      .finally(() => (this.#upgrading = false));
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.stop();
  }

  async #runInBackground(): Promise<void> {
    const { signal } = this.#rounds;
    try {
      await this.run(signal);
    } catch (error) {
      // The next round tries again.
      if (signal.aborted || isDatabaseAway(error)) return;
      const reason = causeText(error);
      this.logger.warn({ reason }, 'upgrades and deletions of projects are not finished: tried again in a minute');
    }
  }

  /** False, with a log entry, if it is refused, so that the others are still served. */
  async #upgrade(id: string): Promise<boolean> {
    try {
      const { steps, leftAlone } = await this.provisioning.migrate(id);
      this.logger.info(
        { project: id, steps, ...(leftAlone.length > 0 && { leftAlone }) },
        'project brought up to date',
      );
      this.#refused.delete(id);
      return true;
    } catch (error) {
      if (!isRefusedAlone(error)) throw error;
      // Deleted in the meantime.
      if (error.code === 'project.unknown') return true;
      const seconds = this.#refuse(id) / 1000;
      const entry = { project: id, reason: causeText(error), seconds };
      if (error.code === 'database.busy') this.logger.warn(entry, 'project not brought up to date yet: tried again');
      else this.logger.error(entry, 'project not brought up to date: npm run kind -- project migrate');
      return false;
    }
  }

  /** The milliseconds after which rounds try it again. */
  #refuse(id: string): number {
    const before = this.#refused.get(id)?.delay;
    const delay = before === undefined ? REFUSED_DELAY.first : Math.min(2 * before, REFUSED_DELAY.most);
    this.#refused.set(id, { delay, due: performance.now() + delay });
    return delay;
  }

  async #finishDeletion(id: string, signal: AbortSignal): Promise<void> {
    try {
      await this.provisioning.delete(id, signal);
      this.logger.info({ project: id }, 'interrupted deletion of a project finished');
    } catch (error) {
      // Another process may have finished it.
      if (signal.aborted || (error instanceof KindError && error.code === 'project.unknown')) return;
      if (!isRefusedAlone(error)) throw error;
      this.logger.warn({ project: id, reason: causeText(error) }, 'deletion of a project not finished');
    }
  }
}
