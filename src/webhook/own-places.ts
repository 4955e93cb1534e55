/** Where the service and its database are, which no webhook is sent to. */
import { Inject, Injectable } from '@nestjs/common';
import { networkInterfaces } from 'node:os';
import { type Config, CONFIG } from '../config/config.js';
import { PublicAddress } from '../mail/public-address.js';
import { isAddress, type AddressRules, type OwnPlace } from './addresses.js';
import { HostLookup } from './host-lookup.js';
import { placeOfUrl, type HostAndPort, type UrlRules } from './webhook-url.js';

@Injectable()
export class OwnPlaces {
  #places: readonly HostAndPort[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly publicAddress: PublicAddress,
    private readonly hosts: HostLookup,
  ) {}

  /** Called when the service listens: its own places, and those of its database. */
  are(places: readonly HostAndPort[]): void {
    this.#places = places;
  }

  /** What a URL is judged by when it is stored: names of places are not resolved. */
  get urlRules(): UrlRules {
    const own = placeOfUrl(new URL(this.publicAddress.url));
    return { allowHttp: this.config.webhooks.allowHttp, own, addresses: this.#rules(this.#places.map(withLiteral)) };
  }

  /** What an attempt is judged by. */
  async addressRules(): Promise<AddressRules> {
    return this.#rules(await Promise.all(this.#places.map((place) => this.#resolve(place))));
  }

  #rules(ownPlaces: readonly OwnPlace[]): AddressRules {
    const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    return { config: this.config.webhooks, ownAddresses: interfaces.map(({ address }) => address), ownPlaces };
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
