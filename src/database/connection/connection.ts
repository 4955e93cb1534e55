/** How the database is reached, and how that is told to the drivers. */

export interface UrlConnection {
  readonly url: string;
  /** The same database past a transaction pooler, for what needs a session of its own. */
  readonly directUrl?: string;
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

/** `options`: the startup parameter of that name. */
type Startup = { readonly options?: string };

/** For `new pg.Pool` and `new pg.Client`. */
export function clientOptions(
  connection: ConnectionOptions,
  options?: string,
): ({ connectionString: string } | (ServerConnection & { ssl: false })) & Startup {
  if ('url' in connection) return urlOptions(connection.url, options);
  // ssl is said outright, because the driver would take it from PGSSLMODE and a Unix socket has none.
  return { ...serverPart(connection), ssl: false, ...(options !== undefined && { options }) };
}

/** For TypeORM's postgres driver: `extra` has the startup parameter. */
export function typeormOptions(
  connection: ConnectionOptions,
  options?: string,
): (
  { url: string } | { host: string; port: number; username: string; password: string; database: string; ssl: false }
) & { extra: Startup } {
  if ('url' in connection) {
    const { connectionString, ...extra } = urlOptions(connection.url, options);
    return { url: connectionString, extra };
  }
  const { user, ...rest } = serverPart(connection);
  return { ...rest, username: user, ssl: false, extra: options === undefined ? {} : { options } };
}

/** Where what needs a session of its own connects to. */
export function directConnection(connection: ConnectionOptions): ConnectionOptions {
  return 'url' in connection && connection.directUrl !== undefined ? { url: connection.directUrl } : connection;
}

/** For people: where it leads to, without the password. */
export function addressOf(connection: ConnectionOptions): string {
  if (!('url' in connection)) return `${connection.host}:${connection.port}/${connection.database}`;
  const { host, pathname, searchParams } = new URL(connection.url);
  return `${host || (searchParams.get('host') ?? '')}${pathname}`;
}

/** What the address has as `options` stays; the driver would take it instead of ours. */
function urlOptions(address: string, options: string | undefined): { connectionString: string } & Startup {
  const url = new URL(address);
  const own = url.searchParams.get('options');
  if (own === null) return { connectionString: address, ...(options !== undefined && { options }) };
  url.searchParams.delete('options');
  return { connectionString: url.href, options: options === undefined ? own : `${own} ${options}` };
}

function serverPart({ host, port, user, password, database }: ServerConnection): ServerConnection {
  return { host, port, user, password, database };
}
