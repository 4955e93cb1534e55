/** The embedded PostgreSQL can't be used. The message is for the person who starts the service. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
