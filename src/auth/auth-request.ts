/**
 * What authentication needs of a request beside its body: the client, and when the response has been sent.
 */
import { clientAddress } from '../http/request/client-address.js';
import type { HttpRequest } from '../http/request/request.js';
import { asksForCookie } from './session/refresh-cookie.js';
import type { SessionClient } from '../sql/member/session.sql.js';

/** Longer headers `User-Agent` are cut, in characters. */
const MAX_USER_AGENT = 300;

export interface AuthRequest extends SessionClient {
  /** The client wants the refresh token in a cookie. */
  readonly inCookie: boolean;
  /** Runs `work` when the response has been sent, or the client has disconnected. */
  readonly afterAnswer: (work: () => void) => void;
}

/** @throws KindError 400 for a header with an unknown value */
export function authRequestOf(request: HttpRequest): AuthRequest {
  const { res: response } = request;
  return {
    inCookie: asksForCookie(request),
    address: clientAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT),
    afterAnswer: (work) => (response && !response.destroyed ? void response.once('close', work) : work()),
  };
}
