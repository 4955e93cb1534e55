/**
 * The refresh token of a browser client in a cookie that scripts cannot read (docs/auth.md). Other sites can neither set
 * the header that asks for it nor have the cookie sent along.
 */
import { Inject, Injectable } from '@nestjs/common';
import { parse, serialize } from 'cookie';
import { type Config, CONFIG } from '../../config/config.js';
import { Answer, jsonAnswer, NULL_ANSWER } from '../../http/answer/answer.js';
import { PROJECT_HEADER, REFRESH_TOKEN_HEADER } from '../../http/header-names.js';
import type { HttpRequest } from '../../http/request/request.js';
import { refusal } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';
import type { MemberSession } from './session-opener.js';
import { isOwnOrigin } from '../../http/cors.js';
import { bearerOfRequest } from '../../http/request/bearer.js';

const IN_COOKIE = 'cookie';
const PATH = '/api/lib/auth';

/** One for each project, so that a browser can be signed in to several. */
function cookieName(projectId: string): string {
  return `kind_refresh_${projectId}`;
}

/** Whether the client asks for the cookie. @throws KindError 400 for an unknown value */
export function asksForCookie({ headers }: HttpRequest): boolean {
  const value = headers[REFRESH_TOKEN_HEADER];
  if (value !== undefined && value !== IN_COOKIE) {
    throw refusal('header.bad_value', `Kind-Refresh-Token is '${IN_COOKIE}'`);
  }
  return value === IN_COOKIE;
}

/** The refresh token of a request: its bearer, or the cookie if there is no bearer and the client asks for it. */
export function refreshTokenOf(request: Pick<HttpRequest, 'headers'>): string | null {
  const { authorization, cookie, [PROJECT_HEADER]: project, [REFRESH_TOKEN_HEADER]: place } = request.headers;
  if (authorization !== undefined || place !== IN_COOKIE) return bearerOfRequest(request);
  if (cookie === undefined || typeof project !== 'string') return null;
  return parse(cookie)[cookieName(project)] ?? null;
}

@Injectable()
export class RefreshCookies {
  readonly #path: string;

  constructor(@Inject(CONFIG) private readonly config: Config) {
    // A proxy may serve it below a path of its own.
    const prefix = config.publicUrl === undefined ? '' : new URL(config.publicUrl).pathname.replace(/\/$/, '');
    this.#path = `${prefix}${PATH}`;
  }

  /**
   * Refuses the cookie to pages of other origins: what browsers and `SameSite` should do already. @throws KindError 403
   */
  checkOrigin(request: Pick<HttpRequest, 'headers'>): void {
    const { authorization, origin, host, [REFRESH_TOKEN_HEADER]: place, 'sec-fetch-site': site } = request.headers;
    // A browser tells the site of a page by itself: `none` is the address bar.
    if (authorization !== undefined || place !== IN_COOKIE || site === 'same-origin' || site === 'none') return;
    if (origin === undefined ? site === undefined : isOwnOrigin(this.config, origin, host)) return;
    throw refusal('access.denied', 'The cookie with the refresh token is not taken from pages of other origins');
  }

  /** The answer with a session; `inCookie` moves its refresh token from the body into the cookie. */
  sessionAnswer(project: Project, inCookie: boolean, session: MemberSession): Answer {
    if (!inCookie) return jsonAnswer(session);
    const { content } = jsonAnswer({ ...session, refresh_token: null });
    const seconds = Math.round(this.config.refreshTokenTtl / 1000);
    return new Answer(content, undefined, this.#header(project, session.refresh_token, seconds));
  }

  /** The answer without content, which deletes the cookie with `inCookie`. */
  endedAnswer(project: Project, inCookie: boolean): Answer {
    return inCookie ? new Answer(NULL_ANSWER.content, undefined, this.#header(project, '', 0)) : NULL_ANSWER;
  }

  #header(project: Project, token: string, maxAge: number): Record<string, string> {
    const options = { path: this.#path, maxAge, httpOnly: true, secure: true, sameSite: 'strict' } as const;
    return { 'set-cookie': serialize(cookieName(project.id), token, options) };
  }
}
