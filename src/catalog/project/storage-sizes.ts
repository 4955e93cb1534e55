/**
 * The sizes of projects on disk, for those that have a limit. A size is measured in the background when somebody asks
 * for it, and at most once a minute, because PostgreSQL looks at every file of every table. It is the sum of steps of
 * some tables each; what a failed step left is measured later, so that every size is known in the end.
 */
import { Injectable, Logger } from '@nestjs/common';
import { Database, type Executor } from '../../database/database.js';
import { lruCache } from '../../shared/maps.js';
import { SharedLoads } from '../../shared/shared-loads.js';
import { storageStatement, type StorageRow } from '../../sql/definition/schema.sql.js';
import type { Project } from '../../tenancy/project.js';

/** Milliseconds between two measurements of a project. */
const INTERVAL = 60_000;
/** A project is measured so rarely that it takes at most this part of the time. */
const TIME_SHARE = 1 / 100;
/** A step that takes longer, in milliseconds, is ended; the next one has half as many tables. */
const STATEMENT_TIMEOUT = 20_000;
/** Tables of one step. */
const STEP_TABLES = 100;
const MAX_PROJECTS = 10_000;

/** A measurement that is not complete. */
interface Progress {
  readonly bytes: number;
  /** The id of the last table that was measured. */
  readonly after: number;
  /** Milliseconds that it has taken. */
  readonly took: number;
  readonly stepTables: number;
}

interface Measured {
  /** Of the last complete measurement. */
  readonly bytes: number | undefined;
  /** When it is to be measured again, as `performance.now()`. */
  readonly due: number;
  /** Where the measurement goes on. */
  readonly progress: Progress;
}

const BEGIN: Progress = { bytes: 0, after: 0, took: 0, stepTables: STEP_TABLES };
const UNKNOWN: Measured = { bytes: undefined, due: 0, progress: BEGIN };

@Injectable()
export class StorageSizes {
  readonly #log = new Logger('storage');
  readonly #sizes = lruCache<Measured>(MAX_PROJECTS);
  readonly #measuring = new SharedLoads<void>();
  /** The steps of this process run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: Database) {}

  /** The bytes of a project when they were last measured; undefined if they are not known yet. */
  lastKnown(project: Project): number | undefined {
    const known = this.#sizes.get(keyOf(project));
    if (!known || known.due < performance.now()) {
      void this.#measuring.run(keyOf(project), () => this.#measure(project));
    }
    return known?.bytes;
  }

  /** Measures until all is measured or a step fails. Between two steps, other projects have theirs. */
  async #measure(project: Project): Promise<void> {
    const key = keyOf(project);
    let known = this.#sizes.peek(key) ?? UNKNOWN;
    do {
      const step = this.#last.then(() => this.#step(project, known));
      this.#last = step;
      known = await step;
      this.#sizes.set(key, known);
    } while (known.due === 0);
  }

  async #step({ id, schema }: Project, { bytes, progress }: Measured): Promise<Measured> {
    const start = performance.now();
    const { stepTables } = progress;
    try {
      const { done, ...next } = await nextStep(this.database.withTimeout(STATEMENT_TIMEOUT), schema, progress);
      const now = performance.now();
      const took = progress.took + now - start;
      if (!done) return { bytes, due: 0, progress: { ...next, took, stepTables } };
      return { bytes: next.bytes, due: now + Math.max(INTERVAL, took / TIME_SHARE), progress: BEGIN };
    } catch (error) {
      this.#log.warn(`the size of the project ${id} was not measured, which goes on later: ${String(error)}`);
      const fewer = { ...progress, stepTables: Math.ceil(stepTables / 2) };
      return { bytes, due: performance.now() + INTERVAL, progress: fewer };
    }
  }
}

/** The bytes that the tables of a project, with their indexes, take on disk. */
export async function measureStorage(executor: Executor, schema: string): Promise<number> {
  let step = { ...BEGIN, done: false };
  while (!step.done) step = { ...step, ...(await nextStep(executor, schema, step)) };
  return step.bytes;
}

async function nextStep(executor: Executor, schema: string, { bytes, after, stepTables }: Progress) {
  const [row] = await executor.run<StorageRow>(storageStatement(schema, after, stepTables));
  const measured = bytes + Number(row?.bytes ?? 0);
  return { bytes: measured, after: row?.last ?? after, done: (row?.tables ?? 0) < stepTables };
}

/** A project that was deleted and created again is another one. */
function keyOf({ id, schemaId }: Project): string {
  return `${id} ${schemaId}`;
}
