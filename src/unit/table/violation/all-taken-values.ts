/**
 * PostgreSQL reports only the first unique value that is taken. This finds all of them, so that the client can correct
 * them at once.
 */
import type { Field, KindDef } from '../../../model/model.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import type { KindError, Message } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { runYielding } from '../../../shared/work-in-pieces.js';
import { takenStatement } from '../../../sql/write/existing-rows.sql.js';
import { rowsText } from '../../../sql/write/new-rows.sql.js';
import { takenValues } from '../../draft/conflict-messages.js';
import type { LocatedDraft } from '../../draft/references.js';
import type { Session } from '../../../catalog/session/session.js';
import { completeRefusal, withFaults } from '../../../database/transaction/complete-refusal.js';

/**
 * Adds all taken values of the drafts to a refusal, of fields that the caller may read. Of two drafts with the same
 * value, the later one is reported.
 * @param readable the fields that the caller may read
 * @param edited the keys of the units that are edited, one for each draft
 */
export function withAllUniqueViolations(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  readable: ReadonlyMap<string, Field>,
  refused: KindError,
  edited?: readonly string[],
): Promise<KindError> | KindError {
  const lists = uniqueLists(kind).filter((fields) => {
    const given = fields.filter((field) => isGiven(field, kind, drafts));
    const visible = fields.every((field) => readable.has(field.id) || field === kind.keyField);
    // The unit of an edit has the values that the edit does not name.
    return visible && (edited ? given.length > 0 : given.length === fields.length);
  });
  const isReported = (fields: readonly Field[]) => {
    return refused.messages.some(({ text }) => text === violationOf(fields).text);
  };
  if (drafts.length <= 1 && lists.every(isReported)) return refused;
  const checked = drafts.slice(0, Math.ceil(LIMITS.uniqueLookups / Math.max(1, lists.length)));
  return completeRefusal(session.executor, refused, async (executor, soFar) => {
    try {
      const columns = [...new Set(lists.flat().map(({ column, id: name }) => column ?? name))];
      const rows = checked.map(({ draft }) =>
        Object.fromEntries(columns.map((name) => [name, draft.row[name] ?? null])),
      );
      const keys = edited?.slice(0, checked.length);
      const written = drafts[0]?.draft.written ?? [];
      const text = await runYielding(rowsText(rows), new EventLoopYield(session.project.schema));
      const taken = await executor.run<{ taken: boolean[] }>(
        takenStatement(session.project.schema, kind, lists, text, keys && { written, keys }),
      );
      const found = checked.flatMap(({ index }, row): Message[] => {
        const ofUnit = lists.filter((_, at) => taken[row]?.taken[at]);
        return ofUnit.map((fields) => ({ ...violationOf(fields), ...(index !== undefined && { index }) }));
      });
      return withFaults(soFar, found);
    } catch {
      return soFar;
    }
  });
}

function violationOf(fields: readonly Field[]): Message {
  return takenValues(fields.map(({ id }) => id));
}

/** Whether any draft writes the field: an edit writes only the fields that it changes. A generated key is never taken. */
function isGiven(field: Field, kind: KindDef, drafts: readonly LocatedDraft[]): boolean {
  const isGenerated = kind.key === 'uuid' && field === kind.keyField;
  return drafts.some(({ draft, givenId }) => draft.written.includes(field) && (givenId || !isGenerated));
}

/** The unique constraints of a kind, each as a list of fields. */
export function uniqueLists(kind: KindDef): Field[][] {
  const single = [...kind.fields.values()].filter(
    (field) =>
      field === kind.primary ||
      (kind.key === 'uuid' && field === kind.keyField) ||
      (field.def.unique && !field.def.multiple && field.column !== undefined),
  );
  const several = kind.unique.map((ids) => ids.flatMap((id) => kind.fields.get(id) ?? []));
  return [...single.map((field) => [field]), ...several];
}
