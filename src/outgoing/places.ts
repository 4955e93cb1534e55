/** Hosts and ports. Pure. */

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
