/** The store of kinds with a table. Each of its verbs has a file of that name. */
import { Injectable } from '@nestjs/common';
import { checkActive } from '../../access/access.js';
import { UNIT_QUERY } from '../../http/route/query-names.js';
import { isLinkable, type KindDef } from '../../model/model.js';
import type { Isolation } from '../../sql/server/transaction.sql.js';
import { Behaviors } from '../draft/behavior.js';
import { isReferenced, refersToJudgedFiles } from '../draft/references.js';
import type { UnitStore } from '../store/unit-store.js';
import { TableReader } from './read/table.reader.js';
import { MatchingWrites } from './write/matching.js';
import { Creates } from './write/create.js';
import { Deletions } from './write/delete.js';
import { Updates } from './write/update.js';
import { Upserts } from './write/upsert.js';

@Injectable()
export class TableStore implements UnitStore {
  readonly queryNames = UNIT_QUERY.table;

  constructor(
    readonly reads: TableReader,
    readonly creates: Creates,
    readonly updates: Updates,
    readonly deletions: Deletions,
    readonly matching: MatchingWrites,
    readonly upserts: Upserts,
    private readonly behaviors: Behaviors,
  ) {}

  checkState(kind: KindDef): void {
    checkActive(kind);
  }

  lacks(): boolean {
    return false;
  }

  /**
   * A deletion without hooks reads nothing before it locks the unit. It runs at READ COMMITTED, because it must see
   * references and links that were created until then.
   */
  isolation(...[session, kind, operation]: Parameters<UnitStore['isolation']>): Isolation | undefined {
    const several = this.behaviors.of(kind, session).length > 0;
    if (operation !== 'delete') return several || refersToJudgedFiles(kind) ? 'repeatable read' : undefined;
    if (this.deletions.runsHooks(session, kind)) return 'repeatable read';
    return several || isLinkable(kind) || isReferenced(session.model, kind) ? 'read committed' : undefined;
  }
}
