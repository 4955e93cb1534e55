/** What the levels of access mean. Pure. */
import type { Level } from '../model/parameter-type/parameter-settings.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';

/**
 * Whether a level lets a caller in. A level that this release does not know lets in nobody but the system: a record may
 * come from a newer one.
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

/** The compiler sees that no level is left over; at run time there may be one all the same. */
function isUnknown(_level: never): false {
  return false;
}
