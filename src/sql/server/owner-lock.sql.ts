/** Advisory locks on the embedded database: one for its owner, and a shared one for processes that only use it. */
import { integer, render, sql, type Statement } from '../fragment.js';

/** 'KIND' in ASCII: the first key of both locks. */
const LOCK_CLASS = integer(0x4b494e44);
const OWNER_LOCK = integer(1);
const USAGE_LOCK = integer(2);

/** One row `locked`: whether the lock of the owner was free. All these locks are held until the connection ends. */
export const TRY_OWNER_LOCK: Statement = render(
  sql`SELECT pg_try_advisory_lock(${LOCK_CLASS}, ${OWNER_LOCK}) AS locked`,
);

/** One row `locked`: whether no process holds the usage lock exclusively. */
export const TRY_SHARED_USAGE_LOCK: Statement = render(
  sql`SELECT pg_try_advisory_lock_shared(${LOCK_CLASS}, ${USAGE_LOCK}) AS locked`,
);

/** One row `locked`: whether no other process uses the database. */
export const TRY_USAGE_LOCK: Statement = render(
  sql`SELECT pg_try_advisory_lock(${LOCK_CLASS}, ${USAGE_LOCK}) AS locked`,
);

export const UNLOCK_ALL: Statement = render(sql`SELECT pg_advisory_unlock_all()`);

/** One row `name` if the database has an owner: the application name of its connection. */
export const FIND_OWNER: Statement = render(
  sql`
    SELECT a.application_name AS name
    FROM pg_catalog.pg_locks AS l
    JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid
    WHERE l.locktype = 'advisory'
      AND l.classid = ${LOCK_CLASS}
      AND l.objid = ${OWNER_LOCK}
      AND l.granted
  `,
);
