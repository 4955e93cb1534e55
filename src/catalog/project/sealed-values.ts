/** Encrypts anew what a project stores encrypted: for its place in another project, or with another key. */
import type { Executor } from '../../database/database.js';
import type { Model } from '../../model/model.js';
import { sealedColumns, type SealedColumn } from '../../model/sealed-fields.js';
import type { SecretBox } from '../../shared/secret-box.js';
import { dropSealedStatement, resealStatement, sealedRowsStatement, type SealedRow } from '../../sql/sealed.sql.js';
import type { AuditLog } from '../../tenancy/audit-log.js';
import { SYSTEM } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';

export interface Sealing {
  readonly model: Model;
  readonly project: Project;
  /** The id of the project for which the values are encrypted, if it is another one. */
  readonly source?: string;
  readonly box: SecretBox;
  /** Whether what no key opens is removed. */
  readonly drop: boolean;
  /** Where it is told what is removed. */
  readonly audit: AuditLog;
}

/** A value that no key opens. */
export interface ClosedSecret {
  readonly kind: string;
  readonly id: string;
  readonly field: string;
}

export interface Sealed {
  /** Values that are encrypted anew. */
  readonly sealed: number;
  /** Those that no key opens: they stay, or are removed. */
  readonly closed: readonly ClosedSecret[];
}

/** Values that are read and written at once. */
const AT_ONCE = 500;

/**
 * In pieces, each of which is done with one statement: outside of a transaction it can be run again from the beginning
 * after any of them, and what somebody else writes meanwhile is never lost.
 */
export async function sealAnew(executor: Executor, sealing: Sealing): Promise<Sealed> {
  let sealed = 0;
  const closed: ClosedSecret[] = [];
  for (const column of sealedColumns(sealing.model)) {
    for await (const rows of rowsOf(executor, sealing.project, column)) {
      const done = await sealRows(executor, sealing, column, rows);
      sealed += done.sealed;
      closed.push(...done.closed);
    }
  }
  return { sealed, closed };
}

async function* rowsOf(executor: Executor, { schema }: Project, column: SealedColumn): AsyncGenerator<SealedRow[]> {
  for (let after: string | undefined; ;) {
    const rows = await executor.run<SealedRow>(sealedRowsStatement(schema, column, { after, limit: AT_ONCE }));
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id;
  }
}

async function sealRows(
  executor: Executor,
  { project, source = project.id, box, drop, audit }: Sealing,
  column: SealedColumn,
  rows: readonly SealedRow[],
): Promise<Sealed> {
  const { kind, field } = column;
  const opened = rows.map((row) => ({ ...row, secret: box.open(row.value, [source, kind.id, row.id, field]) }));
  const written = opened.flatMap(({ id, value: former, secret }) =>
    secret === undefined ? [] : [{ id, former, value: box.seal(secret, [project.id, kind.id, id, field]) }],
  );
  const unopened = opened.filter(({ secret }) => secret === undefined);
  const closed = unopened.map(({ id }) => ({ kind: kind.id, id, field }));
  if (written.length > 0) await executor.run(resealStatement(project.schema, column, written));
  if (drop && unopened.length > 0) {
    const by = { project: project.id, caller: SYSTEM, requestId: undefined };
    for (const details of closed) audit.record({ action: 'secret.dropped', ...by, details }, executor.tx);
    await executor.run(dropSealedStatement(project.schema, column, unopened));
  }
  return { sealed: written.length, closed };
}

/** The first of them, in words. @param secrets one at least */
export function closedText(secrets: readonly ClosedSecret[]): string {
  const named = secrets.slice(0, NAMED).map(({ kind, id, field }) => `${kind} ${id} (${field})`);
  return [...named, ...(secrets.length > NAMED ? [`${secrets.length - NAMED} more`] : [])].join(', ');
}

const NAMED = 10;
