/** Runs the statements of links. */
import { Injectable } from '@nestjs/common';
import { StaleModelError } from '../catalog/model/stale-model-error.js';
import { Database, type Executor } from '../database/database.js';
import { isLockTimeout, isTooLongForIndex } from '../database/statement/sqlstate.js';
import { noteContention } from '../database/transaction/contention.js';
import type { Model } from '../model/model.js';
import { LINK_TABLE } from '../model/names.js';
import { KindError, refusal } from '../shared/errors.js';
import type { Statement } from '../sql/fragment.js';
import {
  deleteLinkStatement,
  findLinkStatement,
  insertLinkStatement,
  updateLinkStatement,
  type LinkRow,
  type LinkValues,
} from '../sql/link/link.sql.js';
import type { LinkPlan } from '../sql/link/link-ends.sql.js';
import { keepVersionStatement } from '../sql/definition/model.sql.js';
import { executorFor, usedBy } from '../unit/session/caller-executor.js';
import type { Session } from '../unit/session/session.js';

/** A session, or a request that has no transaction. */
export type LinkScope = Pick<Session, 'project' | 'caller' | 'originalCaller' | 'deployment' | 'deletionSet'> & {
  readonly model: Model;
  readonly executor?: Executor;
};

@Injectable()
export class LinkRepository {
  constructor(private readonly database: Database) {}

  find(scope: LinkScope, plan: LinkPlan): Promise<LinkRow> {
    return this.#run(scope, findLinkStatement(plan));
  }

  insert(scope: LinkScope, plan: LinkPlan, values?: LinkValues): Promise<LinkRow> {
    return this.#run(scope, insertLinkStatement(plan, values));
  }

  update(scope: LinkScope, plan: LinkPlan, values: LinkValues): Promise<LinkRow> {
    return this.#run(scope, updateLinkStatement(plan, values));
  }

  delete(scope: LinkScope, plan: LinkPlan): Promise<LinkRow> {
    return this.#run(scope, deleteLinkStatement(plan));
  }

  /** Without a transaction the statement runs alone. After a deadlock it runs again, in a transaction with retries. */
  async #run({ project, caller, model, executor }: LinkScope, statement: Statement): Promise<LinkRow> {
    executor?.tx?.beforeCommit(keepVersionStatement(project.schema));
    try {
      const alone = executor ?? executorFor(this.database, { project, caller });
      return currentRow(await alone.run<LinkRow>(statement), model);
    } catch (error) {
      noteContention(error, () => ({ schema: project.schema, table: LINK_TABLE }));
      if (isTooLongForIndex(error)) throw tooLong();
      if (executor || !(error instanceof KindError) || error.code !== 'database.busy') throw error;
      // After a lock timeout the time limit of the statement is used up.
      if (isLockTimeout(error.cause)) throw error;
    }
    const options = { ...usedBy({ project, caller }), isolation: 'read committed' } as const;
    return currentRow(await this.database.transaction((tx) => tx.run<LinkRow>(statement), options), model);
  }
}

/**
 * A row with a link is right whatever version it has: the link is read and written only if that was the one of the plan,
 * and Citus reads the version of the row after the write.
 * @throws StaleModelError if the statement found no link, and another version of the model
 */
function currentRow(rows: readonly LinkRow[], model: Model): LinkRow {
  const [row] = rows;
  if (!row || (row.body === null && Number(row.v) !== model.version)) throw new StaleModelError();
  return row;
}

export function tooLong(): KindError {
  return refusal('unit.conflict', 'The ids of both units are too long for a link: together at most some 2,500 bytes');
}
