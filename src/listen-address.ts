/** Checks that the service can listen on its addresses, with clear errors; the address as a URL. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { ConfigError, type Address, type Config } from './config/config.js';

/** Checked before a password is generated, which is shown only once. @throws ConfigError with one line */
export async function checkAddresses({
  host,
  port,
  metrics,
}: Pick<Config, 'host' | 'port' | 'metrics'>): Promise<void> {
  await probeAddress({ host, port }, '');
  if (metrics) await probeAddress(metrics, 'METRICS_');
}

async function probeAddress({ host, port }: Address, prefix: string): Promise<void> {
  try {
    const probe = createServer().listen({ host, port });
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
  } catch (error) {
    throw new ConfigError(addressFault(error, prefix) ?? String(error));
  }
}

/** One line for an error of `listen`; undefined for all other errors. @param prefix of the variables */
export function addressFault(error: unknown, prefix = ''): string | undefined {
  const { code, syscall, hostname, address, port } = error as NodeJS.ErrnoException & {
    hostname?: string;
    address?: string;
    port?: number;
  };
  if (syscall === 'getaddrinfo')
    return `${prefix}HOST: got ${hostname ?? ''}, which is not known (${code ?? 'unknown'})`;
  if (syscall !== 'listen') return undefined;
  if (code === 'EADDRINUSE') {
    return `${prefix}PORT: got ${port ?? ''}, which is in use on ${address ?? ''}; wants a free one`;
  }
  return `${prefix}HOST, ${prefix}PORT: got ${address ?? ''} and ${port ?? ''}, which cannot be had (${code ?? 'unknown'})`;
}

/** @param server a server that listens */
export function serviceUrl(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
