/** What the owner of a kind has accepted that others may do, and why: `{"create": "a contact form"}`. Pure. */
import { OPERATIONS, type Operation } from '../model/built-in-traits.js';
import type { AcceptedAccess, Model } from '../model/model.js';
import type { Faults } from '../shared/errors.js';
import { isPlainObject, type Json, jsonEqual, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { reporterOf } from './report.js';

export const REASON_HINT = `must say why, in up to ${LIMITS.acceptedLength} characters`;

export function isReason(given: unknown): given is string {
  return typeof given === 'string' && given.trim() !== '' && given.length <= LIMITS.acceptedLength;
}

/** Adds a fault for everything that is no operation with a reason. */
export function checkAccepted(accepted: Json | undefined, faults: Faults): void {
  if (accepted === undefined || accepted === null) return;
  const bad = (text: string) => faults.add('parameter.bad_value', `accepted${text}`, { parameter: 'accepted' });
  if (!isPlainObject(accepted)) return bad(`: must be an object of operations, got ${typeName(accepted)}`);
  for (const [operation, reason] of Object.entries(accepted)) {
    if (!OPERATIONS.some((each) => each === operation)) {
      const hint = faults.hint(operation, OPERATIONS);
      bad(`: no operation '${operation.slice(0, 40)}'${hint}; there are ${OPERATIONS.join(', ')}`);
    } else if (!isReason(reason)) bad(`.${operation}: ${REASON_HINT}`);
  }
}

/** What is left of each kind that has accepted access which a change has changed, unless it has accepted that anew. */
export function remainingAccepted(before: Model, after: Model): ReadonlyMap<string, AcceptedAccess> {
  const [was, is] = [reporterOf(before), reporterOf(after)];
  const changed = new Map<string, AcceptedAccess>();
  for (const kind of after.kinds.values()) {
    const old = before.kinds.get(kind.id);
    const given = Object.entries(kind.accepted) as [Operation, string][];
    if (!old || given.length === 0) continue;
    const left = given.filter(([operation, reason]) => {
      const isSame = () => jsonEqual({ ...was.ofUnits(old, operation) }, { ...is.ofUnits(kind, operation) });
      return old.accepted[operation] !== reason || isSame();
    });
    if (left.length < given.length) changed.set(kind.id, Object.fromEntries(left));
  }
  return changed;
}
