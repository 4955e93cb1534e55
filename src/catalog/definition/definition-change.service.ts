/** Changes definitions of a project: writes their rows and changes the tables accordingly, in one transaction. */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../../config/config.js';
import { Database, type Transaction, type Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { remainingAccepted } from '../../access/accepted.js';
import { orphanedAccess, type ClosedAccess } from '../../access/orphaned-access.js';
import { FILE_KIND, KIND_KIND, LINK_KIND, OWNED_KINDS } from '../../model/built-in-traits.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { diffInPieces, type Guard, type SchemaStep } from '../../model/table/diff.js';
import { hasMemberKind, isMemberKind, parameterOwner, recordOfParameter, type Model } from '../../model/model.js';
import { deactivateProvidersStatement } from '../../sql/member/identity.sql.js';
import { keysNamingKindStatement, setScopesStatement } from '../../sql/member/api-key.sql.js';
import { deleteOwnerlessStatement } from '../../sql/member/owned.sql.js';
import { forgetTasksOfKindsStatement } from '../../sql/changes/follow.sql.js';
import { deleteUnitsStatement } from '../../sql/write/delete.sql.js';
import { deleteLinksOfKindStatement } from '../../sql/link/many-links.sql.js';
import { disownFilesStatement } from '../../sql/file/owner.sql.js';
import { endMembersStatement } from '../../sql/member/session.sql.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { retryLater, Faults } from '../../shared/errors.js';
import { getOrInsert } from '../../shared/maps.js';
import { FairQueue, fractionOf } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { dropCountsStatement } from '../../sql/count.sql.js';
import { lockForDefinitionChangeStatement } from '../../sql/definition/ddl.sql.js';
import {
  bumpVersionStatement,
  closeFieldAccessStatement,
  forgetDefinedInStatement,
  recordDefinedInStatement,
  setJsonStatement,
} from '../../sql/definition/model.sql.js';
import { setUnindexedStatement } from '../../sql/server/registry.sql.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import type { Project } from '../../tenancy/project.js';
import { changedDefinitions, ChangeEffects } from './change-report.js';
import { checkGuards } from './change-guards.js';
import { recordedFields } from '../../model/recorded-fields.js';
import { forgetRecorded, historiesDropped, historiesLeft, refuseToLeave } from './recorded-changes.js';
import { addsChecksToMany, takeChecksBack } from './checks-without-lock.js';
import { IndexBuilder } from '../indexes/index-builder.js';
import { DeferredIndexes } from '../indexes/deferred-indexes.js';
import { loadModel, ModelStore } from '../model/model-store.js';
import { withoutNulls } from './filled-nulls.js';
import { raiseVersion, PROJECT_LOCK_TIMEOUT, lockProject } from '../model/raise-version.js';
import { PatternMatcher } from '../pattern/pattern-matcher.js';
import { DefinitionChange, type AroundChange, type ChangeOptions } from './definition-change.js';
import { copyParameters, typeOfParameter } from './copied-parameters.js';
import { refuseIfLocked } from './locked-model.js';
import { renameInUnits } from './rename-definitions.js';
import { runSteps } from './run-steps.js';
import {
  checkAccessRules,
  checkFieldRules,
  checkLinkAccessRules,
  checkMemberNames,
} from '../../access/check-access.js';
import { suggestableIds } from '../../access/suggestable-ids.js';
import { checkCounts, checkModel } from '../../model/check/check-model.js';
import { checkKindChecks, remainingChecks } from '../../model/check/kind-checks.js';
import { storedBytesOf } from '../model/model-cache.js';
import { withoutKinds } from '../../access/key-scope.js';
import type { Json } from '../../shared/json.js';

/** Milliseconds that a change waits for others in this process. */
const CHANGE_QUEUE_TIMEOUT = 30_000;
/** Checking and indexing many units can take long. */
const CHANGE_STATEMENT_TIMEOUT = 600_000;

@Injectable()
export class DefinitionChangeService {
  /** Limits the connections that changes of definitions use. */
  readonly #queue: FairQueue;

  constructor(
    private readonly database: Database,
    private readonly models: ModelStore,
    private readonly builds: IndexBuilder,
    private readonly patterns: PatternMatcher,
    private readonly audit: AuditLog,
    @Inject(CONFIG) config: Config,
    metricSources: MetricSources,
  ) {
    this.#queue = new FairQueue({
      perKey: 1,
      concurrency: fractionOf(config.databasePool, 1 / 4),
      maxWaitingPerKey: LIMITS.changesWaiting,
      timeout: CHANGE_QUEUE_TIMEOUT,
      refusal: () => retryLater('server.busy', 'Too many changes of definitions wait for their turn', 5),
    });
    metricSources.addQueue('definitions', this.#queue);
  }

  /**
   * Runs `work`, which writes definitions, then changes the tables. One change of a project runs at a time; the lock in
   * the database is for other processes. Must not be called inside `withModel`, where it would wait while it holds the
   * place of another request.
   */
  async change<T>(
    project: Project,
    options: ChangeOptions,
    work: (change: DefinitionChange) => Promise<T>,
    around?: AroundChange<T>,
  ): Promise<T> {
    return this.#queue.run(project.id, () => this.#change(project, options, work, around));
  }

  /** The same in a transaction at READ COMMITTED that has read nothing of the project, such as one that makes it. */
  async changeWithin<T>(
    tx: Transaction,
    project: Project,
    options: ChangeOptions,
    work: (change: DefinitionChange) => Promise<T>,
    around: AroundChange<T> = (_, change) => change(),
  ): Promise<T> {
    refuseIfLocked(project, options);
    await lockProject(tx, project.schema);
    const changed = async (): Promise<T> => {
      const before = await loadModel(tx, project, { known: this.models.peek(project) });
      const effects = options.report && new ChangeEffects(options.tellCounts);
      const change = new DefinitionChange(tx, before, options, effects);
      const result = await work(change);
      const model = await this.#apply(project, change);
      if (effects)
        options.report(
          await runYielding(effects.of(change.before, model, change.renames), new EventLoopYield(project.schema)),
        );
      tx.afterCommit(() => void this.models.publish(project, model));
      if (this.audit.isOn) this.#audit(project, change, model, options);
      return result;
    };
    return around(tx, changed);
  }

  async #change<T>(
    project: Project,
    options: ChangeOptions,
    work: (change: DefinitionChange) => Promise<T>,
    around: AroundChange<T> | undefined,
  ): Promise<T> {
    const { statementTimeout = CHANGE_STATEMENT_TIMEOUT, undo = false } = options;
    const counted = { again: [] as Guard[] };
    const begin = (change: DefinitionChange): Promise<T> => {
      counted.again = [];
      // The answer that is kept for an Idempotency-Key is not taken back.
      if (undo || !around) change.countedAgain = counted.again;
      return work(change);
    };
    const result = await this.database.transaction((tx) => this.changeWithin(tx, project, options, begin, around), {
      // READ COMMITTED, because model, counts and stored values must be those committed while it waited for its locks.
      // Nothing is read before.
      project,
      isolation: 'read committed',
      lockTimeout: PROJECT_LOCK_TIMEOUT,
      statementTimeout,
      undo,
    });
    if (!undo && counted.again.length > 0) await this.#countAgain(project, options, counted.again);
    return result;
  }

  /** Counts the units that came in while they were counted first. @throws KindError 409 after it took the checks back */
  async #countAgain(project: Project, options: ChangeOptions, guards: readonly Guard[]): Promise<void> {
    const { statementTimeout = CHANGE_STATEMENT_TIMEOUT, tellCounts, caller, requestId } = options;
    const executor = this.database.ofProject(project, { limit: statementTimeout });
    try {
      await checkGuards({ executor, project, patterns: this.patterns }, guards, { cascade: false, tellCounts });
    } catch (error) {
      // Another change has taken a column or the table since.
      if (isStaleModel(error)) return;
      const back = { cascade: false, tellCounts, caller, ...(requestId && { requestId }) };
      await this.#change(project, back, (change) => takeChecksBack(change, project, guards), undefined);
      throw error;
    } finally {
      this.builds.request(project);
    }
  }

  #audit(project: Project, change: DefinitionChange, after: Model, { caller, requestId }: ChangeOptions): void {
    const { tx, before, renames } = change;
    const details = changedDefinitions(before, after, renames);
    if (details.changes.length === 0) return;
    this.audit.record({ action: 'definitions.changed', project: project.id, caller, requestId, details }, tx);
  }

  async #apply(project: Project, change: DefinitionChange): Promise<Model> {
    const { tx, before } = change;
    await copyParameters(project, change);
    const yielder = new EventLoopYield(project.schema);
    const written = await this.#takeChecks(project, change, await loadModel(tx, project, { known: before }));
    await runYielding(checkWritten(written, change), yielder);
    const withoutUnused = await this.#updateInlineParameters(project, change, written);
    const orphaned = await runYielding(orphanedAccess(before, withoutUnused), yielder);
    const closed = await this.#closeAccess(project, change, withoutUnused, orphaned);
    const after = await this.#takeAccepted(project, change, closed);
    const { tables: tableShapes, ...diff } = await runYielding(diffInPieces(before, after), yielder);
    const { guards, steps, filled, last: notNull } = withoutNulls(after, change.fills, diff.guards, diff.steps);
    const guarded = { executor: tx, project, patterns: this.patterns };
    const { judged } = change;
    const again = change.writesMetadata || judged ? undefined : change.countedAgain;
    const later = again && (await addsChecksToMany(guarded, { before, after, renames: change.renames, guards, steps }));
    if (later) {
      await checkGuards(guarded, guards, change);
      again.push(...guards);
    }
    const tables = new Set([...guards.map((guard) => guard.table), ...alteredTables(steps)]);
    if (judged) {
      await judged.judge(guarded, { guards: guards.filter(({ cascade }) => !cascade), filled, tables: [...tables] });
    } else {
      if (tables.size > 0) await tx.run(lockForDefinitionChangeStatement(project.schema, [...tables].sort()));
      if (!later) await checkGuards(guarded, guards, change);
    }
    const left = await historiesLeft(tx, project.schema, before, after);
    if (!change.cascade) refuseToLeave(left);
    const dropped = droppedKinds(before, after);
    await change.effects?.countLosses(guarded, guards, dropped, judged);
    const lost = change.effects ? await historiesDropped(tx, project.schema, before, dropped) : [];
    for (const { kind, count } of [...left, ...lost]) change.effects?.addLoss({ kind_id: kind }, 'versions', count);
    const deferredIndexes = new DeferredIndexes(tx, project.schema, tableShapes);
    const last = change.fill ? steps.filter(({ type }) => ON_FILLED_TABLES.has(type)) : [];
    const first = change.fill ? steps.filter((step) => !last.includes(step)) : steps;
    const run = (some: readonly SchemaStep[]) => runSteps(tx, project.schema, some, deferredIndexes);
    await (judged ? judged.change(tx, first, run) : run(first));
    const emptied = newOrDroppedTables(steps);
    if (emptied.length > 0) await tx.run(dropCountsStatement(project.schema, emptied));
    await change.fill?.(after);
    if (filled.length > 0 && !judged) await change.fills?.write(after, filled);
    await runSteps(tx, project.schema, judged ? last : [...last, ...notNull]);
    change.effects?.setSteps(steps, deferredIndexes);
    if (deferredIndexes.any || later) await tx.run(setUnindexedStatement(project.id, true));
    if (deferredIndexes.any) tx.afterCommit(() => this.builds.request(project));
    // A plan has counted them, and writes none of them.
    if (!judged) {
      // Their tables are dropped, so no links to their units can be in progress.
      for (const id of dropped) await tx.run(deleteLinksOfKindStatement(project.schema, id));
      await forgetRecorded(tx, project.schema, { before, after, dropped });
      if (dropped.length > 0) await tx.run(forgetTasksOfKindsStatement(project.schema, dropped));
    }
    const formerMembers = formerMemberKinds(before, after);
    for (const id of formerMembers) {
      await disownFiles(project, change, after, id);
      await tx.run(endMembersStatement(project.schema, id));
    }
    const version = await raiseVersion(tx, project, bumpVersionStatement(project.schema, BUILT_IN_VERSION));
    if (change.former) await renameInUnits(project, change, change.former);
    // After the version was raised, so that keys which were made meanwhile are found too.
    const deleted = [...before.kinds.keys()].filter((id) => !after.kinds.has(id));
    await dropKindsFromScopes(tx, project.schema, deleted);
    if (formerMembers.length > 0) {
      for (const owned of OWNED_KINDS) await tx.run(deleteOwnerlessStatement(project.schema, owned));
      await tx.run(deactivateProvidersStatement(project.schema, formerMembers));
    }
    return { ...after, version };
  }

  /**
   * Records which parameters were defined in the body of a kind or link type, and deletes those of deleted ones that no
   * other definition uses, and own ones that their kind no longer has.
   */
  async #updateInlineParameters(project: Project, change: DefinitionChange, written: Model): Promise<Model> {
    const { tx, before, definedIn } = change;
    const remaining = new Set(parameterLists(written).map(({ owner }) => owner));
    const deleted = parameterLists(before).filter(({ owner }) => !remaining.has(owner));
    if (definedIn.size > 0) await tx.run(recordDefinedInStatement(project.schema, definedIn));
    const unused = [...unusedInlineParameters(deleted, written), ...ownOfNone(written)];
    if (deleted.length + unused.length > 0) {
      const owners = deleted.map(({ owner }) => owner);
      await tx.run(forgetDefinedInStatement(project.schema, owners));
      for (const [type, ids] of byType(written, unused)) {
        await tx.run(deleteUnitsStatement(change.planOf(project, type), ids));
      }
    }
    return definedIn.size + deleted.length + unused.length > 0 ? loadModel(tx, project, { known: written }) : written;
  }

  /** With `?cascade=true` the checks go that name a parameter which the kind no longer has. */
  async #takeChecks(project: Project, change: DefinitionChange, written: Model): Promise<Model> {
    const { tx, before, cascade } = change;
    const remaining = cascade ? remainingChecks(before, written) : new Map<string, never>();
    for (const [id, checks] of remaining)
      await tx.run(setJsonStatement(change.planOf(project, KIND_KIND), 'checks', id, checks));
    return remaining.size > 0 ? loadModel(tx, project, { known: written }) : written;
  }

  /** What was accepted of access that is another now goes. */
  async #takeAccepted(project: Project, change: DefinitionChange, written: Model): Promise<Model> {
    const remaining = remainingAccepted(change.before, written);
    const plan = change.planOf(project, KIND_KIND);
    for (const [id, accepted] of remaining) await change.tx.run(setJsonStatement(plan, 'accepted', id, accepted));
    return remaining.size > 0 ? loadModel(change.tx, project, { known: written }) : written;
  }

  /** Rules that name something which was removed are replaced by ones that allow nobody. */
  async #closeAccess(
    project: Project,
    change: DefinitionChange,
    written: Model,
    { kinds, linkTypes, parameters, transitions }: ClosedAccess,
  ): Promise<Model> {
    const { tx } = change;
    const planOf = (id: string) => change.planOf(project, id);
    const planOfParameter = (id: string) => planOf(typeOfParameter(written, id));
    for (const [id, closed] of kinds) await tx.run(setJsonStatement(planOf(KIND_KIND), 'access', id, closed));
    for (const [id, closed] of linkTypes) await tx.run(setJsonStatement(planOf(LINK_KIND), 'access', id, closed));
    for (const [id, fields] of parameters) await tx.run(closeFieldAccessStatement(planOfParameter(id), id, fields));
    for (const [id, closed] of transitions)
      await tx.run(setJsonStatement(planOfParameter(id), 'transitions', id, closed));
    const closed = kinds.size + linkTypes.size + parameters.size + transitions.size;
    return closed > 0 ? loadModel(tx, project, { known: written }) : written;
  }
}

/** A definition that has parameters, by the ids of their records. */
interface ParameterList {
  readonly owner: string;
  readonly parameters: readonly string[];
}

/** The users' kinds and the link types. */
function parameterLists({ kinds, linkTypes }: Model): ParameterList[] {
  const own = [...kinds.values()].filter(({ builtIn }) => !builtIn);
  return [
    ...own.map((kind) => ({
      owner: parameterOwner('kind', kind.id),
      parameters: kind.parameters.map((id) => recordOfParameter(kind, id)),
    })),
    ...[...linkTypes.values()].map(({ id, parameters }) => ({ owner: parameterOwner('link', id), parameters })),
  ];
}

/** The parameters that were defined in the bodies of deleted definitions and that no other one uses. */
function unusedInlineParameters(deleted: readonly ParameterList[], written: Model): string[] {
  const used = new Set(parameterLists(written).flatMap(({ parameters }) => parameters));
  return deleted.flatMap(({ owner, parameters }) =>
    parameters.filter((id) => !used.has(id) && written.parameters.get(id)?.definedIn?.includes(owner)),
  );
}

/** Parameters by their type. */
function byType(model: Model, ids: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const id of ids) getOrInsert(types, typeOfParameter(model, id), () => []).push(id);
  return types;
}

/** The records of own parameters that their kind does not have. */
function ownOfNone({ parameters, kinds }: Model): string[] {
  return [...parameters].flatMap(([recordId, def]) => {
    if (def.ownKind === undefined) return [];
    return kinds.get(def.ownKind)?.fields.get(def.id)?.def === def ? [] : [recordId];
  });
}

/** The steps that are done after new tables are filled. */
const ON_FILLED_TABLES: ReadonlySet<SchemaStep['type']> = new Set(['create_index', 'add_foreign_key']);

/** Checks that the written definitions are consistent, and rules of access valid. @throws KindError with every fault */
function* checkWritten(model: Model, change: DefinitionChange): WorkInPieces<void> {
  const faults = new Faults();
  for (const id of change.access) {
    const kind = model.kinds.get(id);
    if (kind) checkAccessRules(kind, model, faults);
    yield;
  }
  for (const id of change.linkAccess) {
    const type = model.linkTypes.get(id);
    if (type) checkLinkAccessRules(type, model, faults);
    yield;
  }
  for (const kind of model.kinds.values()) {
    if (!kind.builtIn) checkFieldRules(kind, { before: change.before, after: model }, change, faults);
    checkKindChecks(kind, change.before.kinds.get(kind.id), faults);
    yield;
  }
  checkMemberNames(model, change, faults);
  yield* checkModel(model, change, suggestableIds(model, change.caller), faults);
  checkCounts(change.before, model, faults);
  checkDefinitionBytes(change.before, model, faults);
  faults.throwIfAny();
}

/** Bytes by which a project over the limit may still grow: switching something off stores `false`, which is longer. */
const TOLERATED_GROWTH = 100;

/** Adds a fault if the definitions exceed the limit and have grown. */
function checkDefinitionBytes(before: Model, after: Model, faults: Faults): void {
  const [took, takes, allowed] = [storedBytesOf(before), storedBytesOf(after), LIMITS.definitionBytes];
  if (takes <= (took > allowed ? took + TOLERATED_GROWTH : allowed)) return;
  const [most, now, then] = [allowed, took, takes].map((bytes) => bytes.toLocaleString('en'));
  const text = `The definitions of a project take at most ${most} bytes, as JSON; these take ${now}, and would take ${then}`;
  faults.add('project.full', text);
}

/** Kinds that had a table and no longer have one. */
function droppedKinds(before: Model, after: Model): string[] {
  const stored = [...before.kinds.values()].filter((kind) => !kind.builtIn && kind.storage.hasTable);
  return stored.filter(({ id }) => !after.kinds.get(id)?.storage.hasTable).map(({ id }) => id);
}

/** Kinds whose units are no longer members; their credentials are deleted. */
function formerMemberKinds(before: Model, after: Model): string[] {
  const members = [...before.kinds.values()].filter(isMemberKind);
  return members.filter(({ id }) => !hasMemberKind(after, id)).map(({ id }) => id);
}

function newOrDroppedTables(steps: readonly SchemaStep[]): string[] {
  return steps.flatMap((step) => {
    if (step.type === 'create_table') return [step.table.name];
    return step.type === 'drop_table' ? [step.table] : [];
  });
}

function alteredTables(steps: readonly SchemaStep[]): string[] {
  const newTables = new Set(steps.flatMap((step) => (step.type === 'create_table' ? [step.table.name] : [])));
  return steps.flatMap((step) => {
    if (step.type === 'create_sequence') return step.numbers?.table ?? [];
    const hasNone = step.type === 'create_table' || step.type === 'drop_index' || step.type === 'drop_sequence';
    return hasNone || newTables.has(step.table) ? [] : [step.table];
  });
}

/** Keys that are changed with one statement. */
const KEYS_AT_ONCE = 1000;

/**
 * Takes kinds that were deleted from the scopes of API keys, so that new kinds of the same names are not in them. To be
 * called after the version of the model was raised: then no key whose scope names one of them can be stored any more.
 */
async function dropKindsFromScopes(executor: Executor, schema: string, kinds: readonly string[]): Promise<void> {
  const dropped = new Set(kinds);
  for (const kind of kinds) {
    for (let after: string | undefined; ;) {
      const page = { after, limit: KEYS_AT_ONCE };
      const found = await executor.run<{ id: string; scope: Json }>(keysNamingKindStatement(schema, kind, page));
      if (found.length === 0) break;
      const narrowed = found.map(({ id, scope }) => ({ id, scope: withoutKinds(scope, dropped) }));
      await executor.run(setScopesStatement(schema, narrowed));
      after = found.at(-1)?.id;
      if (found.length < KEYS_AT_ONCE) break;
    }
  }
}

/** The files of members whose kind goes stay, without an owner. */
async function disownFiles(
  { schema }: Project,
  { tx, undo, origin }: DefinitionChange,
  model: Model,
  memberKind: string,
): Promise<void> {
  const kind = model.kinds.get(FILE_KIND);
  const owner = kind?.fields.get('owner');
  if (!kind?.traits.contents || !owner) return;
  const recorded = !undo && kind.changes !== 'none';
  const recording = recorded ? { fields: recordedFields(kind, model), origin } : undefined;
  await tx.run(disownFilesStatement({ schema, kind, recording }, owner, { memberKind }));
}
