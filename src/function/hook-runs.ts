/**
 * Runs hooks inside the transaction of the write that they belong to, and sources inside what asks them. All of one
 * transaction share a time limit.
 */
import { Inject, Injectable } from '@nestjs/common';
import { StaleModel } from '../catalog/stale-model.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';
import type { Executor, Transaction } from '../database/database.js';
import { commonRefusal, isRetryable } from '../database/sqlstate.js';
import { FunctionError } from '../kit/function-error.js';
import { KindError } from '../shared/errors.js';
import type { Session } from '../unit/session.js';
import type { Context } from '../kit/context.js';
import { runAuthored, type Authored } from './authored.js';
import { TimeLimit, type CallScope } from './call.js';
import { Contexts, isOfSystem } from './contexts.js';
import type { FunctionModule, HookName } from './definition.js';

/** Hooks whose writes run hooks, and so on. */
const DEPTH = 8;

interface Running {
  readonly call: CallScope;
  /** Of the hooks alone; a call has its own. */
  readonly limit?: TimeLimit;
  readonly doomed: unknown[];
  depth: number;
}

@Injectable()
export class HookRuns {
  /** By transaction: a function's has the scope of its call. */
  readonly #running = new WeakMap<Transaction, Running>();

  constructor(
    private readonly contexts: Contexts,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Makes the hooks of a transaction part of a call. */
  adopt(transaction: Transaction, call: CallScope): void {
    this.#running.set(transaction, { call, doomed: [], depth: 0 });
  }

  /** What the hook returns; undefined where there is none of that name. @throws whatever it refuses with */
  async run(module: FunctionModule, name: HookName, session: Session, given: object): Promise<unknown> {
    const hook = module.hooks.get(name);
    if (!hook) return undefined;
    const who = { project: session.project.id, file: module.file, name };
    try {
      return await this.inside(session, who, hook, given, 'hooks');
    } catch (error) {
      throw isToldAsItIs(error) ? error : (commonRefusal(error) ?? failed(`${name} of ${module.file}`, error));
    }
  }

  /**
   * What a handler returns that runs inside a session. The time limit, where the session is in no call that has one, goes
   * by the name `limited`. @throws whatever the handler does
   */
  async inside<G extends object>(
    session: Session,
    who: Authored,
    handler: (context: Context & G) => unknown,
    given: G,
    limited: string,
  ): Promise<unknown> {
    const running = this.#of(session.executor, limited);
    if (running.depth >= DEPTH) throw new Error(`${who.file}: what sets off one another is more than ${DEPTH} deep`);
    const { call, doomed, limit } = running;
    if (running.depth === 0) limit?.start();
    running.depth += 1;
    const { context, door } = this.contexts.make({ session, call, who, depth: running.depth }, given);
    try {
      const result = await call.limit.race(runAuthored(who, () => handler(context)));
      await call.limit.race(door.shut());
      if (doomed.length > 0) throw doomed[0];
      return result;
    } catch (error) {
      // What is still under way would write behind the back of whoever goes on after the refusal.
      await call.limit.race(door.shut()).catch(() => undefined);
      throw doomed[0] ?? error;
    } finally {
      running.depth -= 1;
      if (running.depth === 0) limit?.stop();
    }
  }

  #of({ tx }: Executor, limited: string): Running {
    if (!tx) throw new Error('authored code runs in a transaction');
    const known = this.#running.get(tx);
    if (known) return known;
    const limit = new TimeLimit(limited, this.config.functionTimeout);
    tx.until(limit.signal);
    const doomed: unknown[] = [];
    const call: CallScope = {
      limit,
      afterCommit: (work) => tx.afterCommit(work),
      doom: (error) => void doomed.push(error),
    };
    const running = { call, limit, doomed, depth: 0 };
    this.#running.set(tx, running);
    return running;
  }
}

/** Refusals are answered as they are; of all else nothing is told. */
export function isToldAsItIs(error: unknown): boolean {
  if (error instanceof StaleModel || error instanceof FunctionError || isRetryable(error)) return true;
  if (!(error instanceof KindError)) return false;
  return error.retryAfter !== undefined || error.status === 504 || !isOfSystem(error);
}

function failed(name: string, cause: unknown): Error {
  return new Error(`${name} failed`, { cause });
}
