/** Which values of a unit as it was are put back: what differs, without what its caller may not read there or write now. */
import { describedFields, writableFields } from '../access/masks.js';
import type { Session } from '../catalog/session/session.js';
import type { Field, KindDef } from '../model/model.js';
import { conditionOf } from '../model/predicate/conditional-field.js';
import type { ErrorCode } from '../shared/errors.js';
import { jsonEqual, type Json } from '../shared/json.js';
import { parseKey } from '../unit/store/unit-ids.js';
import { evaluateUnit } from '../unit/table/unit.repository.js';
import type { Past } from './history.reader.js';

/** What is not put back, and why. */
interface LeftOut {
  readonly parameter: string;
  readonly code: ErrorCode;
}

/** The fields whose values are compared. */
export function comparedFields(kind: KindDef, { caller, model }: Pick<Session, 'caller' | 'model'>): readonly Field[] {
  return [...describedFields(kind, caller, model).values()].filter(({ column }) => column !== undefined);
}

/** The body of the edit or, of a unit that was deleted, of the create. */
export async function putBack(
  session: Session,
  kind: KindDef,
  { past, present, unit }: Pick<Past, 'past' | 'present'> & { readonly unit: string },
  parameters: readonly string[] | undefined,
): Promise<{ readonly body: Record<string, Json>; readonly leftOut: readonly LeftOut[] }> {
  const writable = writableFields(kind, session.caller, session.model);
  const known = comparedFields(kind, session);
  const offered = known.filter((field) => isOfUnit(kind, field, present === undefined));
  // A unit that comes back has its key again, whatever is asked for.
  const keys = present === undefined ? [kind.primary?.id ?? 'id'] : [];
  const asked = parameters ? new Set([...keys, ...parameters]) : offered.map(({ id }) => id);
  const leftOut: LeftOut[] = [];
  const differing: Field[] = [];
  for (const id of asked) {
    const field = offered.find((each) => each.id === id);
    const isShown = Object.hasOwn(past, id) && (present === undefined || Object.hasOwn(present, id));
    if (!field)
      leftOut.push({
        parameter: id,
        code: known.some((each) => each.id === id) ? 'access.denied' : 'parameter.unknown',
      });
    else if (!isShown) leftOut.push({ parameter: id, code: 'access.denied' });
    else if (present === undefined ? past[id] !== null : !jsonEqual(past[id], present[id])) differing.push(field);
  }
  const refused = present === undefined ? new Set<string>() : await refusedFields(session, kind, unit, differing);
  const body: Record<string, Json> = {};
  for (const { id, def } of differing) {
    const mayWrite = writable.has(id) || (present === undefined && def.sequence) || id === 'id';
    if (mayWrite && !refused.has(id)) body[id] = past[id] ?? null;
    else leftOut.push({ parameter: id, code: 'access.denied' });
  }
  return { body, leftOut };
}

/** What a body may have: of a unit that comes back also its id, and numbers of sequences. */
function isOfUnit({ key }: KindDef, { id, system, def }: Field, isNew: boolean): boolean {
  if (id === 'id') return isNew && key !== 'natural';
  return !system && (isNew || !def.sequence);
}

/** The fields that a rule does not let the caller write in the unit as it is. */
async function refusedFields(
  session: Session,
  kind: KindDef,
  unit: string,
  fields: readonly Field[],
): Promise<ReadonlySet<string>> {
  const writable = writableFields(kind, session.caller, session.model);
  const ruled = fields.flatMap(({ id }) => {
    const field = writable.get(id);
    const condition = field && conditionOf(field);
    return condition ? [{ id, condition }] : [];
  });
  if (ruled.length === 0) return new Set();
  const conditions = ruled.map(({ condition }) => condition);
  const holds = await evaluateUnit(session, kind, parseKey(kind, unit), conditions);
  return new Set(ruled.filter((_, at) => holds?.[at] !== true).map(({ id }) => id));
}
