/**
 * Builds the indexes of large kinds after the change that asked for them has committed, one at a time, while their units
 * are read and written. What is to be built is not kept anywhere: it is what the model asks for and does not stand. That
 * a project has such is noted in the registry, in the transaction of the change, so that whoever starts or looks next
 * finishes what a process left that died.
 */
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { NoSessionError } from '../../database/session-connection.js';
import { Database, type Executor } from '../../database/database.js';
import { ProjectRepository } from '../../database/registry/project.repository.js';
import { isDatabaseFault, isRetryable, isStaleModel } from '../../database/statement/sqlstate.js';
import { tableShapes, type IndexShape } from '../../model/table/table-shape.js';
import { KindError } from '../../shared/errors.js';
import {
  buildIndexStatement,
  lockIndexesStatement,
  listIndexesStatement,
  dropIndexStatement,
} from '../../sql/index.sql.js';
import { lockProjectStatement } from '../../sql/model.sql.js';
import { setUnindexedStatement } from '../../sql/registry.sql.js';
import { projectOf, type Project } from '../../tenancy/project.js';
import { loadModel } from '../model/model-store.js';

/** Milliseconds between two looks for what others left. */
const LOOKS = 60_000;
const LOCK_TIMEOUT = 10_000;

/** An index that the model asks for and that can not be used yet; `half`: its building was interrupted. */
interface Missing {
  readonly table: string;
  readonly index: IndexShape;
  readonly half: boolean;
}

@Injectable()
export class IndexBuilder implements OnModuleDestroy {
  readonly #log = new Logger('indexes');
  readonly #waiting = new Map<string, Project>();
  readonly #stop = new AbortController();
  /** Indexes that stored values are too long for, by project: they are not tried again before a change asks for it. */
  readonly #refused = new Map<string, Set<string>>();
  /** Whether it was told that nothing can be built. */
  #sessionless = false;
  #working: Promise<void> | undefined;
  #looks: NodeJS.Timeout | undefined;
  #missing = 0;

  constructor(
    private readonly database: Database,
    private readonly registry: ProjectRepository,
  ) {}

  /** Indexes that this process has still to build of the project that it works on, and projects that wait. */
  get pending(): number {
    return this.#missing + this.#waiting.size;
  }

  /** A change of the project's definitions left indexes to be built. */
  request(project: Project): void {
    this.#refused.delete(project.id);
    this.#add(project);
  }

  /** Builds what there is to build, now and whenever another process left something, until the module ends. */
  async watch(): Promise<void> {
    this.#looks = setInterval(() => void this.#look(), LOOKS).unref();
    await this.#look();
  }

  /** Builds all that can be built now; whatever another process is at is left to it. */
  async finish(): Promise<void> {
    await this.#look();
    await this.#working;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.#looks);
    this.#waiting.clear();
    this.#stop.abort();
    await this.#working;
  }

  async #look(): Promise<void> {
    try {
      for (const row of await this.registry.unindexed()) this.#add(projectOf(row));
    } catch (error) {
      // The next look finds it.
      this.#log.warn(`no look for indexes to build: ${(error as Error).message}`);
    }
  }

  #add(project: Project): void {
    if (this.#stop.signal.aborted) return;
    this.#waiting.set(project.id, project);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      const [next] = this.#waiting.values();
      if (next) this.#add(next);
    });
  }

  async #work(): Promise<void> {
    for (const [id, project] of this.#waiting) {
      this.#waiting.delete(id);
      try {
        await this.database.withDedicatedConnection((executor) => this.#build(executor, project), this.#stop.signal);
      } catch (error) {
        // A project that went meanwhile has no tables; what else failed is tried again at the next look.
        if (this.#stop.signal.aborted || isStaleModel(error)) continue;
        if (error instanceof NoSessionError) {
          this.#tellNoSession();
          continue;
        }
        if (error instanceof KindError) this.#log.warn(`${id}: ${error.message}`);
        else this.#log.error(error);
      } finally {
        this.#missing = 0;
      }
    }
  }

  /** Once: it is so until the service starts anew. */
  #tellNoSession(): void {
    if (this.#sessionless) return;
    this.#sessionless = true;
    this.#log.warn(
      'indexes of large kinds are not built: DATABASE_URL leads through a transaction pooler, and DATABASE_DIRECT_URL does not lead past it',
    );
  }

  async #build(executor: Executor, project: Project): Promise<void> {
    const [row] = await executor.run<{ locked: boolean }>(lockIndexesStatement(project.schema));
    if (!row?.locked) return;
    for (let tries = 1; ; tries++) {
      const missing = await this.#find(project);
      if (missing.length === 0) return;
      this.#missing = missing.length;
      for (const each of missing) {
        if (this.#stop.signal.aborted) return;
        try {
          await this.#buildOne(executor, project, each);
        } catch (error) {
          // The definitions changed meanwhile, or a change of them and the build waited for each other.
          if (tries > 5 || !(isStaleModel(error) || isRetryable(error))) throw error;
        }
        this.#missing -= 1;
      }
    }
  }

  /** With the project's lock, because a change that commits later leaves its note again. */
  #find(project: Project): Promise<Missing[]> {
    return this.database.transaction(
      async (tx) => {
        await tx.run(lockProjectStatement(project.schema));
        const tables = tableShapes(await loadModel(tx, project)).values();
        const rows = await tx.run<{ name: string; valid: boolean }>(listIndexesStatement(project.schema));
        const standing = new Map(rows.map(({ name, valid }) => [name, valid]));
        const missing = [...tables].flatMap(({ name: table, indexes }) =>
          [...indexes.values()]
            .filter(({ name, unique }) => !unique && standing.get(name) !== true)
            .map((index) => ({ table, index, half: standing.has(index.name) })),
        );
        if (missing.length === 0) await tx.run(setUnindexedStatement(project.id, false));
        return missing.filter(({ index }) => !this.#refused.get(project.id)?.has(index.name));
      },
      // What was committed while it waited for the lock has to be seen.
      { isolation: 'read committed', lockTimeout: LOCK_TIMEOUT },
    );
  }

  async #buildOne(executor: Executor, { id, schema }: Project, { table, index, half }: Missing): Promise<void> {
    const name = `${id}: index of ${table} (${index.columns.join(', ')})`;
    const started = performance.now();
    this.#log.log(`${name} is being built`);
    if (half) await executor.run(dropIndexStatement(schema, index.name));
    try {
      await executor.run(buildIndexStatement(schema, table, index));
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      await executor.run(dropIndexStatement(schema, index.name)).catch(() => undefined);
      if (!isDatabaseFault(error) || error.code !== '54000') throw error;
      this.#refused.set(id, new Set([...(this.#refused.get(id) ?? []), index.name]));
      this.#log.error(`${name} can not be built: a stored value is too long for it`);
      return;
    }
    this.#log.log(`${name} was built in ${Math.round(performance.now() - started)} ms`);
  }
}
