/** Connection options of the database, and their form for the drivers. */

export interface UrlConnection {
  readonly url: string;
  /** The same database without a transaction pooler, for features that need a session. */
  readonly directUrl?: string;
}

/** `host` is the folder of a Unix socket if it starts with a slash. */
export interface ServerConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export type ConnectionOptions = UrlConnection | ServerConnection;

/** The startup parameter `options`. */
type StartupOptions = { readonly options?: string };

/** For `new pg.Pool` and `new pg.Client`. */
export function clientOptions(
  connection: ConnectionOptions,
  options?: string,
): ({ connectionString: string } | (ServerConnection & { ssl: false })) & StartupOptions {
  if ('url' in connection) return optionsOfUrl(connection.url, options);
  // `ssl: false` is explicit because the driver would otherwise read PGSSLMODE, and a Unix socket has no TLS.
  return { ...pickServer(connection), ssl: false, ...(options !== undefined && { options }) };
}

/** For TypeORM's postgres driver; `extra` contains the startup parameter. */
export function typeormOptions(
  connection: ConnectionOptions,
  options?: string,
): (
  { url: string } | { host: string; port: number; username: string; password: string; database: string; ssl: false }
) & { extra: StartupOptions } {
  if ('url' in connection) {
    const { connectionString, ...extra } = optionsOfUrl(connection.url, options);
    return { url: connectionString, extra };
  }
  const { user, ...rest } = pickServer(connection);
  return { ...rest, username: user, ssl: false, extra: options === undefined ? {} : { options } };
}

/** The connection for features that need a session. */
export function directConnection(connection: ConnectionOptions): ConnectionOptions {
  return 'url' in connection && connection.directUrl !== undefined ? { url: connection.directUrl } : connection;
}

/** The address for messages, without the password. */
export function databaseAddress(connection: ConnectionOptions): string {
  if (!('url' in connection)) return `${connection.host}:${connection.port}/${connection.database}`;
  const { host, pathname, searchParams } = new URL(connection.url);
  return `${host || (searchParams.get('host') ?? '')}${pathname}`;
}

const DEFAULT_PORT = 5432;

/** Where the server listens; `host` may be the folder of a Unix socket. */
export function serverAddress(connection: ConnectionOptions): { readonly host: string; readonly port: number } {
  if (!('url' in connection)) return connection;
  const { hostname, port, searchParams } = new URL(connection.url);
  const host = searchParams.get('host') ?? hostname;
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(searchParams.get('port') ?? port) || DEFAULT_PORT };
}

/** Keeps the `options` of the URL, which the driver would use instead of ours. */
function optionsOfUrl(address: string, options: string | undefined): { connectionString: string } & StartupOptions {
  const url = new URL(address);
  const own = url.searchParams.get('options');
  if (own === null) return { connectionString: address, ...(options !== undefined && { options }) };
  url.searchParams.delete('options');
  return { connectionString: url.href, options: options === undefined ? own : `${own} ${options}` };
}

function pickServer({ host, port, user, password, database }: ServerConnection): ServerConnection {
  return { host, port, user, password, database };
}

/**
 * The database can't be opened. The message is for the person who starts the service; show it without a stack trace.
 */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/** There is no database yet, and this command does not create one. */
export class NoDatabaseError extends DatabaseStartError {}
