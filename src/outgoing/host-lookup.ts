/** The one place that resolves the hosts of outgoing requests. */
import { Injectable } from '@nestjs/common';
import { lookup } from 'node:dns/promises';

@Injectable()
export class HostLookup {
  /** All addresses of a name. @throws Error if it has none, or the resolver does not answer */
  async addressesOf(host: string): Promise<readonly string[]> {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  }
}
