/**
 * Calls the sources that supply the units of remote kinds. A source may be slow: while it works, the request holds no
 * database connection and no place in the queue for one.
 */
import { Injectable } from '@nestjs/common';
import { Catalog, StaleModelError } from '../../catalog/catalog.service.js';
import { PatternMatcher } from '../../catalog/pattern/pattern-matcher.js';
import { Database } from '../../database/database.js';
import { asRefusal, isStaleModel } from '../../database/statement/sqlstate.js';
import { isMemberKind, type KindDef } from '../../model/model.js';
import { retryLater, KindError, asMayBeStored, refusal } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';
import { Behaviors } from '../draft/behavior.js';
import type { Settle } from './remote-answer.js';
import type { Session } from '../../catalog/session/session.js';
import type { UnitOperation } from '../store/unit-store.js';

/** The source of one kind. */
export interface RemoteSource {
  readonly can: ReadonlySet<UnitOperation>;
  /**
   * Returns what the source returns, not validated. @throws KindError 503 if the source fails, 504 after the time limit
   */
  call(operation: UnitOperation, args: readonly unknown[], session: Session): Promise<unknown>;
}

/** Finds and runs sources; implemented by the module of custom functions. */
export interface RemoteSources {
  /** The source, or the error if it cannot be used at present; undefined if the kind has none. */
  find(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): RemoteSource | KindError | undefined;
  /**
   * Runs work that calls a source. The concurrent work of one project is limited, so that its slow sources do not delay
   * other projects.
   */
  hold<T>(project: Project, work: () => Promise<T>): Promise<T>;
}

/** A source in one operation on units. */
export interface SourceAccess {
  readonly session: Session;
  readonly call: (operation: UnitOperation, ...args: readonly unknown[]) => Promise<unknown>;
  /** Matches texts from the source against the patterns of the kind. */
  readonly settle: Settle;
  /** Runs hooks before or after the source is called; outside of a transaction, in one that is committed at the end. */
  readonly transaction: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
}

/** The operations that only read: they can be retried. */
const READ_OPERATIONS: ReadonlySet<UnitOperation> = new Set(['list', 'get', 'aggregate']);

const UNSUPPORTED_TEXTS: Readonly<Record<UnitOperation, string>> = {
  list: 'listed',
  aggregate: 'aggregated',
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

  /** Call it at most once. */
  register(sources: RemoteSources): void {
    this.#sources = sources;
  }

  /** Whether the kind has a source that does not support the operation. */
  lacks(kind: KindDef, project: Project, operation: UnitOperation): boolean {
    const source = this.#sources?.find(kind, { project });
    return source !== undefined && !(source instanceof KindError) && !source.can.has(operation);
  }

  /** @throws KindError 404 if the source does not support the operation, 503 if it is not available */
  open(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>, operation: UnitOperation): RemoteSource {
    // Members are always stored in a table, because of their passwords.
    const source = isMemberKind(kind) ? undefined : this.#sources?.find(kind, session);
    if (!source) throw refusal('kind.remote_unavailable', `No function module supplies the units of '${kind.id}'`);
    if (source instanceof KindError) throw source;
    if (source.can.has(operation)) return source;
    if (operation === 'aggregate') throw refusal('kind.no_aggregate', `The source of '${kind.id}' does not aggregate`);
    throw refusal(
      'kind.not_allowed_here',
      `Units of '${kind.id}' cannot be ${UNSUPPORTED_TEXTS[operation]}: its source does not`,
    );
  }

  /**
   * Runs work with the source of a kind. Inside a transaction, the work is part of it. Otherwise the hooks before the
   * source, the database work of the source, and the hooks after it have a transaction each.
   */
  async within<T>(
    scope: Session,
    kind: KindDef,
    operation: UnitOperation,
    work: (access: SourceAccess) => Promise<T>,
  ): Promise<T> {
    const session = { ...this.behaviors.deployment, ...scope };
    const source = this.open(kind, session, operation);
    const sources = this.#sources;
    const { executor: given } = session;
    const settle: Settle = (checks) => this.patterns.settle(session.project.id, checks);
    if (given.tx || !sources) {
      // This neither begins the transaction of the session nor takes a second connection if it has begun.
      await this.catalog.check(session, session.model, given.tx?.hasBegun ? given : this.database);
      const call: SourceAccess['call'] = (operation, ...args) => source.call(operation, args, session);
      return work({ session, settle, call, transaction: (hooks) => hooks(session) });
    }
    return sources.hold(session.project, () => this.#withOwnTransactions({ session, settle }, source, work));
  }

  /**
   * Calls that write are never retried, because the source may have executed them. After such a call, a 503 says that
   * the unit may be stored.
   */
  async #withOwnTransactions<T>(
    { session, settle }: Pick<SourceAccess, 'session' | 'settle'>,
    source: RemoteSource,
    work: (access: SourceAccess) => Promise<T>,
  ): Promise<T> {
    const runs = this.database.runs();
    const options = { project: session.project, runs, long: true, lazy: true };
    const inOwnTransaction = <P>(part: (inside: Session) => Promise<P>, retried: boolean) =>
      this.database.transaction((executor) => part({ ...session, executor }), { ...options, once: !retried });
    let written = false;
    const call: SourceAccess['call'] = (operation, ...args) => {
      written ||= !READ_OPERATIONS.has(operation);
      return inOwnTransaction((inside) => source.call(operation, args, inside), READ_OPERATIONS.has(operation));
    };
    try {
      return await work({ session, settle, call, transaction: (hooks) => inOwnTransaction(hooks, true) });
    } catch (error) {
      const stale = error instanceof StaleModelError || isStaleModel(error);
      const refused = stale ? changedMeanwhile() : asRefusal(error);
      throw written && refused instanceof KindError && refused.status === 503 ? asMayBeStored(refused) : refused;
    } finally {
      runs.end();
    }
  }
}

function changedMeanwhile(): KindError {
  return retryLater('database.busy', 'The model changed meanwhile');
}
