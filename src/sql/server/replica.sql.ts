/** Positions in the write-ahead log, by which a service knows how old the data of a replica is. */
import { render, sql, type Statement } from '../fragment.js';

/** One row `position`: what the server has written, every commit that it has answered included. */
export const READ_WRITTEN: Statement = render(sql`SELECT pg_current_wal_lsn()::text AS "position"`);

/** One row `position`: what a standby has replayed; null of a server that is none. */
export const READ_REPLAYED: Statement = render(
  sql`SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS "position"`,
);
