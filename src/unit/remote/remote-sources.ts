/**
 * The seam to whoever supplies the units of remote kinds. A source may take its time: work that asks one holds no
 * connection meanwhile, and no place among those that wait for the database.
 */
import { Injectable } from '@nestjs/common';
import { remoteUnavailable } from '../../access/access.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { PatternMatcher } from '../../catalog/pattern/pattern-matcher.js';
import { StaleModelError } from '../../catalog/model/stale-model-error.js';
import { Database } from '../../database/database.js';
import { LazyTransaction, type BeginTransaction } from '../../database/transaction/lazy-transaction.js';
import type { TransactionRuns } from '../../database/transaction/conflict-retries.js';
import { commonRefusal, isStaleModel } from '../../database/statement/sqlstate.js';
import { isMemberKind, type KindDef } from '../../model/model.js';
import { retryLater, KindError, asMayBeStored, refusal } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';
import { Behaviors } from '../draft/behavior.js';
import type { Settle } from './remote-answer.js';
import type { Session } from '../session/session.js';
import type { UnitOperation } from '../store/unit-store.js';

/** The source of one kind. */
export interface RemoteSource {
  readonly can: ReadonlySet<UnitOperation>;
  /** What the source answers, whatever that is. @throws KindError 503 where it does not, 504 past the time limit */
  ask(operation: UnitOperation, args: readonly unknown[], session: Session): Promise<unknown>;
}

/** The sources of a deployment. */
export interface RemoteSources {
  /** The source, or why it is not to be had; undefined where there is none. */
  find(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): RemoteSource | KindError | undefined;
  /** Runs work that asks a source: so much of one project at once, so that slow sources are not everybody's. */
  hold<T>(project: Project, work: () => Promise<T>): Promise<T>;
  /** Runs what hooks and sources do in the database. */
  begin(project: Project, runs: TransactionRuns): BeginTransaction;
}

/** A source as one piece of work has it. */
export interface SourceAccess {
  readonly session: Session;
  readonly ask: (operation: UnitOperation, ...args: readonly unknown[]) => Promise<unknown>;
  /** Matches what it answers against the patterns of the kind. */
  readonly settle: Settle;
  /** Runs what hooks do before the source is asked, or after: all of it is done when it comes back. */
  readonly around: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
}

/** What a source only reads can be asked for again. */
const READ_OPERATIONS: ReadonlySet<UnitOperation> = new Set(['list', 'get']);

const UNSUPPORTED_TEXTS: Readonly<Record<UnitOperation, string>> = {
  list: 'listed',
  get: 'asked for one by one',
  create: 'created',
  update: 'changed',
  delete: 'deleted',
};

@Injectable()
export class RemoteSourceRunner {
  #sources: RemoteSources | undefined;

  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly behaviors: Behaviors,
    private readonly patterns: PatternMatcher,
  ) {}

  /** At most one. */
  register(sources: RemoteSources): void {
    this.#sources = sources;
  }

  /** Whether the kind has a source that can not do it. */
  lacks(kind: KindDef, project: Project, operation: UnitOperation): boolean {
    const source = this.#sources?.find(kind, { project });
    return source !== undefined && !(source instanceof KindError) && !source.can.has(operation);
  }

  /** @throws KindError 403 where the source has no such operation, 503 where it is not available */
  open(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>, operation: UnitOperation): RemoteSource {
    // Members are kept here, with their passwords.
    const source = isMemberKind(kind) ? undefined : this.#sources?.find(kind, session);
    if (!source) throw remoteUnavailable(kind);
    if (source instanceof KindError) throw source;
    if (source.can.has(operation)) return source;
    throw refusal(
      'kind.not_allowed_here',
      `Units of '${kind.id}' can not be ${UNSUPPORTED_TEXTS[operation]}: its source does not`,
    );
  }

  /**
   * Runs work with the source of a kind. Inside a call that is under way it is a part of that one; else the hooks before
   * the source, what itself does in the database, and the hooks after it have a transaction each.
   */
  async within<T>(
    scope: Session,
    kind: KindDef,
    operation: UnitOperation,
    work: (asked: SourceAccess) => Promise<T>,
  ): Promise<T> {
    const session = { ...this.behaviors.deployment, ...scope };
    const source = this.open(kind, session, operation);
    const sources = this.#sources;
    const { executor: given } = session;
    const settle: Settle = (checks) => this.patterns.settle(session.project.id, checks);
    if (given.tx || !sources) {
      // No transaction begins for it, and one that has begun waits for no second connection.
      await this.catalog.check(session.project, session.model, given.tx?.hasBegun ? given : this.database);
      const ask: SourceAccess['ask'] = (asked, ...args) => source.ask(asked, args, session);
      return work({ session, settle, ask, around: (hooks) => hooks(session) });
    }
    return sources.hold(session.project, () => this.#apart({ session, settle }, source, sources, work));
  }

  /** The source may have done what it was asked for to write: that it is not asked again. */
  async #apart<T>(
    { session, settle }: Pick<SourceAccess, 'session' | 'settle'>,
    source: RemoteSource,
    sources: RemoteSources,
    work: (asked: SourceAccess) => Promise<T>,
  ): Promise<T> {
    const runs = this.database.runs();
    const begin = sources.begin(session.project, runs);
    const apart = <P>(part: (inside: Session) => Promise<P>, again: boolean) =>
      inTransaction(() => new LazyTransaction(begin, runs), session, part, again);
    let written = false;
    const ask: SourceAccess['ask'] = (asked, ...args) => {
      written ||= !READ_OPERATIONS.has(asked);
      return apart((inside) => source.ask(asked, args, inside), READ_OPERATIONS.has(asked));
    };
    try {
      return await work({ session, settle, ask, around: (hooks) => apart(hooks, true) });
    } catch (error) {
      const stale = error instanceof StaleModelError || isStaleModel(error);
      const refused = stale ? changedMeanwhile() : (commonRefusal(error) ?? error);
      throw written && refused instanceof KindError && refused.status === 503 ? asMayBeStored(refused) : refused;
    } finally {
      runs.end();
    }
  }
}

/** Runs a part of the work in a transaction of its own; `again`: as often as others stand in the way. */
async function inTransaction<T>(
  begin: () => LazyTransaction,
  session: Session,
  part: (inside: Session) => Promise<T>,
  again: boolean,
): Promise<T> {
  for (;;) {
    const executor = begin();
    try {
      const result = await part({ ...session, executor });
      await executor.commit();
      return result;
    } catch (error) {
      const undone = executor.rollback(error);
      // What a source that was too slow still waits for ends by a limit of its own.
      if (!(error instanceof KindError && error.code === 'function.timeout')) await undone;
      if (!again) throw error;
      await executor.runs.afterFailure(error);
    }
  }
}

function changedMeanwhile(): KindError {
  return retryLater('database.busy', 'The model changed meanwhile');
}
