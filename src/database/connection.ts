/** How the database is reached, and how that is told to the drivers. */

export interface UrlConnection {
  readonly url: string;
}

/** `host` is the folder of a Unix socket where it begins with a slash. */
export interface ServerConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export type ConnectionOptions = UrlConnection | ServerConnection;

/** For `new pg.Pool` and `new pg.Client`. */
export function clientOptions(
  connection: ConnectionOptions,
): { connectionString: string } | (ServerConnection & { ssl: false }) {
  // ssl is said outright, because the driver would take it from PGSSLMODE and a Unix socket has none.
  return 'url' in connection ? { connectionString: connection.url } : { ...serverPart(connection), ssl: false };
}

/** For TypeORM's postgres driver. */
export function typeormOptions(
  connection: ConnectionOptions,
): { url: string } | { host: string; port: number; username: string; password: string; database: string; ssl: false } {
  if ('url' in connection) return { url: connection.url };
  const { user, ...rest } = serverPart(connection);
  return { ...rest, username: user, ssl: false };
}

function serverPart({ host, port, user, password, database }: ServerConnection): ServerConnection {
  return { host, port, user, password, database };
}
