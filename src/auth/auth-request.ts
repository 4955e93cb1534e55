/** What the flows of authentication know of a request beside its body: where it comes from, and when it is answered. */
import { clientAddress } from '../http/request/client-address.js';
import type { HttpRequest } from '../http/request/request.js';

export interface AuthRequest {
  readonly address: string;
  /** Has work done when the answer is out, or its client is gone. */
  readonly afterAnswer: (work: () => void) => void;
}

export function authRequestOf(request: HttpRequest): AuthRequest {
  const { res: response } = request;
  return {
    address: clientAddress(request),
    afterAnswer: (work) => (response && !response.destroyed ? void response.once('close', work) : work()),
  };
}
