/** What the routes of authentication need of a request beside its body: the client, the member, and no idempotency key. */
import { type ExecutionContext, Header, Injectable } from '@nestjs/common';
import { checkAdministrator } from '../access/access.js';
import { accessDenied, notByKeys } from '../access/level.js';
import { clientAddress } from '../http/request/client-address.js';
import { KEY_HEADER } from '../http/header-names.js';
import { type HttpRequest, type HttpResponse, requestOf } from '../http/request/request.js';
import { PreparingInterceptor } from '../http/server/preparing.interceptor.js';
import { refusal } from '../shared/errors.js';
import type { SessionClient } from '../sql/member/session.sql.js';
import type { Caller, MemberCaller } from '../tenancy/caller.js';
import type { BodyInput } from '../tenancy/request-bodies.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { asksForCookie } from './session/refresh-cookie.js';

/** Milliseconds for which the end of an answer is waited for: a client may leave it unread, so that it does not end. */
const LONGEST_ANSWER = 2000;
/** Longer headers `User-Agent` are cut, in characters. */
const MAX_USER_AGENT = 300;

export interface AuthRequest extends SessionClient {
  /** The client wants the refresh token in a cookie. */
  readonly inCookie: boolean;
  /** Runs `work` when the response has been sent, or the client has disconnected, or after two seconds. */
  readonly afterAnswer: (work: () => void) => void;
}

/** @throws KindError 400 for a header with an unknown value */
export function authRequestOf(request: HttpRequest): AuthRequest {
  const { res: response } = request;
  return {
    inCookie: asksForCookie(request),
    address: clientAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT),
    afterAnswer: (work) => (response && !response.destroyed ? onceAnswered(response, work) : work()),
  };
}

function onceAnswered(response: HttpResponse, work: () => void): void {
  const run = (): void => {
    clearTimeout(timer);
    response.off('close', run);
    work();
  };
  const timer = setTimeout(run, LONGEST_ANSWER);
  response.once('close', run);
}

/** @throws KindError 401 without a token */
export function requireMember(caller: Caller): MemberCaller {
  if (caller.type === 'member') return caller;
  throw accessDenied(caller, 'Only members may do that');
}

/** @throws KindError 401 without a token, 403 for an API key, which has no session */
export function requireSession(caller: Caller): MemberCaller {
  const member = requireMember(caller);
  if (member.key) throw notByKeys();
  return member;
}

/** @throws KindError 401, 403 */
export function requireAdministrator(caller: Caller): MemberCaller {
  const member = requireSession(caller);
  checkAdministrator(caller, 'Only administrators may do that');
  return member;
}

/** The body of a request, which is not read without a session. @throws KindError 401, 403 */
export function readInSession<T>({ caller }: RequestScope, read: BodyInput<T>): Promise<T> {
  requireSession(caller);
  return read();
}

/** Refuses idempotency keys: what these endpoints answer is secret, or counts attempts. */
@Injectable()
export class WithoutKeyInterceptor extends PreparingInterceptor {
  /** @throws KindError 400 */
  prepare(context: ExecutionContext): void {
    const request = requestOf(context);
    if (request.method !== 'GET' && request.method !== 'HEAD') refuseKey(request);
  }
}

/** @throws KindError 400 if the request has an idempotency key */
export function refuseKey({ headers }: HttpRequest): void {
  if (headers[KEY_HEADER] === undefined) return;
  throw refusal('idempotency.not_here', 'Authentication takes no Idempotency-Key', { parameter: KEY_HEADER });
}

/** Answers of authentication contain secrets, so that nobody may keep them. */
export const NoStore = () => Header('Cache-Control', 'no-store');
