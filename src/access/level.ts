/** The meaning of access levels: which callers pass, for which units, and how the others are refused. Pure. */
import type { KindDef } from '../model/model.js';
import { type Level, LEVELS } from '../model/access-levels.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { type KindError, refusal, type FaultLocation } from '../shared/errors.js';
import { HELD_TEXTS } from '../model/held-members.js';
import { type Caller, isAdministrator } from '../tenancy/caller.js';

/** The levels of settings, and `self`, a default: members may use only their own unit, administrators all units. */
export const EFFECTIVE_LEVELS = [...LEVELS, 'self'] as const;
export type EffectiveLevel = (typeof EFFECTIVE_LEVELS)[number];

/** The units of a kind for which a caller passes a level; undefined if there are none. */
export function levelGrant(level: EffectiveLevel, kind: KindDef, caller: Caller): Grant | undefined {
  if (level !== 'self') return passesLevel(level, caller) ? FULL_GRANT : undefined;
  if (isAdministrator(caller)) return FULL_GRANT;
  return caller.type === 'member' ? ownUnitGrant(kind, caller.kindId, caller.id) : undefined;
}

/** Whether the units for which a level holds differ between callers who pass it. */
export function dependsOnCaller(level: EffectiveLevel): boolean {
  switch (level) {
    case 'self':
      return true;
    case 'anyone':
    case 'member':
    case 'admin':
    case 'nobody':
      return false;
  }
}

/** The unit of the member itself. */
function ownUnitGrant(kind: KindDef, memberKind: string, memberId: string): Grant {
  if (kind.id !== memberKind) return { predicate: { op: 'constant', value: false } };
  return {
    predicate: { op: 'is', target: { field: kind.keyField, keys: [] }, negated: false, value: memberId },
  };
}

/**
 * Whether a caller passes a level. An unknown level, from a record that a newer release has written, refuses every
 * caller but the system.
 */
export function passesLevel(level: Level, caller: Caller): boolean {
  if (caller.type === 'system') return true;
  switch (level) {
    case 'anyone':
      return true;
    case 'member':
      return caller.type === 'member';
    case 'admin':
      return isAdministrator(caller);
    case 'nobody':
      return false;
    default:
      return isUnknown(level);
  }
}

/** Takes `never`, so that the compiler reports a level without a case; at run time an unknown level may still occur. */
function isUnknown(_level: never): false {
  return false;
}

/** The units on which an operation is allowed: those that match the predicate, or all units if it is undefined. */
export interface Grant {
  readonly predicate: Predicate | undefined;
}

export const FULL_GRANT: Grant = { predicate: undefined };

/** 403, or 401 without a token, as a token could help. */
export function accessDenied(caller: Caller, text: string, place: FaultLocation = {}): KindError {
  if (caller.type === 'anonymous') {
    if (caller.held) return refusal(caller.held, HELD_TEXTS[caller.held], place);
    return refusal('token.missing', 'A bearer token is needed here', place);
  }
  return refusal('access.denied', text, place);
}

/** For what takes the access token of a session alone. */
export function notByKeys(): KindError {
  return refusal('key.not_here', 'API keys are not taken here: it takes the access token of a session');
}
