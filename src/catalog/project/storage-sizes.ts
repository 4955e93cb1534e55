/**
 * The sizes of projects on disk, for those that have a limit. A size is measured in the background when somebody asks
 * for it, and at most once a minute, because PostgreSQL looks at every file of every table.
 */
import { Injectable, Logger } from '@nestjs/common';
import { Database, type Executor } from '../../database/database.js';
import { lruCache } from '../../shared/lru-cache.js';
import { SharedLoads } from '../../shared/shared-loads.js';
import { schemaSizeStatement } from '../../sql/definition/schema.sql.js';
import type { Project } from '../../tenancy/project.js';

/** Milliseconds between two measurements of a project. */
const INTERVAL = 60_000;
/** A project is measured so rarely that it takes at most this part of the time. */
const TIME_SHARE = 1 / 100;
/** A measurement that takes longer, in milliseconds, is ended. */
const STATEMENT_TIMEOUT = 20_000;
const MAX_PROJECTS = 10_000;

interface Measured {
  /** Undefined if it could not be measured. */
  readonly bytes: number | undefined;
  /** When it is to be measured again, as `performance.now()`. */
  readonly due: number;
}

@Injectable()
export class StorageSizes {
  readonly #log = new Logger('storage');
  readonly #sizes = lruCache<Measured>(MAX_PROJECTS);
  readonly #measuring = new SharedLoads<void>();
  /** The measurements of this process run one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  /** The bytes of a project when they were last measured; undefined if they are not known yet. */
  lastKnown(project: Project): number | undefined {
    const known = this.#sizes.get(project.id);
    if (!known || known.due < performance.now()) {
      void this.#measuring.run(project.id, () => (this.#last = this.#last.then(() => this.#measure(project))));
    }
    return known?.bytes;
  }

  async #measure({ id, schema }: Project): Promise<void> {
    const start = performance.now();
    let bytes = this.#sizes.peek(id)?.bytes;
    try {
      bytes = await measureStorage(this.database.withTimeout(STATEMENT_TIMEOUT), schema);
    } catch (error) {
      this.#log.warn(`the size of the project ${id} was not measured: ${String(error)}`);
    }
    const now = performance.now();
    this.#sizes.set(id, { bytes, due: now + Math.max(INTERVAL, (now - start) / TIME_SHARE) });
  }
}

/** The bytes that the tables of a project, with their indexes, take on disk. */
export async function measureStorage(executor: Executor, schema: string): Promise<number> {
  const [row] = await executor.run<{ bytes: string }>(schemaSizeStatement(schema));
  return Number(row?.bytes ?? 0);
}
