import type { ConnectionOptions } from '../../src/database/connection/connection.js';

/** A connection as an address, for DATABASE_URL. */
export function urlOf(connection: ConnectionOptions): string {
  if ('url' in connection) return connection.url;
  const { host, port, user, password, database } = connection;
  const query = new URLSearchParams({ host, port: String(port), user, password });
  return `postgres:///${database}?${query.toString()}`;
}
