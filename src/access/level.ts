/** The meaning of access levels. Pure. */
import type { Level } from '../model/parameter-type/parameter-settings.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';

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
