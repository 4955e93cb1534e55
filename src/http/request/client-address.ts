/**
 * The address of a client: of the connection, or as proxies in TRUST_PROXY report it. For IPv6 only the /64 network
 * counts, because a client controls all of it.
 */
import { isIP } from 'node:net';
import type { HttpRequest } from './request.js';

export function clientAddress(request: HttpRequest): string {
  return networkOf(request.ip) ?? networkOf(request.socket.remoteAddress) ?? 'unknown';
}

/** `192.0.2.7` unchanged, `2001:db8:1:2:3::4` as `2001:db8:1:2::/64`; undefined for anything else. */
export function networkOf(text: string | undefined): string | undefined {
  const address = stripAddress(text ?? '');
  const version = isIP(address);
  if (version === 0) return undefined;
  if (version === 4) return address;
  const groups = ipv6Groups(address);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Removes port, brackets and the zone of a link-local address, which some proxies add. */
function stripAddress(text: string): string {
  const [, inBrackets] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, beforePort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? [];
  return (inBrackets ?? beforePort ?? text).replace(/%.*$/, '');
}

/** The eight groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [numbers(head), numbers(tail ?? '')];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}
