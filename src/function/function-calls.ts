/** Runs a function in a transaction of its own: committed with its answer, undone with whatever it throws. */
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { idleTimeoutFor } from '../database/session-settings.js';
import { LateTransaction } from '../database/late-transaction.js';
import { commonRefusal, isRetryable } from '../database/sqlstate.js';
import { Answer } from '../http/answer.js';
import { boundedJson } from '../shared/too-large.js';
import type { Session } from '../unit/session.js';
import { withinAuthored, type Authored } from './authored.js';
import type { CallScope } from './call-scope.js';
import { Capacity } from './capacity.js';
import { Contexts } from './contexts.js';
import type { FunctionDef, FunctionModule } from './definition.js';
import { InnerCalls } from './inner-calls.js';
import { TimeLimit } from './time-limit.js';
import { told } from './told.js';

export interface FunctionCall {
  readonly session: Session;
  readonly module: FunctionModule;
  readonly def: FunctionDef;
  readonly given: { readonly parameters: object; readonly unit?: object };
  /** Milliseconds. */
  readonly timeout: number;
}

/** Times that a call is run which met a deadlock. */
const ATTEMPTS = 4;

@Injectable()
export class FunctionCalls {
  constructor(
    private readonly database: Database,
    private readonly capacity: Capacity,
    private readonly contexts: Contexts,
    private readonly inner: InnerCalls,
  ) {}

  /** Its time begins here, for all attempts together. At its end a 504 is answered, however long the way back takes. */
  async call(call: FunctionCall): Promise<Answer> {
    const limit = new TimeLimit(call.timeout);
    limit.start(call.def.name);
    try {
      return await limit.race(this.#attempts(call, limit));
    } finally {
      limit.stop();
    }
  }

  async #attempts(call: FunctionCall, limit: TimeLimit): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(call, limit);
      } catch (error) {
        limit.check();
        if (isRetryable(error) && attempt < ATTEMPTS) continue;
        throw told(isRetryable(error) ? commonRefusal(error) : error, (cause) => failed(call, cause));
      }
    }
  }

  async #attempt({ session, module, def, given, timeout }: FunctionCall, limit: TimeLimit): Promise<Answer> {
    const transaction = new LateTransaction((work) => {
      const share = this.capacity.share(session.project.id);
      const options = { share, statementTimeout: timeout, idleTimeout: idleTimeoutFor(timeout), once: true };
      const begin = (tx: Transaction) => {
        tx.until(limit.signal);
        return work(tx);
      };
      return this.database.transaction(begin, options);
    });
    const doomed: unknown[] = [];
    const scope: CallScope = { limit, tx: transaction, doom: (error) => void doomed.push(error) };
    const who: Authored = { project: session.project.id, file: module.file, name: def.name };
    const inside = { ...session, executor: transaction };
    this.inner.adopt(scope);
    const { context, door } = this.contexts.make({ session: inside, call: scope, who, depth: 0 }, given);
    try {
      const content = await limit.race(withinAuthored(who, async () => contentOf(await def.run(context))));
      await limit.race(door.shut());
      if (doomed.length > 0) throw doomed[0];
      limit.check();
      // What is about to be committed is no longer late.
      limit.stop();
      await transaction.commit();
      return new Answer(content);
    } catch (error) {
      void door.abandon();
      await transaction.rollback(error);
      throw doomed[0] ?? error;
    }
  }
}

function contentOf(result: unknown): string {
  const content = boundedJson(result ?? null);
  if (content === undefined) throw new TypeError(`it answered a ${typeof result}, which is no JSON`);
  return content;
}

function failed({ def, module }: FunctionCall, cause: unknown): Error {
  return new Error(`the function '${def.name}' of ${module.file} failed`, { cause });
}
