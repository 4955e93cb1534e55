/**
 * Builds the indexes of large kinds after the change that requires them has been committed, and validates their checks,
 * one at a time, without blocking reads and writes. There is no stored list: missing are the indexes of the model that do
 * not exist, and the checks that PostgreSQL marks as not valid. The
 * transaction of the change sets a flag of the project in the registry, so that any process finishes the work of one
 * that died.
 */
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { NoSessionError } from '../../database/session-connection.js';
import { Database, type Executor } from '../../database/database.js';
import { ProjectRepository } from '../../database/registry/project.repository.js';
import {
  isDatabaseAway,
  isRetryable,
  isStaleModel,
  isCheckViolation,
  isTooLongForIndex,
  causeText,
} from '../../database/statement/sqlstate.js';
import { tableShapes, type IndexShape } from '../../model/table/required-tables.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { KindError } from '../../shared/errors.js';
import { PeriodicWork } from '../../shared/periodic-work.js';
import {
  analyzeStatement,
  buildIndexStatement,
  lockIndexesStatement,
  listIndexesStatement,
  listUnvalidatedChecksStatement,
  validateCheckStatement,
  dropIndexStatement,
} from '../../sql/definition/index.sql.js';
import { lockProjectStatement } from '../../sql/definition/model.sql.js';
import { setUnindexedStatement } from '../../sql/server/registry.sql.js';
import { projectOf, type Project } from '../../tenancy/project.js';
import { loadModel } from '../model/model-store.js';
import { trigramSchema } from './deferred-indexes.js';
import { PROJECT_LOCK_TIMEOUT } from '../model/raise-version.js';

/** An index that the model requires and that does not exist; `invalid`: an interrupted build left it unusable. */
interface MissingIndex {
  readonly table: string;
  readonly index: IndexShape;
  readonly invalid: boolean;
  /** The schema of the extension pg_trgm. */
  readonly trigrams: string | undefined;
}

/** A check that was added while units were written, and that PostgreSQL has not compared with the stored units. */
interface UnvalidatedCheck {
  readonly table: string;
  readonly check: string;
}

@Injectable()
export class IndexBuilder implements OnModuleDestroy {
  readonly #log = new Logger('indexes');
  readonly #waiting = new Map<string, Project>();
  readonly #searches = new PeriodicWork(() => this.#search());
  /** Indexes and checks, by project, which stored values do not fit. They are tried again after the next change. */
  readonly #impossible = new Map<string, Set<string>>();
  /** Whether it was logged that nothing can be built. */
  #noSessionLogged = false;
  #running: Promise<void> | undefined;
  #missingCount = 0;

  constructor(
    private readonly database: Database,
    private readonly registry: ProjectRepository,
    metricSources: MetricSources,
  ) {
    metricSources.addGauge(
      'kind_indexes_pending',
      'Indexes of large kinds that this process has still to build, and checks to validate.',
      () => this.pending,
      {},
      // Each process looks for all that are left.
      'max',
    );
  }

  /** The number of indexes left to build of the current project, plus projects that wait. */
  get pending(): number {
    return this.#missingCount + this.#waiting.size;
  }

  /** Call it after a change that left indexes to build. */
  request(project: Project): void {
    this.#impossible.delete(project.id);
    this.#add(project);
  }

  /**
   * Builds missing indexes now and periodically, including those that other processes left, until the module is
   * destroyed.
   */
  watch(): Promise<void> {
    this.#searches.start();
    return this.#searches.run();
  }

  /** Builds all missing indexes once; skips those that another process is building. */
  async finish(): Promise<void> {
    await this.#search();
    await this.#running;
  }

  async onModuleDestroy(): Promise<void> {
    this.#waiting.clear();
    await this.#searches.stop();
    await this.#running;
  }

  async #search(): Promise<void> {
    try {
      for (const row of await this.registry.unindexed()) this.#add(projectOf(row));
    } catch (error) {
      // The next search tries again.
      if (!isDatabaseAway(error)) {
        this.#log.warn(`cannot tell which indexes are still to be built, tried again in a minute: ${causeText(error)}`);
      }
    }
  }

  #add(project: Project): void {
    if (this.#searches.signal.aborted) return;
    this.#waiting.set(project.id, project);
    this.#running ??= this.#buildAll().finally(() => {
      this.#running = undefined;
      const [next] = this.#waiting.values();
      if (next) this.#add(next);
    });
  }

  async #buildAll(): Promise<void> {
    for (const [id, project] of this.#waiting) {
      this.#waiting.delete(id);
      try {
        await this.database.withDedicatedConnection(
          (executor) => this.#build(executor, project),
          this.#searches.signal,
        );
      } catch (error) {
        // A deleted project has no tables; other failures are tried again by the next search.
        if (this.#searches.signal.aborted || isStaleModel(error) || isDatabaseAway(error)) continue;
        if (error instanceof NoSessionError) {
          this.#logNoSession();
          continue;
        }
        if (error instanceof KindError)
          this.#log.warn(`${id}: indexes are not built yet, tried again in a minute: ${causeText(error)}`);
        else this.#log.error(error);
      } finally {
        this.#missingCount = 0;
      }
    }
  }

  /** Logs it once, because it can only change with a restart. */
  #logNoSession(): void {
    if (this.#noSessionLogged) return;
    this.#noSessionLogged = true;
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
      this.#missingCount = missing.length;
      for (const each of missing) {
        if (this.#searches.signal.aborted) return;
        try {
          if ('check' in each) await this.#validate(executor, project, each);
          else await this.#buildOne(executor, project, each);
        } catch (error) {
          // The definitions have changed, or there was a deadlock with a change of them.
          if (tries > 5 || !(isStaleModel(error) || isRetryable(error))) throw error;
        }
        this.#missingCount -= 1;
      }
    }
  }

  /** Takes the project's lock, so that the flag is not cleared while a change is setting it. */
  #find(project: Project): Promise<(MissingIndex | UnvalidatedCheck)[]> {
    return this.database.transaction(
      async (tx) => {
        await tx.run(lockProjectStatement(project.schema));
        const tables = [...tableShapes(await loadModel(tx, project)).values()];
        const rows = await tx.run<{ name: string; valid: boolean }>(listIndexesStatement(project.schema));
        const validByName = new Map(rows.map(({ name, valid }) => [name, valid]));
        const trigrams = await trigramSchema(tx);
        const isValid = (name: string) => validByName.get(name) === true;
        const indexes = tables.flatMap(({ name: table, indexes }) =>
          [...indexes.values()]
            .filter(({ name, unique, method }) => !unique && !isValid(name) && canBuild(method, trigrams))
            .map((index) => ({ table, index, invalid: validByName.has(index.name), trigrams })),
        );
        const checks = await tx.run<UnvalidatedCheck>(listUnvalidatedChecksStatement(project.schema));
        const left = [...indexes, ...checks];
        if (left.length === 0) await tx.run(setUnindexedStatement(project.id, false));
        const impossible = this.#impossible.get(project.id);
        return left.filter((each) => !impossible?.has('check' in each ? each.check : each.index.name));
      },
      // Must see what was committed while it waited for the lock.
      { isolation: 'read committed', lockTimeout: PROJECT_LOCK_TIMEOUT },
    );
  }

  async #buildOne(
    executor: Executor,
    { id, schema }: Project,
    { table, index, invalid, trigrams }: MissingIndex,
  ): Promise<void> {
    const what = DESCRIPTIONS[index.method];
    const name = `${id}: ${what} of ${table} (${index.columns.join(', ')})`;
    const started = performance.now();
    this.#log.log(`${name} is being built`);
    if (invalid) await executor.run(dropIndexStatement(schema, index.name));
    try {
      await executor.run(buildIndexStatement(schema, table, index, trigrams));
      if (isOfExpression(index)) await executor.run(analyzeStatement(schema, table));
    } catch (error) {
      if (this.#searches.signal.aborted) throw error;
      await executor.run(dropIndexStatement(schema, index.name)).catch(() => undefined);
      if (!isTooLongForIndex(error)) throw error;
      this.#giveUp(id, index.name);
      this.#log.error(`${name} cannot be built: a stored value is too long for it`);
      return;
    }
    this.#log.log(`${name} was built in ${Math.round(performance.now() - started)} ms`);
  }

  async #validate(executor: Executor, { id, schema }: Project, { table, check }: UnvalidatedCheck): Promise<void> {
    try {
      await executor.run(validateCheckStatement(schema, table, check));
    } catch (error) {
      if (!isCheckViolation(error)) throw error;
      this.#giveUp(id, check);
      this.#log.error(`${id}: stored units of ${table} contradict its check ${check}, which holds for what is written`);
    }
  }

  #giveUp(project: string, name: string): void {
    this.#impossible.set(project, new Set([...(this.#impossible.get(project) ?? []), name]));
  }
}

const DESCRIPTIONS: Readonly<Record<IndexShape['method'], string>> = {
  btree: 'index',
  gin: 'index',
  trigram: 'index of parts of texts',
  search: 'index of words',
};

function isOfExpression({ method }: IndexShape): boolean {
  return method === 'trigram' || method === 'search';
}

/** Whether the database can have indexes of a method. @param trigrams the schema of pg_trgm */
function canBuild(method: IndexShape['method'], trigrams: string | undefined): boolean {
  return method !== 'trigram' || trigrams !== undefined;
}
