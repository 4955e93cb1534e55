/** What a change of definitions does to what was recorded of the changes of units. */
import type { Executor } from '../../database/database.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import { Faults } from '../../shared/errors.js';
import {
  forgetColumnsStatements,
  forgetKindsStatement,
  countRecordedStatement,
  leaveHistoryStatements,
} from '../../sql/changes/number.sql.js';

/** A history that would be deleted, and how many versions it has. */
interface LeftHistory {
  readonly kind: string;
  readonly count: number;
}

export async function historiesLeft(
  tx: Executor,
  schema: string,
  before: Model,
  after: Model,
): Promise<readonly LeftHistory[]> {
  const left = kindsThatLeave('history', before, after);
  return left.length === 0 ? [] : tx.run<LeftHistory>(countRecordedStatement(schema, left));
}

/** The histories of kinds that are gone. */
export async function historiesDropped(
  tx: Executor,
  schema: string,
  before: Model,
  dropped: readonly string[],
): Promise<readonly LeftHistory[]> {
  const kept = dropped.filter((id) => before.kinds.get(id)?.changes === 'history');
  return kept.length === 0 ? [] : tx.run<LeftHistory>(countRecordedStatement(schema, kept));
}

/** @throws KindError 409 if there are any */
export function refuseToLeave(histories: readonly LeftHistory[]): void {
  const faults = new Faults();
  for (const { kind } of histories) {
    const text = `The history of '${kind}' would be deleted; ?cascade=true deletes it anyway`;
    faults.add('history.kept', text, { parameter: 'changes' });
  }
  faults.throwIfAny();
}

/**
 * Deletes what was recorded of kinds that are gone, or of which nothing is recorded any more; history that is no longer
 * kept, of which a feed still has what is younger; and the values of parameters that are gone, so that another one of the
 * same name shows nothing of them.
 */
export async function forgetRecorded(
  tx: Executor,
  schema: string,
  { before, after, dropped }: { readonly before: Model; readonly after: Model; readonly dropped: readonly string[] },
): Promise<void> {
  const unrecorded = [...after.kinds.values()].filter(({ changes }) => changes === 'none').map(({ id }) => id);
  const off = unrecorded.filter((id) => before.kinds.get(id)?.changes !== 'none' && before.kinds.has(id));
  const gone = [...dropped, ...off];
  if (gone.length > 0) await tx.run(forgetKindsStatement(schema, gone));
  const feeds = kindsThatLeave('history', before, after).filter((id) => !gone.includes(id));
  if (feeds.length > 0) for (const statement of leaveHistoryStatements(schema, feeds)) await tx.run(statement);
  for (const kind of before.kinds.values()) {
    const next = after.kinds.get(kind.id);
    if (!next || next === kind || gone.includes(kind.id) || kind.changes === 'none') continue;
    const columns = withoutValues(kind, next);
    if (columns.length === 0) continue;
    for (const statement of forgetColumnsStatements(schema, kind.id, columns)) await tx.run(statement);
  }
}

/** Those that are still there. */
function kindsThatLeave(changes: KindDef['changes'], before: Model, after: Model): string[] {
  return [...before.kinds.values()].flatMap(({ id, changes: had }) => {
    const next = after.kinds.get(id);
    return had === changes && next && next.changes !== changes && next.storage.hasTable ? [id] : [];
  });
}

/** The columns of fields that are gone, and of hidden ones that are not hidden any more. */
function withoutValues(before: KindDef, after: KindDef): string[] {
  const kept = new Map([...after.fields.values()].map((field) => [field.column, field]));
  const isKept = (field: Field): boolean => {
    const next = kept.get(field.column);
    return next !== undefined && field.def.hidden === next.def.hidden;
  };
  return [...before.fields.values()].flatMap((field) => {
    return field.column === undefined || isKept(field) ? [] : [field.column];
  });
}
