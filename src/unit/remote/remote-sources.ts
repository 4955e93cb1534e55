/**
 * The seam to whoever supplies the units of remote kinds. A source may take its time: work that asks one holds no
 * connection meanwhile, and no place among those that wait for the database.
 */
import { Injectable } from '@nestjs/common';
import { checkActive, remoteUnavailable } from '../../access/access.js';
import { AfterRelease, Catalog } from '../../catalog/catalog.service.js';
import { PatternMatcher } from '../../catalog/pattern/pattern-matcher.js';
import { StaleModelError } from '../../catalog/model/stale-model-error.js';
import { Database } from '../../database/database.js';
import { LazyTransaction, type Begin } from '../../database/transaction/lazy-transaction.js';
import type { TransactionRuns } from '../../database/transaction/runs.js';
import { commonRefusal, isStaleModel } from '../../database/statement/sqlstate.js';
import type { Remote } from '../../kit/remote.js';
import { isMemberKind, type KindDef, type Model } from '../../model/model.js';
import { retryLater, KindError, asMayBeStored, refusal } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';
import { Behaviors } from '../draft/behavior.js';
import type { Settle } from './remote-answer.js';
import type { Session } from '../session/session.js';

export type RemoteOperation = keyof Remote;

/** The source of one kind. */
export interface RemoteSource {
  readonly can: ReadonlySet<RemoteOperation>;
  /** What the source answers, whatever that is. @throws KindError 503 where it does not, 504 past the time limit */
  ask(operation: RemoteOperation, args: readonly unknown[], session: Session): Promise<unknown>;
}

/** The sources of a deployment. */
export interface RemoteSources {
  /** The source, or why it is not to be had; undefined where there is none. */
  find(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): RemoteSource | KindError | undefined;
  /** Runs work that asks a source: so much of one project at once, so that slow sources are not everybody's. */
  hold<T>(project: Project, work: () => Promise<T>): Promise<T>;
  /** Runs what hooks and sources do in the database. */
  begin(project: Project, runs: TransactionRuns): Begin;
}

/** A source as one piece of work has it. */
export interface Asked {
  readonly session: Session;
  readonly ask: (operation: RemoteOperation, ...args: readonly unknown[]) => Promise<unknown>;
  /** Matches what it answers against the patterns of the kind. */
  readonly settle: Settle;
  /** Runs what hooks do before the source is asked, or after: all of it is done when it comes back. */
  readonly around: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
}

/** What a source only reads can be asked for again. */
const READS: ReadonlySet<RemoteOperation> = new Set(['list', 'get']);

const CAN_NOT: Readonly<Record<RemoteOperation, string>> = {
  list: 'listed',
  get: 'asked for one by one',
  create: 'created',
  update: 'changed',
  delete: 'deleted',
};

@Injectable()
export class Remotes {
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

  /** The state of a kind that an operation on its units needs. @throws KindError 403, 503, and 404 where its source has no such operation */
  checkState(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>, operation: RemoteOperation): void {
    checkActive(kind);
    if (kind.remote) this.#open(kind, session, operation);
  }

  /** Whether the kind has a source that can not do it. */
  lacks(kind: KindDef, project: Project, operation: RemoteOperation): boolean {
    const source = this.#sources?.find(kind, { project });
    return source !== undefined && !(source instanceof KindError) && !source.can.has(operation);
  }

  #open(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>, operation: RemoteOperation): RemoteSource {
    // Members are kept here, with their passwords.
    const source = isMemberKind(kind) ? undefined : this.#sources?.find(kind, session);
    if (!source) throw remoteUnavailable(kind);
    if (source instanceof KindError) throw source;
    if (source.can.has(operation)) return source;
    throw refusal(
      'kind.not_allowed_here',
      `Units of '${kind.id}' can not be ${CAN_NOT[operation]}: its source does not`,
    );
  }

  /** Work on units of a kind: where they are remote it is left for afterwards. */
  apart<T>(project: Project, model: Model, kind: KindDef, work: () => Promise<T>): Promise<T | AfterRelease<T>> {
    if (!kind.remote) return work();
    return this.catalog.check(project, model).then(() => new AfterRelease(work));
  }

  /**
   * Runs work with the source of a kind. Inside a call that is under way it is a part of that one; else the hooks before
   * the source, what itself does in the database, and the hooks after it have a transaction each.
   */
  async within<T>(
    scope: Session,
    kind: KindDef,
    operation: RemoteOperation,
    work: (asked: Asked) => Promise<T>,
  ): Promise<T> {
    const session = { ...this.behaviors.deployment, ...scope };
    const source = this.#open(kind, session, operation);
    const sources = this.#sources;
    const { executor: given } = session;
    const settle: Settle = (checks) => this.patterns.settle(session.project.id, checks);
    if (given.tx || !sources) {
      // No transaction begins for it, and one that has begun waits for no second connection.
      await this.catalog.check(session.project, session.model, given.tx?.hasBegun ? given : this.database);
      const ask: Asked['ask'] = (asked, ...args) => source.ask(asked, args, session);
      return work({ session, settle, ask, around: (hooks) => hooks(session) });
    }
    return sources.hold(session.project, () => this.#apart({ session, settle }, source, sources, work));
  }

  /** The source may have done what it was asked for to write: that it is not asked again. */
  async #apart<T>(
    { session, settle }: Pick<Asked, 'session' | 'settle'>,
    source: RemoteSource,
    sources: RemoteSources,
    work: (asked: Asked) => Promise<T>,
  ): Promise<T> {
    const runs = this.database.runs();
    const begin = sources.begin(session.project, runs);
    const apart = <P>(part: (inside: Session) => Promise<P>, again: boolean) =>
      inTransaction(() => new LazyTransaction(begin, runs), session, part, again);
    let written = false;
    const ask: Asked['ask'] = (asked, ...args) => {
      written ||= !READS.has(asked);
      return apart((inside) => source.ask(asked, args, inside), READS.has(asked));
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
