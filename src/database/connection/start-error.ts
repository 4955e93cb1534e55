/** The database can not be had. The message is for the person who starts the service; show it without a stack. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/** There is none yet, and whoever asked makes none. */
export class NoDatabaseError extends DatabaseStartError {}
