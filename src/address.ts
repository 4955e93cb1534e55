/** The address that the service is to listen at: whether it can be had, and what is said where it can't. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from './config/config.js';

/** Asked before anything is made that is shown one time only. @throws the error of `listen`, see {@link addressFault} */
export async function checkAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = createServer().listen({ host, port });
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/** A line for an address that can not be had; undefined for all other errors. */
export function addressFault(error: unknown): string | undefined {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen') return undefined;
  if (code === 'EADDRINUSE') return `PORT: got ${port ?? ''}, which is in use on ${address ?? ''}; wants a free one`;
  return `HOST, PORT: got ${address ?? ''} and ${port ?? ''}, which can not be had (${code ?? 'unknown'})`;
}
