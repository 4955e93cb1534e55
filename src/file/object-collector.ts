/**
 * Removes objects of which files have no need any more, when their time is over, and what is left of those whose writing
 * was cut off. A project in which something was stored is a row of the registry (`WorkClaims`), which one service at a
 * time has.
 */
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { ProjectContents } from '../catalog/project/project-contents.js';
import { type ConnectionUser, Database } from '../database/database.js';
import { WorkClaims, type ClaimedWork } from '../database/registry/work-claims.js';
import { causeText, isDatabaseAway, isLockTimeout, isUniqueViolation } from '../database/statement/sqlstate.js';
import { LOGGER } from '../http/log/logger.js';
import { BUILT_IN_VERSION } from '../model/built-in/built-in.js';
import { schemaName } from '../model/names.js';
import { KindError } from '../shared/errors.js';
import { PeriodicWork } from '../shared/periodic-work.js';
import { nextDueStatement } from '../sql/file/object.sql.js';
import { deleteProjectStatement, insertProjectStatement } from '../sql/server/registry.sql.js';
import { COLLECTION, FILE_STORE, Objects, RESTORE_PREFIX } from './objects.js';
import type { FileStore } from './store/file-store.js';

/** The name of the work on the whole store. */
const UNFINISHED = 'unfinished';

/** Milliseconds. */
const [MINUTE, HOUR] = [60_000, 3_600_000];
const DAY = 24 * HOUR;
/** How long after the removal of what was due a project is looked at again, at least and at most. */
const PAUSE = { least: MINUTE, most: 6 * HOUR };
/** For a restore to end. */
const LOCK_WAIT = 100;
/** After a failure, such as of the store. */
const RETRY_DELAY = 5 * MINUTE;

@Injectable()
export class ObjectCollector implements OnModuleDestroy {
  readonly #work: WorkClaims;
  readonly #rounds = new PeriodicWork(() => this.#round());

  constructor(
    private readonly database: Database,
    private readonly objects: Objects,
    private readonly contents: ProjectContents,
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
        const names = [COLLECTION.name, ...(await this.#work.list(null)).map(({ name }) => name)];
        const claimed = await this.#work.claim(() => ({ names, busy: [], everywhere: true }));
        if (!claimed) return;
        const pause = await this.#done(claimed);
        if (pause === undefined) await this.#work.drop(claimed);
        else await this.#work.release(claimed, claimed.now + pause);
      }
    } catch (error) {
      // The next round tries again.
      if (signal.aborted || isDatabaseAway(error)) return;
      this.logger.warn({ reason: causeText(error) }, 'objects of files are removed later');
    }
  }

  /** @returns the milliseconds after which it is due again; undefined if it is done for good */
  async #done({ project, name, now }: ClaimedWork): Promise<number | undefined> {
    try {
      if (name.startsWith(RESTORE_PREFIX)) return await this.#removeRestored(name.slice(RESTORE_PREFIX.length));
      if (project !== null) return await this.#collect({ id: project, schema: schemaName(project) });
      await this.store.removeUnfinished(new Date(now - DAY));
      return DAY;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      this.logger.warn({ ...(project !== null && { project }), reason: causeText(error) }, FAILED);
      return RETRY_DELAY;
    }
  }

  /**
   * Removes what a restore stored that was cut off. As long as a restore runs, its row of the registry is locked; meanwhile
   * no project with that id is made.
   */
  async #removeRestored(id: string): Promise<number | undefined> {
    try {
      await this.database.transaction(
        async (tx) => {
          await tx.run(insertProjectStatement(id, id, BUILT_IN_VERSION));
          await this.contents.remove(id, this.#rounds.signal);
          await tx.run(deleteProjectStatement(id));
        },
        { isolation: 'read committed', long: true, lockTimeout: LOCK_WAIT },
      );
    } catch (error) {
      const cause = error instanceof KindError ? error.cause : error;
      // The project was restored after all, or made.
      if (isUniqueViolation(cause)) return undefined;
      if (isLockTimeout(cause)) return HOUR;
      throw error;
    }
    return undefined;
  }

  async #collect(project: ConnectionUser): Promise<number> {
    await this.objects.removeDue(project, this.#rounds.signal);
    const [row] = await this.database.run<{ next: number | null; now: number }>(nextDueStatement(project.schema));
    if (!row || row.next === null) return PAUSE.most;
    return Math.min(Math.max(row.next - row.now, PAUSE.least), PAUSE.most);
  }
}

const FAILED = 'objects that no file has are not removed: tried again in five minutes';
