/**
 * What authentication needs of a request beside its body: the client's address, and when the response has been sent.
 */
import { clientAddress } from '../http/request/client-address.js';
import type { HttpRequest } from '../http/request/request.js';

export interface AuthRequest {
  readonly address: string;
  /** Runs `work` when the response has been sent, or the client has disconnected. */
  readonly afterAnswer: (work: () => void) => void;
}

export function authRequestOf(request: HttpRequest): AuthRequest {
  const { res: response } = request;
  return {
    address: clientAddress(request),
    afterAnswer: (work) => (response && !response.destroyed ? void response.once('close', work) : work()),
  };
}
