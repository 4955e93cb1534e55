/**
 * The cookie by which a sign-in with an identity provider goes on in the browser where it began: a link from somebody
 * else, with the answer for their account, signs nobody in. A browser has one, whatever it signs in to.
 */
import { randomBytes } from 'node:crypto';
import { parse, serialize } from 'cookie';
import { isLoopback } from '../../outgoing/addresses.js';
import { placeOfUrl } from '../../outgoing/places.js';

/** Seconds. */
export const FLOW_LIFETIME = 10 * 60;
const VALUE = /^[\w-]{22}$/;

interface FlowCookie {
  readonly name: string;
  readonly secure: boolean;
}

/** @param publicUrl that of the service: over plain HTTP on this computer there are no secure cookies */
function cookieOf(publicUrl: string): FlowCookie {
  const url = new URL(publicUrl);
  const plain = url.protocol === 'http:' && isLoopback(placeOfUrl(url).host);
  return plain ? { name: 'kind-flow', secure: false } : { name: '__Host-kind-flow', secure: true };
}

/** The value of a request; undefined if it has none of ours. */
export function flowCookieOf(cookies: string | undefined, publicUrl: string): string | undefined {
  const value = cookies === undefined ? undefined : parse(cookies)[cookieOf(publicUrl).name];
  return value !== undefined && VALUE.test(value) ? value : undefined;
}

export function newFlowValue(): string {
  return randomBytes(16).toString('base64url');
}

/** The header `Set-Cookie`. The browser sends it along when a page of another site leads to the service. */
export function flowCookie(value: string, publicUrl: string): string {
  const { name, secure } = cookieOf(publicUrl);
  return serialize(name, value, { path: '/', maxAge: FLOW_LIFETIME, httpOnly: true, secure, sameSite: 'lax' });
}
