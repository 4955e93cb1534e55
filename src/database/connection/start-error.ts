/**
 * The database can't be opened. The message is for the person who starts the service; show it without a stack trace.
 */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/** There is no database yet, and this command does not create one. */
export class NoDatabaseError extends DatabaseStartError {}
