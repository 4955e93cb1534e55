/** The address of a webhook, as far as it can be judged without asking anybody. Pure. */
import { isAddress, isRefused, type AddressRules } from '../outgoing/addresses.js';
import { placeOfUrl, PORTS, type HostAndPort } from '../outgoing/places.js';

export interface UrlRules {
  readonly allowHttp: boolean;
  /** The address of the service. */
  readonly own: HostAndPort;
  readonly addresses: AddressRules;
}

/** Below it, ports belong to services of other protocols. */
const FIRST_FREE_PORT = 1024;

/** What is wrong with the URL of a webhook; undefined if nothing is. */
export function urlFault(text: string, { allowHttp, own, addresses }: UrlRules): string | undefined {
  const wanted = allowHttp ? 'https:// or http://' : 'https://';
  if (!URL.canParse(text)) return `must be an address that begins with ${wanted}`;
  // A URL is read without some of them.
  if (/[\s\p{Cc}]/u.test(text)) return 'must be without spaces and line breaks';
  const url = new URL(text);
  if (url.protocol === 'http:' && !allowHttp) {
    return 'must begin with https://; http:// is possible where WEBHOOK_ALLOW_HTTP is on';
  }
  if (!(url.protocol in PORTS)) return `must be an address that begins with ${wanted}`;
  if (url.username !== '' || url.password !== '') {
    return 'must be without user and password; headers can have what the receiver asks for';
  }
  const { host, port } = placeOfUrl(url);
  if (!Object.values(PORTS).includes(port) && port < FIRST_FREE_PORT) {
    return `the port must be 80, 443, or from ${FIRST_FREE_PORT}, got ${port}`;
  }
  if (host === own.host && port === own.port) return 'is an address of this service';
  if (isAddress(host) && isRefused(host, port, addresses)) return `the address ${host} is not public`;
  return undefined;
}
