/** The statements of requests that create many links. */
import { StaleModelError } from '../../catalog/catalog.service.js';
import { isTooLongForIndex } from '../../database/statement/sqlstate.js';
import { contentionOn, noteContention, type ContentionTarget } from '../../database/transaction/contention.js';
import { LINK_TABLE } from '../../model/names.js';
import type { Statement } from '../../sql/fragment.js';
import {
  type LinkSet,
  type LinkSetUnit,
  type LinkSetUnitRow,
  type LinksToDelete,
  type LinksToDeleteRow,
  type LinksToTest,
  lockLinkSetUnitStatement,
  lockLinksToDeleteStatement,
  lockLinkTableStatement,
  lockOthersStatement,
  type OtherUnits,
  type OtherUnitsRow,
  type RefusedLinksRow,
  refusedLinksStatement,
} from '../../sql/link/link-set.sql.js';
import { writeLinksStatements, type NewLinkRow, type NewLinks } from '../../sql/link/link-set-write.sql.js';
import type { Session } from '../../catalog/session/session.js';
import { tooLong } from '../link.writer.js';
import { checkVersion } from '../../unit/table/unit.repository.js';

export async function lockLinkSetUnit(session: Session, plan: LinkSetUnit): Promise<Omit<LinkSetUnitRow, 'v'>> {
  const { schema, unit } = plan;
  await session.executor.run(lockLinkTableStatement(schema));
  const target = contentionOn({ schema, kind: unit.kind }, [unit.key]);
  return first(await run<LinkSetUnitRow>(session, lockLinkSetUnitStatement(plan), target));
}

export async function lockOtherUnits(
  session: Session,
  set: LinkSet,
  kinds: readonly OtherUnits[],
  replace: boolean,
): Promise<Pick<OtherUnitsRow, 'found' | 'linked'>> {
  if (kinds.length === 0) return { found: [], linked: [] };
  return first(await run<OtherUnitsRow>(session, lockOthersStatement(set, kinds, replace)));
}

export async function lockLinksToDelete(
  session: Session,
  set: LinkSet,
  links: LinksToDelete,
): Promise<LinksToDeleteRow> {
  return first(await run<LinksToDeleteRow>(session, lockLinksToDeleteStatement(set, links)));
}

/** The ids of the others with which a link is not allowed. */
export async function refusedLinks(session: Session, set: LinkSet, links: LinksToTest): Promise<ReadonlySet<string>> {
  return new Set(first(await run<RefusedLinksRow>(session, refusedLinksStatement(set, links))).refused);
}

export async function writeLinks(session: Session, set: LinkSet, links: NewLinks): Promise<readonly NewLinkRow[]> {
  const statements = writeLinksStatements(set, links);
  const last = statements.pop();
  if (!last) throw new Error('a write of links has a statement');
  for (const statement of statements) await send(session, statement);
  return run<NewLinkRow>(session, last);
}

/** @throws StaleModelError if the statement found another version of the model */
async function run<Row extends { readonly v: string }>(
  session: Session,
  statement: Statement,
  target?: ContentionTarget,
): Promise<readonly Row[]> {
  const rows = await send<Row>(session, statement, target);
  checkVersion(rows[0], session.model);
  return rows;
}

async function send<Row>(
  { executor, project: { schema } }: Session,
  statement: Statement,
  target: ContentionTarget = { schema, table: LINK_TABLE },
): Promise<readonly Row[]> {
  try {
    return await executor.run<Row>(statement);
  } catch (error) {
    noteContention(error, () => target);
    throw isTooLongForIndex(error) ? tooLong() : error;
  }
}

function first<Row>([row]: readonly Row[]): Row {
  if (!row) throw new StaleModelError();
  return row;
}
