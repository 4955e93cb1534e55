/** Hosts and ports. Pure. */
import { isAddress, isRefused, type AddressRules } from './addresses.js';

export interface HostAndPort {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The ports of URLs that name none. */
export const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/** The place that a URL leads to. */
export function placeOfUrl({ hostname, port, protocol }: URL): HostAndPort {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return { host, port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) };
}

/** Below it, ports belong to services of other protocols. */
const FIRST_FREE_PORT = 1024;

/** What is wrong with the place that a URL leads to, as far as it can be judged without asking anybody; undefined if nothing is. */
export function placeFault({ host, port }: HostAndPort, addresses: AddressRules): string | undefined {
  if (!Object.values(PORTS).includes(port) && port < FIRST_FREE_PORT) {
    return `the port must be 80, 443, or from ${FIRST_FREE_PORT}, got ${port}`;
  }
  return isAddress(host) && isRefused(host, port, addresses) ? `the address ${host} is not public` : undefined;
}
