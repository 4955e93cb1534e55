/** Refusals of values that may not follow the stored ones, or that no new unit begins with. */
import { readableFields } from '../../../access/masks.js';
import type { Session } from '../../../catalog/session/session.js';
import type { Field, KindDef } from '../../../model/model.js';
import { parsedTransitions } from '../../../model/parameter-setting/transitions.setting.js';
import { conditionOf, unconditional } from '../../../model/predicate/conditional-field.js';
import { KindError, type Message } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { getOrInsert } from '../../../shared/maps.js';
import { hasTransitions, type GuardedField, type UpdatePlan } from '../../../sql/write/written-rows.sql.js';
import type { LocatedDraft } from '../../draft/references.js';
import { nextValues, refusedByGuards } from './write.repository.js';

/** Why the transitions of a unit do not allow an edit; undefined if they do. */
export async function whyNoTransition(
  session: Session,
  plan: UpdatePlan,
  row: Parameters<typeof refusedByGuards>[2],
): Promise<KindError | undefined> {
  if (!plan.guarded.some(hasTransitions)) return undefined;
  const [first, ...rest] = await transitionMessages(session, plan, await refusedByGuards(session, plan, row));
  return first && new KindError([first, ...rest]);
}

/**
 * A message for each of the fields with transitions.
 * @param isTold whether it says what the caller may do from the stored value, which takes a query
 */
export async function transitionMessages(
  session: Session,
  target: Pick<UpdatePlan, 'schema' | 'kind' | 'id'>,
  refused: readonly GuardedField[],
  isTold = true,
): Promise<Message[]> {
  const messages: Message[] = [];
  for (const each of refused) {
    if (!hasTransitions(each)) continue;
    const readable = readableFields(target.kind, session.caller, session.model).get(each.field.id);
    // A unit that does not show the value tells nothing of it.
    const found = isTold && readable ? await nextValues(session, target, each, conditionOf(readable)) : undefined;
    messages.push(messageFor(each.field, found ? `it cannot become that; ${whereTo(found)}` : 'it cannot become that'));
  }
  return messages;
}

function whereTo({ value, next }: { readonly value: string | null; readonly next: readonly string[] }): string {
  const targets = next.map((each) => `'${each}'`).join(', ');
  if (value === null) return `it begins with ${targets}`;
  return targets === '' ? `you may change '${value}' to nothing else` : `you may change '${value}' to ${targets}`;
}

function messageFor({ id }: Field, text: string): Message {
  return { code: 'parameter.transition', text: `${id}: ${text}`, parameter: id };
}

/** Whether the refusal of a new unit may name values of the field, which the caller can read in every unit. */
function mayName({ caller, model }: Session, kind: KindDef, { id }: Field): boolean {
  return unconditional(readableFields(kind, caller, model)).has(id);
}

/** Why new units may not begin with the values of their drafts; undefined if they may. */
export function whyNoBeginning(session: Session, kind: KindDef, units: readonly LocatedDraft[]): KindError | undefined {
  const begun = beginnings(kind);
  if (begun.length === 0) return undefined;
  const messages = units.flatMap(({ draft, index }) =>
    begun.flatMap(({ field, initial }): Message[] => {
      const value = draft.row[field.column ?? field.id] ?? null;
      if (value === null || initial.has(value)) return [];
      const text = mayName(session, kind, field)
        ? whereTo({ value: null, next: [...initial] as string[] })
        : 'it cannot begin so';
      return [{ ...messageFor(field, text), ...(index !== undefined && { index }) }];
    }),
  );
  const [first, ...rest] = messages;
  return first && new KindError([first, ...rest.slice(0, LIMITS.faults - 1)]);
}

interface Beginning {
  readonly field: Field;
  readonly initial: ReadonlySet<unknown>;
}

const known = new WeakMap<KindDef, readonly Beginning[]>();

/** The fields of a kind that new units may have only some values of. */
function beginnings(kind: KindDef): readonly Beginning[] {
  return getOrInsert(known, kind, () =>
    [...kind.fields.values()].flatMap((field) => {
      const initial = field.def.transitions && parsedTransitions(field.def.transitions).initial;
      return initial ? [{ field, initial: new Set<unknown>(initial) }] : [];
    }),
  );
}
