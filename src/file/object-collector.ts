/**
 * Removes objects of which files have no need any more, when their time is over, and what is left of those whose writing
 * was cut off. A project in which something was stored is a row of the registry (`WorkClaims`), which one service at a
 * time has.
 */
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { type ConnectionUser, Database } from '../database/database.js';
import { WorkClaims, type ClaimedWork } from '../database/registry/work-claims.js';
import { causeText, isDatabaseAway } from '../database/statement/sqlstate.js';
import { LOGGER } from '../http/log/logger.js';
import { schemaName } from '../model/names.js';
import { PeriodicWork } from '../shared/periodic-work.js';
import { nextDueStatement } from '../sql/file/object.sql.js';
import { COLLECTION, FILE_STORE, Objects } from './objects.js';
import type { FileStore } from './store/file-store.js';

/** The name of the work on the whole store. */
const UNFINISHED = 'unfinished';

/** Milliseconds. */
const [MINUTE, HOUR] = [60_000, 3_600_000];
const DAY = 24 * HOUR;
/** How long after the removal of what was due a project is looked at again, at least and at most. */
const PAUSE = { least: MINUTE, most: 6 * HOUR };
/** After a failure, such as of the store. */
const RETRY_DELAY = 5 * MINUTE;

@Injectable()
export class ObjectCollector implements OnModuleDestroy {
  readonly #work: WorkClaims;
  readonly #rounds = new PeriodicWork(() => this.#round());

  constructor(
    private readonly database: Database,
    private readonly objects: Objects,
    @Inject(FILE_STORE) private readonly store: FileStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#work = new WorkClaims(database, COLLECTION.type);
  }

  /** From now on until the module is destroyed, this process removes what is due. */
  watch(): void {
    this.#rounds.start();
    void this.#rounds.run();
  }

  /** Removes what is due now. */
  collect(): Promise<void> {
    return this.#rounds.run({ all: true });
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    const { signal } = this.#rounds;
    try {
      await this.#work.plan([{ project: null, name: UNFINISHED, detail: '', due: Date.now() + DAY }]);
      while (!signal.aborted) {
        const names = [COLLECTION.name, UNFINISHED];
        const claimed = await this.#work.claim(() => ({ names, busy: [], everywhere: true }));
        if (!claimed) return;
        await this.#work.release(claimed, claimed.now + (await this.#done(claimed)));
      }
    } catch (error) {
      // The next round tries again.
      if (signal.aborted || isDatabaseAway(error)) return;
      this.logger.warn({ reason: causeText(error) }, 'objects of files are removed later');
    }
  }

  /** @returns the milliseconds after which it is due again */
  async #done({ project, now }: ClaimedWork): Promise<number> {
    try {
      if (project !== null) return await this.#collect({ id: project, schema: schemaName(project) });
      await this.store.removeUnfinished(new Date(now - DAY));
      return DAY;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      this.logger.warn({ ...(project !== null && { project }), reason: causeText(error) }, FAILED);
      return RETRY_DELAY;
    }
  }

  async #collect(project: ConnectionUser): Promise<number> {
    await this.objects.removeDue(project, this.#rounds.signal);
    const [row] = await this.database.run<{ next: number | null; now: number }>(nextDueStatement(project.schema));
    if (!row || row.next === null) return PAUSE.most;
    return Math.min(Math.max(row.next - row.now, PAUSE.least), PAUSE.most);
  }
}

const FAILED = 'objects that no file has are not removed: tried again in five minutes';
