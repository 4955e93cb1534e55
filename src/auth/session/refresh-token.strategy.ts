/** Reads and verifies the refresh token of a request, with Passport. */
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { SECRET } from '../../config/config.js';
import type { HttpRequest } from '../../http/request/request.js';
import { refusal } from '../../shared/errors.js';
import { isUuid } from '../../shared/identifiers.js';
import type { Project } from '../../tenancy/project.js';
import { refreshTokenOf } from './refresh-cookie.js';
import { ALGORITHM, ISSUER, signingKey, type Claims } from './token.service.js';

@Injectable()
export class RefreshTokenStrategy extends PassportStrategy(Strategy, 'refresh') implements OnApplicationShutdown {
  /** All services of a process share Passport's list of strategies, and each has its own secret. */
  readonly registeredName = `refresh ${randomUUID()}`;

  constructor(@Inject(SECRET) secret: string) {
    super({
      jwtFromRequest: refreshTokenOf,
      secretOrKey: signingKey(secret) as never,
      algorithms: [ALGORITHM],
      issuer: ISSUER,
    });
    passport.use(this.registeredName, this);
  }

  onApplicationShutdown(): void {
    passport.unuse(this.registeredName);
  }

  /** Called for tokens with a valid signature that have not expired. What it returns becomes `request.user`. */
  validate(claims: Claims): Claims | false {
    const { typ, exp, sub, sid, jti } = claims;
    const complete = typeof exp === 'number' && [sub, sid, jti].every((id) => typeof id === 'string' && isUuid(id));
    return complete && typ === 'refresh' ? claims : false;
  }
}

/**
 * Lets every request pass, because guards run before the interceptor, whose errors about the project come first.
 * `refreshClaims` refuses later.
 */
@Injectable()
export class RefreshTokenGuard extends AuthGuard() {
  constructor(strategy: RefreshTokenStrategy) {
    super({ defaultStrategy: strategy.registeredName });
  }

  override handleRequest<T>(error: unknown, claims: T | false): T | undefined {
    return error || !claims ? undefined : claims;
  }
}

/** The claims of the request's refresh token, which must belong to the project. @throws KindError 401 */
export function refreshClaims(request: HttpRequest, project: Project): Claims {
  const { user: claims } = request as unknown as { user?: Claims };
  if (claims?.aud === project.id) return claims;
  if (refreshTokenOf(request) === null && request.headers.authorization === undefined) {
    throw refusal('token.missing', 'A refresh token is needed, as the bearer or in the cookie of this project');
  }
  throw refusal('token.invalid', 'A valid refresh token of this project is needed, as the bearer or in its cookie');
}
