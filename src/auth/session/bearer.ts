/** The bearer token of a request (RFC 6750), for access and refresh tokens alike. */
import type { HttpRequest } from '../../http/request/request.js';

/** Characters of a header that is looked at; one with a token of this service has some 500. */
const MAX_HEADER_LENGTH = 8192;

const BEARER = /^bearer +(\S+)$/i;

/** The token of a header `authorization`; null where it has none. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_HEADER_LENGTH) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

/** The same of a request, as Passport asks for it. */
export function bearerOfRequest({ headers }: Pick<HttpRequest, 'headers'>): string | null {
  return bearerOf(headers.authorization);
}
