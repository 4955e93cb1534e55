/** Where the service and its database are, which no request of a tenant is sent to. */
import { Injectable } from '@nestjs/common';
import { networkInterfaces } from 'node:os';
import type { AllowedAddresses } from '../config/config.js';
import { PublicAddress } from '../mail/public-address.js';
import { isAddress, type AddressRules, type OwnPlace } from './addresses.js';
import { HostLookup } from './host-lookup.js';
import { placeOfUrl, type HostAndPort } from './places.js';

@Injectable()
export class OwnPlaces {
  #places: readonly HostAndPort[] = [];

  constructor(
    private readonly publicAddress: PublicAddress,
    private readonly hosts: HostLookup,
  ) {}

  /** Called when the service listens: its own places, and those of its database. */
  are(places: readonly HostAndPort[]): void {
    this.#places = places;
  }

  /** The public address of the service. */
  get public(): HostAndPort {
    return placeOfUrl(new URL(this.publicAddress.url));
  }

  /** What a URL is judged by when it is stored: names of places are not resolved. */
  literalRules(allowed: AllowedAddresses): AddressRules {
    return this.#rules(allowed, this.#places.map(withLiteral));
  }

  /** What a request is judged by. */
  async addressRules(allowed: AllowedAddresses): Promise<AddressRules> {
    return this.#rules(allowed, await Promise.all(this.#places.map((place) => this.#resolve(place))));
  }

  #rules(allowed: AllowedAddresses, ownPlaces: readonly OwnPlace[]): AddressRules {
    const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    return { allowed, ownAddresses: interfaces.map(({ address }) => address), ownPlaces };
  }

  async #resolve(place: HostAndPort): Promise<OwnPlace> {
    const known = withLiteral(place);
    // The folder of a Unix socket has no address.
    if (known.addresses.length > 0 || place.host.startsWith('/')) return known;
    return { port: place.port, addresses: await this.hosts.addressesOf(place.host).catch(() => []) };
  }
}

function withLiteral({ host, port }: HostAndPort): OwnPlace {
  return { port, addresses: isAddress(host) ? [host] : [] };
}
