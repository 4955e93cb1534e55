/** The address of a webhook, as far as it can be judged without asking anybody. Pure. */
import type { AddressRules } from '../outgoing/addresses.js';
import { placeFault, placeOfUrl, PORTS, type HostAndPort } from '../outgoing/places.js';

export interface UrlRules {
  readonly allowHttp: boolean;
  /** The address of the service. */
  readonly own: HostAndPort;
  readonly addresses: AddressRules;
}

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
  const place = placeOfUrl(url);
  if (place.host === own.host && place.port === own.port) return 'is an address of this service';
  return placeFault(place, addresses);
}
