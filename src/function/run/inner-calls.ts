/**
 * Runs hooks inside the transaction of their write, and calls of remote sources inside the transaction of the
 * operation. All user code in one transaction shares a time limit.
 */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../../config/config.js';
import type { Transaction } from '../../database/database.js';
import type { TransactionRuns } from '../../database/transaction/conflict-retries.js';
import { originOfWrites, transactionOf, type Session } from '../../catalog/session/session.js';
import type { Context } from '../../kit/context.js';
import { runUserCode, type UserCode } from '../sandbox/user-code.js';
import type { Caller } from '../../tenancy/caller.js';
import { Contexts } from './contexts.js';
import type { ReadyModule, HookName } from '../declare/definition.js';
import { TimeLimit, type CallScope } from './time-limit.js';
import { ErrorRedaction } from './error-redaction.js';
import { getOrInsert } from '../../shared/maps.js';

/** Hooks may read and write every parameter. */
export const AUTHOR: Caller = { type: 'system', seesHidden: true };

/** The maximum nesting of hooks, whose writes run hooks too. */
const MAX_DEPTH = 8;

interface ActiveCall {
  readonly call: CallScope;
  /** Set outside of function calls, for all runs of the transaction. A function call starts and stops its own limit. */
  readonly limit?: TimeLimit;
  readonly failures: unknown[];
  depth: number;
}

@Injectable()
export class InnerCalls {
  /** By transaction. The entry for a function has the scope of its call. */
  readonly #running = new WeakMap<Transaction, ActiveCall>();
  readonly #limits = new WeakMap<TransactionRuns, TimeLimit>();

  constructor(
    private readonly contexts: Contexts,
    private readonly uncaught: ErrorRedaction,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Makes hooks in the transaction of a function call part of that call, until the returned function is called. */
  register(call: CallScope): () => void {
    const before = this.#running.get(call.tx);
    this.#running.set(call.tx, { call, failures: [], depth: 0 });
    return () => {
      if (before) this.#running.set(call.tx, before);
      else this.#running.delete(call.tx);
    };
  }

  /**
   * Returns the result of the hook; undefined without a hook of that name.
   * @param timeout milliseconds for all runs of the transaction, if it is not that of a function
   * @throws its error, as clients may see it
   */
  async run(
    module: ReadyModule,
    name: HookName,
    session: Session,
    given: object,
    timeout = this.config.functionTimeout,
  ): Promise<unknown> {
    const hook = module.hooks.get(name);
    if (!hook) return undefined;
    const code = { project: session.project.id, file: module.file, name };
    try {
      const { via, bySystem } = originOfWrites(session);
      return await this.inside(session, code, hook, { ...given, via, asSystem: bySystem }, { name: 'hooks', timeout });
    } catch (error) {
      const failed = (cause: unknown, at: string) => new Error(`${name} of ${module.file} failed${at}`, { cause });
      throw this.uncaught.redact(error, { module, name, session }, failed);
    }
  }

  /**
   * Runs a handler inside a session and returns its result. @throws what the handler throws
   * @param limited its name in the timeout error, and its time, if the handler does not run inside a function call
   */
  async inside<G extends object>(
    session: Session,
    code: UserCode,
    handler: (context: Context & G) => unknown,
    given: G,
    limited: { readonly name: string; readonly timeout?: number },
  ): Promise<unknown> {
    const running = this.#of(session, limited.timeout ?? this.config.functionTimeout);
    if (running.depth >= MAX_DEPTH)
      throw new Error(`${code.file}: what sets off one another is more than ${MAX_DEPTH} deep`);
    const { call, failures, limit } = running;
    if (running.depth === 0) limit?.start(limited.name);
    running.depth += 1;
    const { context, operations } = this.contexts.make({ session, call, code, depth: running.depth }, given);
    try {
      const turn = operations.computing.turn();
      if (turn) await call.limit.race(turn);
      const result = await call.limit.race(runUserCode(code, () => handler(context)));
      await call.limit.race(operations.close());
      if (failures.length > 0) throw failures[0];
      call.limit.check();
      return result;
    } catch (error) {
      // Waits for running operations, so that none writes after the error was handled.
      await call.limit.race(operations.abandon()).catch(() => undefined);
      throw failures[0] ?? error;
    } finally {
      running.depth -= 1;
      if (running.depth === 0) limit?.stop();
    }
  }

  #of(session: Session, timeout: number): ActiveCall {
    const tx = transactionOf(session);
    const known = this.#running.get(tx);
    if (known) return known;
    tx.becomeLong();
    const limit = this.#limitOf(tx.runs, timeout);
    tx.abortOn(limit.signal);
    const failures: unknown[] = [];
    const call: CallScope = { limit, tx, failWith: (error) => void failures.push(error) };
    const running = { call, limit, failures, depth: 0 };
    this.#running.set(tx, running);
    return running;
  }

  #limitOf(runs: TransactionRuns, timeout: number): TimeLimit {
    return getOrInsert(this.#limits, runs, () => new TimeLimit(timeout, () => runs.contended));
  }
}
