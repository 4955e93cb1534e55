/** Runs requests as parts of one transaction, which is run again from its start after conflicts. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { idleTimeoutFor } from '../../database/connection/session-settings.js';
import { Database, type Transaction } from '../../database/database.js';
import { KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { EnclosingTransaction, RequestScope } from '../../tenancy/request-scope.js';
import { Behaviors } from '../draft/behavior.js';
import { withCompleteRefusal } from '../draft/complete-refusal.js';
import { usedBy } from '../session/caller-executor.js';

/** The scope of requests that are part of a transaction. */
export type EnclosedScope = RequestScope & { readonly enclosing: EnclosingTransaction };

export interface EnclosedOptions {
  readonly admit: EnclosingTransaction['admit'];
  /** A key of similar work, which writes the same units. */
  readonly workKey?: () => string;
}

@Injectable()
export class EnclosedRunner {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly behaviors: Behaviors,
  ) {}

  /**
   * Runs `work` in a transaction at REPEATABLE READ that holds one connection, for `LIMITS.batchSeconds` at most with
   * all its runs. All statements have the same model; with a newer one, `work` is run again.
   * @throws KindError 503 after that time
   */
  async run<T>(
    scope: RequestScope,
    { admit, workKey }: EnclosedOptions,
    work: (scope: EnclosedScope, tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { deployment } = this.behaviors;
    const milliseconds = LIMITS.batchSeconds * 1000;
    const abort = new AbortController();
    const end = performance.now() + milliseconds;
    const timer = setTimeout(() => abort.abort(tookTooLong()), milliseconds);
    const { id } = scope.project;
    try {
      return await this.catalog.withModel(scope, (model) => {
        const run = (tx: Transaction): Promise<T> => {
          tx.abortOn(abort.signal);
          return work({ ...scope, enclosing: { model, executor: tx, ...deployment, admit } }, tx);
        };
        const timeout = Math.max(1, end - performance.now());
        const runs = this.database.runs({
          timeout,
          ...(workKey && { workKey: () => `${id} ${workKey()}` }),
        });
        const times = { statementTimeout: milliseconds, idleTimeout: idleTimeoutFor(milliseconds) };
        const options = { ...times, ...usedBy(scope), long: true, longTimeout: milliseconds, runs };
        return withCompleteRefusal(this.database, () => this.database.transaction(run, options));
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

function tookTooLong(): KindError {
  const text = `All operations together took longer than ${LIMITS.batchSeconds} seconds; send fewer of them`;
  return new KindError([{ code: 'query.timeout', text }]);
}
