/** Chooses among the idle connections of the pool. */
import type { Pool } from 'pg';
import { idleOf } from '../pg-internals.js';

/**
 * Makes the pool take a connection that is preferred next, if one is idle. `pg-pool` takes the last of its private list;
 * without that list, it takes any connection.
 */
export function preferIdle(pool: Pool, isPreferred: (client: object) => boolean): void {
  const idle = idleOf(pool);
  if (!idle || idle.length < 2) return;
  for (let at = idle.length - 1; at >= 0; at -= 1) {
    const item = idle[at];
    if (!item || !isPreferred(item.client)) continue;
    if (at < idle.length - 1) idle.push(...idle.splice(at, 1));
    return;
  }
}
