/** Reads the refresh token of a request, with Passport. It is good for its project, and as a refresh token, only. */
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { SECRET } from '../config/config.token.js';
import type { HttpRequest } from '../http/request.js';
import { refusal } from '../shared/errors.js';
import { isUuid } from '../shared/identifiers.js';
import { scopeOf } from '../tenancy/request-scope.js';
import { bearerOfRequest } from './bearer.js';
import { ALGORITHM, ISSUER, signingKey, type Claims } from './token.service.js';

@Injectable()
export class RefreshTokenStrategy extends PassportStrategy(Strategy, 'refresh') {
  constructor(@Inject(SECRET) secret: string) {
    super({
      jwtFromRequest: bearerOfRequest,
      secretOrKey: signingKey(secret) as never,
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      passReqToCallback: true,
    });
  }

  /** Called for tokens whose signature and time are good; what it answers becomes `request.user`. */
  validate(request: HttpRequest, claims: Claims): Claims | false {
    const { typ, aud, exp, sub, sid, jti } = claims;
    const whole = typeof exp === 'number' && [sub, sid, jti].every((id) => typeof id === 'string' && isUuid(id));
    return whole && typ === 'refresh' && aud === scopeOf(request).project.id ? claims : false;
  }
}

@Injectable()
export class RefreshTokenGuard extends AuthGuard('refresh') {
  override handleRequest<T>(error: unknown, claims: T | false, _info: unknown, context: ExecutionContext): T {
    if (!error && claims) return claims;
    const { headers } = context.switchToHttp().getRequest<HttpRequest>();
    if (headers.authorization === undefined) throw refusal('token.missing', 'A refresh token is needed as the bearer');
    throw refusal('token.invalid', 'A refresh token that is good for this project is needed as the bearer');
  }
}

/** The claims of the refresh token that the guard let in. */
export function refreshClaims(request: HttpRequest): Claims {
  return (request as unknown as { user: Claims }).user;
}
