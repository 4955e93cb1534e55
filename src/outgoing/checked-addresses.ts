/**
 * Requests to addresses that tenants name. All addresses of the host are resolved here, once, and the connection is made
 * to one of those that were checked; no redirect is followed, and no proxy used.
 */
import { Injectable } from '@nestjs/common';
import { request as httpRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { AllowedAddresses } from '../config/config.js';
import { isAddress, isRefused } from './addresses.js';
import { HostLookup } from './host-lookup.js';
import { OwnPlaces } from './own-places.js';
import { placeOfUrl } from './places.js';

/** A host that has no address, or one that nothing is sent to. */
export class AddressError extends Error {
  constructor(readonly code: 'dns' | 'address') {
    super(code);
  }
}

@Injectable()
export class CheckedAddresses {
  constructor(
    private readonly hosts: HostLookup,
    private readonly own: OwnPlaces,
  ) {}

  /** All addresses of the host. @throws AddressError if one of them is refused, or there is none */
  async of(url: URL, allowed: AllowedAddresses): Promise<readonly string[]> {
    const { host, port } = placeOfUrl(url);
    const rules = await this.own.addressRules(allowed);
    const addresses = isAddress(host) ? [host] : await this.#resolve(host);
    if (addresses.length === 0) throw new AddressError('dns');
    if (addresses.some((address) => isRefused(address, port, rules))) throw new AddressError('address');
    return addresses;
  }

  async #resolve(host: string): Promise<readonly string[]> {
    try {
      return await this.hosts.addressesOf(host);
    } catch {
      throw new AddressError('dns');
    }
  }
}

interface CheckedRequest extends Pick<RequestOptions, 'method' | 'signal'> {
  readonly headers: Readonly<Record<string, string | number>>;
}

/** Begins a request on a new connection to one of the addresses, which were checked. */
export function requestTo(url: URL, addresses: readonly string[], { headers, ...rest }: CheckedRequest): ClientRequest {
  const { host } = placeOfUrl(url);
  const secure = url.protocol === 'https:';
  const options: RequestOptions & { servername?: string } = {
    ...rest,
    host,
    ...(url.port !== '' && { port: url.port }),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host },
    agent: false,
    lookup: lookupOf(addresses),
    ...(secure && !isAddress(host) && { servername: host }),
  };
  return secure ? httpsRequest(options) : httpRequest(options);
}

/** Gives the addresses that were checked, and asks nobody. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all: wantsAll }, callback) => {
    const [first = { address: '', family: 4 }] = all;
    if (wantsAll) callback(null, all);
    else callback(null, first.address, first.family);
  };
}

/** The same, or a failure as soon as the signal is there. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
