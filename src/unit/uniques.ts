/** PostgreSQL names one unique value of a unit that another one has; the client is told of all. */
import type { Field, KindDef } from '../model/model.js';
import { KindError } from '../shared/errors.js';
import { takenStatement } from '../sql/write.sql.js';
import { uniqueFault } from './conflict.js';
import type { Draft } from './draft.js';
import type { Session } from './session.js';
import { askedAgain } from './whole-refusal.js';

/** The refusal of one unit with all of its values that another unit has, of those fields that the caller may be told of. */
export function withAllTaken(
  { executor, project }: Session,
  kind: KindDef,
  draft: Draft,
  id: string | undefined,
  told: ReadonlyMap<string, Field>,
  refused: KindError,
): Promise<KindError> | KindError {
  const lists = uniqueLists(kind).filter((fields) =>
    fields.every((field) => draft.written.includes(field) && (told.has(field.id) || field === kind.keyField)),
  );
  if (lists.length < 2) return refused;
  return askedAgain(executor, refused, async (anew) => {
    try {
      const statement = takenStatement(project.schema, kind, lists, draft.row, id);
      const [row] = await anew.run<{ taken: boolean[] }>(statement);
      const found = lists
        .filter((_, at) => row?.taken[at])
        .map((fields) => uniqueFault(fields.map((field) => field.id)))
        .filter(({ text }) => !refused.messages.some((message) => message.text === text));
      return new KindError([...refused.messages, ...found]);
    } catch {
      return refused;
    }
  });
}

/** The fields whose values together are those of one unit at most. */
function uniqueLists(kind: KindDef): Field[][] {
  const single = [...kind.fields.values()].filter(
    (field) => field === kind.primary || (field.def.unique && !field.def.multiple && field.column !== undefined),
  );
  const several = kind.unique.map((ids) => ids.flatMap((id) => kind.fields.get(id) ?? []));
  return [...single.map((field) => [field]), ...several];
}
