/**
 * Runs a function in a transaction. It is committed when the function returns, rolled back when it throws, and run
 * again from the beginning after a conflict with another transaction.
 */
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database/database.js';
import { idleTimeoutFor } from '../../database/connection/session-settings.js';
import type { Answer } from '../../http/answer/answer.js';
import { timeLimitOf } from '../../catalog/session/executors.js';
import type { UnitObject } from '../../unit/hidden-values.js';
import { originalCallerOf, originOfWrites, runsByItself, type Session } from '../../catalog/session/session.js';
import { withinUserCode, type UserCode } from '../sandbox/user-code.js';
import { Contexts } from './contexts.js';
import type { Context } from '../../kit/context.js';
import type { ReadyModule, SourceLocation } from '../declare/definition.js';
import type { OperationQueue } from './operation-queue.js';
import { deepCopy } from '../sandbox/deep-copy.js';
import { InnerCalls } from './inner-calls.js';
import { lineOf } from '../declare/source-location.js';
import { TimeLimit, type CallScope } from './time-limit.js';
import { ErrorRedaction } from './error-redaction.js';
import { contentionOn, OutdatedError } from '../../database/transaction/contention.js';
import type { KindDef } from '../../model/model.js';
import type { KindError } from '../../shared/errors.js';

export interface FunctionCall {
  readonly session: Session;
  readonly module: ReadyModule;
  readonly called: CalledCode;
  /** What it receives, as text: calls with equal ones probably write the same units. */
  readonly key: () => string;
  /** What it receives: a new copy for each run, because the run before may have changed it. */
  readonly given: () => object;
  /** Runs the author's code and reads what it returned, which is the author's too. */
  readonly answer: (context: Context) => Promise<Answer>;
  /** Checks the answer, outside of the author's code. */
  readonly check?: (answer: Answer) => Promise<void>;
  /** Writes what belongs to its end, in its transaction. */
  readonly ends?: (tx: Transaction) => Promise<void>;
  /** Ends it before its time, with a refusal as its reason. */
  readonly signal?: AbortSignal;
  /** For a function of a unit. */
  readonly unit: GivenUnit | undefined;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A function, an endpoint, or what follows a commit. */
export interface CalledCode {
  readonly name: string;
  readonly type: 'function' | 'endpoint' | 'hook';
  readonly place: SourceLocation;
}

@Injectable()
export class FunctionCalls {
  constructor(
    private readonly database: Database,
    private readonly contexts: Contexts,
    private readonly inner: InnerCalls,
    private readonly uncaught: ErrorRedaction,
  ) {}

  /**
   * All runs share the time limit. When it is over, the call fails with 504 or 503 before the rollback has ended. A call
   * whose session has a transaction is part of it, and is not repeated alone.
   */
  async call(call: FunctionCall): Promise<Answer> {
    const { session, timeout } = call;
    const { tx } = session.executor;
    if (tx) return this.#callIn(tx, call);
    const runs = this.database.runs({ timeout, workKey: () => sameCall(call) });
    const limit = new TimeLimit(timeout, () => runs.contended);
    const statementTimeout = Math.min(timeout, limitOfCaller(session) ?? timeout);
    const times = { statementTimeout, idleTimeout: idleTimeoutFor(timeout) };
    const options = { project: session.project, runs, long: true, lazy: true, ...times };
    const { signal } = call;
    const abort = (): void => limit.end(signal?.reason as KindError);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    try {
      return await limit.race(this.database.transaction((own) => this.#run(own, call, limit), options));
    } catch (error) {
      throw this.#redacted(error, call);
    } finally {
      signal?.removeEventListener('abort', abort);
      limit.stop();
      runs.end();
    }
  }

  /** Runs once in an open transaction, which fails with the call. */
  async #callIn(tx: Transaction, call: FunctionCall): Promise<Answer> {
    const limit = new TimeLimit(call.timeout, () => tx.runs.contended);
    tx.becomeLong();
    tx.abortOn(limit.signal);
    limit.start(call.called.name);
    try {
      return await this.#code(call, { limit, tx }, call.session, call.unit?.copy());
    } catch (error) {
      throw this.#redacted(error, call);
    } finally {
      limit.stop();
    }
  }

  #redacted(error: unknown, call: FunctionCall): unknown {
    const { module, session, called } = call;
    return this.uncaught.redact(error, { module, session, name: called.name }, (cause, at) => failed(call, cause, at));
  }

  async #run(tx: Transaction, call: FunctionCall, limit: TimeLimit): Promise<Answer> {
    limit.start(call.called.name);
    const session = { ...call.session, executor: tx };
    // If the run begins with locks, the unit is read again after they are taken.
    const outside = tx.runs.hasLocks ? undefined : call.unit;
    tx.onBegin(async () => {
      tx.abortOn(limit.signal);
      await outside?.check(session);
    });
    try {
      const unit = outside ? outside.copy() : await call.unit?.readAgain(session);
      const answer = await this.#code(call, { limit, tx }, session, unit);
      await call.ends?.(tx);
      // Stopped here, so that the time limit does not interrupt the commit.
      limit.stop();
      return answer;
    } catch (error) {
      limit.check();
      throw error;
    }
  }

  /** Runs the code of the function in the transaction of a session. */
  async #code(
    call: FunctionCall,
    { limit, tx }: Pick<CallScope, 'limit' | 'tx'>,
    session: Session,
    unit: UnitObject | undefined,
  ): Promise<Answer> {
    const { module, called } = call;
    const failures: unknown[] = [];
    const scope: CallScope = { limit, tx, failWith: (error) => void failures.push(error) };
    const code: UserCode = { project: session.project.id, file: module.file, name: called.name };
    const end = this.inner.register(scope);
    let operations: OperationQueue | undefined;
    try {
      const given = { ...call.given(), ...(unit && { unit }) };
      const prepared = this.contexts.make({ session, call: scope, code, depth: 0 }, given);
      ({ operations } = prepared);
      const turn = operations.computing.turn();
      if (turn) await limit.race(turn);
      const answer = await limit.race(withinUserCode(code, () => call.answer(prepared.context)));
      if (call.check) await limit.race(call.check(answer));
      await limit.race(operations.close());
      if (failures.length > 0) throw failures[0];
      limit.check();
      return answer;
    } catch (error) {
      void operations?.abandon();
      throw failures[0] ?? error;
    } finally {
      end();
    }
  }
}

/** What nobody has called has the time of its function. */
function limitOfCaller(session: Session): number | undefined {
  return runsByItself(originOfWrites(session).via) ? undefined : timeLimitOf(originalCallerOf(session));
}

/** The key of calls with the same function, unit and parameters, which probably write the same units. */
function sameCall({ session, module, called, key: given, unit }: FunctionCall): string {
  const key = JSON.stringify([module.kind, called.type, called.name, unit?.first['id'], given()]);
  return `${session.project.id} ${createHash('sha256').update(key).digest('base64')}`;
}

function failed({ called, module }: FunctionCall, cause: unknown, at: string): Error {
  const declared = lineOf(called.place);
  const where = at === '' && declared !== undefined ? `, declared at ${declared}` : at;
  return new Error(`the ${called.type} '${called.name}' of ${module.file} failed${where}`, { cause });
}

/** Reads the unit in a session. */
export interface UnitReading {
  /** @throws KindError if the caller may not read the unit, or not call the function on it */
  get(session: Session): Promise<UnitObject>;
  /** Undefined if the unit does not exist or the caller may not read it. */
  find(session: Session): Promise<UnitObject | undefined>;
}

/**
 * The unit that a function of a unit receives. It is read before the transaction of the call begins, which may be much
 * later. The transaction compares it with the stored unit, so that no write is based on outdated values.
 */
export class GivenUnit {
  readonly #text: string;

  constructor(
    private readonly kind: KindDef,
    readonly first: UnitObject,
    private readonly reading: UnitReading,
  ) {
    this.#text = unitText(first);
  }

  /** A new copy for each run, because the run before may have changed what it got. */
  copy(): UnitObject {
    return deepCopy(this.first) as UnitObject;
  }

  /** Reads the unit again, in the transaction of a session. @throws KindError as `UnitReading.get` does */
  readAgain(session: Session): Promise<UnitObject> {
    return this.reading.get(session);
  }

  /** @throws OutdatedError if the stored unit has changed; units of remote sources are not read again */
  async check(session: Session): Promise<void> {
    const { kind, first } = this;
    if (!kind.storage.transactional) return;
    const now = await this.reading.find(session);
    if (now && unitText(now) === this.#text) return;
    const { schema } = session.project;
    throw new OutdatedError(contentionOn({ schema, kind }, [first['id']]));
  }
}

/** All values, including hidden parameters, for comparison. */
function unitText(unit: UnitObject): string {
  return JSON.stringify(Object.getOwnPropertyNames(unit).map((name) => [name, unit[name]]));
}
