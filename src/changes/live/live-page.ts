/** Reads the page of a live list, with the position at which it was read. */
import type { Executor } from '../../database/database.js';
import { beyondRange } from '../../database/statement/sqlstate.js';
import type { Model } from '../../model/model.js';
import { livePageStatement, type LivePageRow } from '../../sql/changes/live.sql.js';
import { checkVersion } from '../../unit/table/unit.repository.js';
import type { LivePlan } from './live.plan.js';

/** @throws KindError 400 for what is beyond the range of its type, StaleModelError */
export async function readLivePage(executor: Executor, { list }: LivePlan, model: Model): Promise<LivePageRow> {
  try {
    const [page] = await executor.run<LivePageRow>(livePageStatement(list));
    checkVersion(page, model);
    if (!page) throw new Error('a page is one row');
    return page;
  } catch (error) {
    throw beyondRange(error) ?? error;
  }
}
