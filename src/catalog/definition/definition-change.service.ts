/**
 * A change of a project's definitions: rows are written through the one door, then the tables follow, in one
 * transaction. All of it happens or none.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/config.token.js';
import { Database, type Executor, type Transaction } from '../../database/database.js';
import { isDatabaseFault } from '../../database/statement/sqlstate.js';
import { checkAccessRules, orphanedAccess } from '../../access/check-access.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { suggestableIds } from '../../access/suggestable-ids.js';
import { checkCounts, checkModel } from '../../model/check/check-model.js';
import { diffInPieces, type Step } from '../../model/table/diff.js';
import { isMemberKind, type KindDef, type Model } from '../../model/model.js';
import { deleteLinksOfKindStatement } from '../../sql/link.sql.js';
import { endMembersStatement } from '../../sql/session.sql.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { retryLater, Faults, refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { FairQueue } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';
import { runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { dropDefaultsStatement, lockForDefinitionChangeStatement, stepStatement } from '../../sql/ddl.sql.js';
import {
  bumpVersionStatement,
  deleteParametersStatement,
  lockProjectStatement,
  recordDefinedInStatement,
  setAccessStatement,
} from '../../sql/model.sql.js';
import { settingStatement, setUnindexedStatement } from '../../sql/registry.sql.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { checkGuards } from './change-guards.js';
import { IndexBuilder } from '../index/index-builder.js';
import { LargeIndexes } from '../index/large-indexes.js';
import { storedBytesOf } from '../model/model-cache.js';
import { loadModel, ModelStore } from '../model/model-store.js';
import { PatternMatcher } from '../pattern/pattern-matcher.js';

/** What is announced when a model changes. The payload is `project:version`. */
export const MODEL_CHANNEL = 'kind_model';

const LOCK_TIMEOUT = 10_000;
/** Milliseconds that a change waits for others of this process. */
const PATIENCE = 30_000;
const TABLE_LOCK_TIMEOUT = '3s';
/** Checking and indexing many units takes its time. */
const STATEMENT_TIMEOUT = 600_000;

/** What the work of a change sees and says. */
export class DefinitionChange {
  readonly kinds = new Set<string>();
  /** Kinds that a group was given, or lost. */
  readonly regrouped = new Set<string>();
  readonly parameters = new Set<string>();
  /** Parameters that were defined inside the body of a kind, and where. */
  readonly inline = new Map<string, number>();
  /** Those among them that are to go with a kind, and the kind. */
  readonly definedIn = new Map<string, string>();
  /** Kinds whose access was written. */
  readonly access = new Set<string>();

  constructor(
    readonly tx: Transaction,
    /** The model before the change, read under the project's lock. */
    readonly before: Model,
    /** `?cascade=true`: what would be lost may be lost. */
    readonly cascade: boolean,
    /** Whether counts of offending units may be told. */
    readonly tellCounts: boolean,
    readonly caller: Caller,
  ) {}
}

export interface ChangeOptions {
  readonly cascade: boolean;
  readonly tellCounts: boolean;
  readonly caller: Caller;
}

@Injectable()
export class DefinitionChangeService {
  /** Who changes definitions all the time never holds the pool that others need. */
  readonly #turns: FairQueue;

  constructor(
    private readonly database: Database,
    private readonly models: ModelStore,
    private readonly builds: IndexBuilder,
    private readonly patterns: PatternMatcher,
    @Inject(CONFIG) config: Config,
  ) {
    this.#turns = new FairQueue({
      perKey: 1,
      concurrency: Math.max(1, Math.floor(config.databasePool / 4)),
      maxWaitingPerKey: LIMITS.changesWaiting,
      timeout: PATIENCE,
      refusal: () => retryLater('server.busy', 'Too many changes of definitions wait for their turn', 5),
    });
  }

  /**
   * Runs `work`, then makes the tables fit what it wrote. The lock in the database is for other processes. Not to be
   * called from inside `withModel`, where a change would wait in the place of another request.
   */
  async change<T>(
    project: Project,
    options: ChangeOptions,
    work: (change: DefinitionChange) => Promise<T>,
  ): Promise<T> {
    return this.#turns.run(project.id, () => this.#change(project, options, work));
  }

  #change<T>(project: Project, options: ChangeOptions, work: (change: DefinitionChange) => Promise<T>): Promise<T> {
    return this.database.transaction(
      async (tx) => {
        await tx.run(lockProjectStatement(project.schema));
        await tx.run(settingStatement('lock_timeout', TABLE_LOCK_TIMEOUT));
        const before = await loadModel(tx, project, { known: this.models.peek(project) });
        const change = new DefinitionChange(tx, before, options.cascade, options.tellCounts, options.caller);
        const result = await work(change);
        const model = await this.#apply(project, change);
        tx.afterCommit(() => void this.models.publish(project, model));
        return result;
      },
      // Model, counts and stored values are those that were committed while it waited for its locks, so there is nothing
      // that it could have read before and lose.
      { isolation: 'read committed', lockTimeout: LOCK_TIMEOUT, statementTimeout: STATEMENT_TIMEOUT },
    );
  }

  async #apply(project: Project, change: DefinitionChange): Promise<Model> {
    const { tx, before } = change;
    const yielder = new EventLoopYield(project.schema);
    const written = await loadModel(tx, project, { known: before });
    await runYielding(checkWritten(written, change), yielder);
    const settled = await this.#settleInline(project, change, written);
    const orphaned = await runYielding(orphanedAccess(before, settled), yielder);
    const after = await this.#closeAccess(project, tx, settled, orphaned);
    const { guards, steps, tables: made } = await runYielding(diffInPieces(before, after), yielder);
    const tables = new Set([...guards.map((guard) => guard.table), ...alteredTables(steps)]);
    if (tables.size > 0) await tx.run(lockForDefinitionChangeStatement(project.schema, [...tables].sort()));
    await checkGuards({ executor: tx, project, patterns: this.patterns }, guards, change);
    const large = new LargeIndexes(tx, project.schema, made);
    await runSteps(tx, project.schema, steps, large.leaves);
    if (large.any) {
      await tx.run(setUnindexedStatement(project.id, true));
      tx.afterCommit(() => this.builds.request(project));
    }
    // Their tables are gone: whoever was linking a unit of theirs has ended, and nobody begins to.
    for (const id of goneTables(before, after)) await tx.run(deleteLinksOfKindStatement(project.schema, id));
    for (const id of formerMemberKinds(before, after)) await tx.run(endMembersStatement(project.schema, id));
    const [row] = await tx.run<{ v: string }>(
      bumpVersionStatement(project.schema, MODEL_CHANNEL, project.id, BUILT_IN_VERSION),
    );
    return { ...after, version: Number(row?.v) };
  }

  /** Parameters that came with a kind are known to, and go with it where no other one uses them. */
  async #settleInline(project: Project, { tx, before, definedIn }: DefinitionChange, written: Model): Promise<Model> {
    const gone = [...before.kinds.values()].filter(({ id }) => !written.kinds.has(id));
    if (definedIn.size > 0) await tx.run(recordDefinedInStatement(project.schema, definedIn));
    if (gone.length > 0) {
      const ids = gone.map(({ id }) => id);
      await tx.run(deleteParametersStatement(project.schema, onlyThere(gone, written), ids));
    }
    return definedIn.size + gone.length > 0 ? loadModel(tx, project, { known: written }) : written;
  }

  /** Rules whose parameter went let nobody in. */
  async #closeAccess(
    project: Project,
    tx: Transaction,
    written: Model,
    orphaned: ReadonlyMap<string, Json>,
  ): Promise<Model> {
    for (const [id, closed] of orphaned) await tx.run(setAccessStatement(project.schema, id, closed));
    return orphaned.size > 0 ? loadModel(tx, project, { known: written }) : written;
  }
}

/** The parameters of kinds that are gone which were defined in their bodies, and which no other kind uses. */
function onlyThere(gone: readonly KindDef[], { kinds, parameters }: Model): string[] {
  const used = new Set([...kinds.values()].flatMap(({ builtIn, parameters: ids }) => (builtIn ? [] : ids)));
  return gone.flatMap((kind) =>
    kind.parameters.filter((id) => !used.has(id) && parameters.get(id)?.definedIn?.includes(kind.id)),
  );
}

/** Definitions that were written must fit together, and rules of access to them. @throws KindError with every fault */
function* checkWritten(model: Model, change: DefinitionChange): WorkInPieces<void> {
  const faults = new Faults();
  for (const id of change.access) {
    const kind = model.kinds.get(id);
    if (kind) checkAccessRules(kind, model, faults);
    yield;
  }
  yield* checkModel(model, change, suggestableIds(model, change.caller), faults);
  checkCounts(change.before, model, faults);
  checkBytes(change.before, model, faults);
  faults.throwIfAny();
}

/** Bytes by which a project may grow whose definitions take too many already: what is switched off is `false`, and longer. */
const LEEWAY = 100;

/** Adds a fault where the definitions would take more bytes than a project has, and more than they took. */
function checkBytes(before: Model, after: Model, faults: Faults): void {
  const [took, takes, allowed] = [storedBytesOf(before), storedBytesOf(after), LIMITS.definitionBytes];
  if (takes <= (took > allowed ? took + LEEWAY : allowed)) return;
  const [most, now, then] = [allowed, took, takes].map((bytes) => bytes.toLocaleString('en'));
  const text = `The definitions of a project take at most ${most} bytes, as JSON; these take ${now}, and would take ${then}`;
  faults.add('project.full', text);
}

/** Kinds that had units of their own and have none any more. */
function goneTables(before: Model, after: Model): string[] {
  const stored = [...before.kinds.values()].filter((kind) => !kind.builtIn && kind.storage.hasTable);
  return stored.filter(({ id }) => !after.kinds.get(id)?.storage.hasTable).map(({ id }) => id);
}

/** Kinds whose units are members no more: their credentials go with that. */
function formerMemberKinds(before: Model, after: Model): string[] {
  const members = [...before.kinds.values()].filter(isMemberKind);
  return members.filter(({ id }) => !isMemberKindOf(after, id)).map(({ id }) => id);
}

function isMemberKindOf(model: Model, id: string): boolean {
  const kind = model.kinds.get(id);
  return kind !== undefined && isMemberKind(kind);
}

function alteredTables(steps: readonly Step[]): string[] {
  const made = new Set(steps.flatMap((step) => (step.type === 'create_table' ? [step.table.name] : [])));
  return steps.flatMap((step) =>
    step.type === 'create_table' || step.type === 'drop_index' || made.has(step.table) ? [] : [step.table],
  );
}

/**
 * Runs the steps in order, but for those that are left for later. A column that was added with a default for the units
 * there loses it again.
 */
export async function runSteps(
  executor: Executor,
  schema: string,
  steps: readonly Step[],
  leaves: (step: Step) => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  for (const step of steps) {
    if (await leaves(step)) continue;
    try {
      await executor.run(stepStatement(step, schema));
    } catch (error) {
      if (isDatabaseFault(error) && error.code === '54000') {
        throw refusal('parameter.violated', 'Stored values are too long for an index (at most some 2,600 bytes)');
      }
      throw error;
    }
    if (step.type !== 'alter_table') continue;
    const filled = step.changes.flatMap((each) =>
      each.type === 'add' && each.default !== null ? [each.column.name] : [],
    );
    if (filled.length > 0) await executor.run(dropDefaultsStatement(step.table, filled, schema));
  }
}
