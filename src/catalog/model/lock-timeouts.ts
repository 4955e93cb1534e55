/** Lock timeouts of changes of a project's definitions and tables, in milliseconds. */

/** For the lock of a project, which another process may hold for a change or an upgrade. */
export const PROJECT_LOCK_TIMEOUT = 10_000;

/**
 * For ALTER TABLE. While it waits for a long read, later statements queue behind it; after the timeout they run, and the
 * transaction is run again.
 */
export const TABLE_LOCK_TIMEOUT = 3000;
