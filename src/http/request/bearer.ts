/** Reads the bearer token of a request (RFC 6750), for access and refresh tokens. */
import type { HttpRequest } from './request.js';
import { refusal, type KindError } from '../../shared/errors.js';

/** Longer headers are ignored; one with a token of this service has about 500 characters. */
const MAX_HEADER_LENGTH = 8192;

const BEARER = /^bearer +(\S+)$/i;

/** The token of an `Authorization` header; null if there is none. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_HEADER_LENGTH) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

/** The token of a request, in the form that Passport expects. */
export function bearerOfRequest({ headers }: Pick<HttpRequest, 'headers'>): string | null {
  return bearerOf(headers.authorization);
}

/** The error for a token that is not accepted, whatever the reason. */
export function invalidToken(): KindError {
  return refusal('token.invalid', 'The bearer token is malformed, forged, expired, revoked or of another project');
}
