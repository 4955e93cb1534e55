/**
 * Temporary folders of a run are in memory where there is room for them: most hold a PostgreSQL, whose thousand files are
 * copied, synced and removed at a fraction of the time. `TMPDIR` names another place.
 */
import { statfsSync } from 'node:fs';

/** Where Linux has a file system in memory. */
const IN_MEMORY = '/dev/shm';
/** Bytes, several times what a run needs: free there, and free altogether. */
const ROOM = 8 * 2 ** 30;
const MEMORY = 12 * 2 ** 30;

export function setup(): void {
  if (process.env['TMPDIR'] === undefined && hasRoom()) process.env['TMPDIR'] = IN_MEMORY;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM && process.availableMemory() >= MEMORY;
  } catch {
    return false;
  }
}
