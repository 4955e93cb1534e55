import { clientAddress } from '../../http/request/client-address.js';
import type { HttpRequest } from '../../http/request/request.js';
import type { Caller } from '../../tenancy/caller.js';

/** Whose requests and streams are limited together: those of a member, of a key, or of an address. */
export function waitingOwner(caller: Caller, request: HttpRequest): string {
  if (caller.type !== 'member') return clientAddress(request);
  return caller.key ? `key ${caller.key.id}` : `${caller.kindId} ${caller.id}`;
}
