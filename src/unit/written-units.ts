/** What a write answers of its units where `include` names it: they are read again, in the transaction of the write. */
import { readableUnits } from './table/rights.js';
import { whileLocked } from '../catalog/session/executors.js';
import type { Session } from '../catalog/session/session.js';
import { readJson } from '../http/body/json-pieces.js';
import { parseWrittenQuery } from '../http/route/parse-write-query.js';
import type { QueryParameters } from '../http/route/parse-list-query.js';
import type { KindDef } from '../model/model.js';
import type { ReadPlan } from '../sql/list/select.sql.js';
import { checkRelatedPage } from './query/query-limits.js';
import { planContextOf, planGet, planQuery } from './query/list.plan.js';
import type { UnitRow } from './store/unit-store.js';
import { fetchUnits } from './table/unit.repository.js';

/** The plan of what is answered; undefined for whole units. @throws KindError 400, 401, 403 */
export function planWrittenUnits(session: Session, kind: KindDef, parameters: QueryParameters): ReadPlan | undefined {
  const parsed = parseWrittenQuery(parameters, kind);
  if (!parsed) return undefined;
  const context = planContextOf(session, { kind, access: readableUnits(session, kind) });
  return planQuery(parsed, (query) => planGet(query, context));
}

/** The rows with what the plan shows of them. A unit that the caller may not read stays as the write answers it. */
export async function shownUnits<Row extends UnitRow>(
  session: Session,
  plan: ReadPlan | undefined,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (!plan) return rows;
  checkRelatedPage({ limit: rows.length }, plan);
  const ids: string[] = [];
  for (const { body } of rows) ids.push(await idOf(body, session.project.schema));
  const found = await whileLocked(session, () => fetchUnits(session, plan, [...new Set(ids)]));
  return rows.map((row, at) => ({ ...row, ...found.get(ids[at] ?? '') }));
}

async function idOf(body: string, schema: string): Promise<string> {
  const { id } = (await readJson(body, schema)) as { id: string | number };
  return String(id);
}
