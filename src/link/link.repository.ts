/** Runs the statements of links. */
import { Injectable } from '@nestjs/common';
import { StaleModelError } from '../catalog/model/stale-model-error.js';
import { Database } from '../database/database.js';
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
import { usedBy } from '../catalog/session/caller-executor.js';
import type { Session } from '../catalog/session/session.js';

@Injectable()
export class LinkRepository {
  constructor(private readonly database: Database) {}

  find(session: Session, plan: LinkPlan): Promise<LinkRow> {
    return this.#run(session, findLinkStatement(plan));
  }

  insert(session: Session, plan: LinkPlan, values?: LinkValues): Promise<LinkRow> {
    return this.#run(session, insertLinkStatement(plan, values));
  }

  update(session: Session, plan: LinkPlan, values: LinkValues): Promise<LinkRow> {
    return this.#run(session, updateLinkStatement(plan, values));
  }

  delete(session: Session, plan: LinkPlan): Promise<LinkRow> {
    return this.#run(session, deleteLinkStatement(plan));
  }

  /** Without a transaction the statement runs alone. After a deadlock it runs again, in a transaction with retries. */
  async #run({ project, caller, model, executor }: Session, statement: Statement): Promise<LinkRow> {
    executor.tx?.beforeCommit(keepVersionStatement(project.schema));
    try {
      return currentRow(await executor.run<LinkRow>(statement), model);
    } catch (error) {
      noteContention(error, () => ({ schema: project.schema, table: LINK_TABLE }));
      if (isTooLongForIndex(error)) throw tooLong();
      if (executor.tx || !(error instanceof KindError) || error.code !== 'database.busy') throw error;
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
