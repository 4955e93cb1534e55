/** Removes the values in the history of a unit for good. */
import { Injectable } from '@nestjs/common';
import { authorizeKind, checkActive, checkAdministrator } from '../access/access.js';
import { inTransaction } from '../catalog/session/executors.js';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { NULL_ANSWER } from '../http/answer/answer.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import type { Command } from '../run/command.js';
import { refusal } from '../shared/errors.js';
import { eraseStatements } from '../sql/changes/erase.sql.js';
import { keyText } from './history.commands.js';
import { planExistence, planVersions } from './history.plan.js';
import { HistoryReader } from './history.reader.js';

@Injectable()
export class Erasures {
  constructor(
    private readonly database: Database,
    private readonly reader: HistoryReader,
  ) {}

  /** For administrators, also of kinds that keep no history but a feed. */
  erase(kindId: string, unitId: string, url: string): Command {
    return {
      authorize: ({ model, caller }) => {
        const { kind } = authorizeKind(model, kindId, 'read', caller);
        checkAdministrator(caller, 'Only administrators erase histories');
        checkActive(kind);
        if (kind.changes === 'none') throw refusal('history.off', `Nothing is recorded of '${kind.id}'`);
        const run = async (session: Session) => {
          const id = keyText(kind, unitId);
          refuseQuery(url);
          const versions = planVersions(session, { kind, access: [] }, id);
          await this.reader.page(session, planExistence({ ...versions, days: undefined }));
          const unit = { schema: session.project.schema, kind, id };
          await inTransaction(this.database, session, { isolation: 'read committed' }, async ({ executor }) => {
            for (const statement of eraseStatements(unit)) await executor.run(statement);
          });
          return NULL_ANSWER;
        };
        return { effect: 'write', kindId, checked: true, run };
      },
    };
  }
}
