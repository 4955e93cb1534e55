/** Makes and reads the tokens of members: JWTs (RFC 7519), HS256, bound to project, member, kind and session. */
import { createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { LRUCache } from 'lru-cache';
import { ExtractJwt } from 'passport-jwt';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';
import { refusal } from '../shared/errors.js';
import { ANONYMOUS, CallerResolver, type Caller, type MemberCaller } from '../tenancy/caller.js';

const ISSUER = 'kind';
const ALGORITHM = 'HS256';
const ADMIN_KIND = 'kind_admin';

/** The key that signs tokens. */
export const SECRET = Symbol('secret');

export type TokenType = 'access' | 'refresh';

interface Claims {
  readonly sub: string;
  readonly kind: string;
  readonly sid: string;
  readonly typ: TokenType;
  readonly exp: number;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Verified {
  readonly projectId: string;
  readonly caller: MemberCaller;
  /** Seconds since 1970. */
  readonly expires: number;
}

const bearer = ExtractJwt.fromAuthHeaderAsBearerToken();

@Injectable()
export class TokenService extends CallerResolver {
  readonly #key: KeyObject;
  /** Tokens that were verified, until they expire: verifying one costs more than all else of a small request. */
  readonly #verified = new LRUCache<string, Verified>({ max: 20_000 });

  constructor(
    private readonly jwt: JwtService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(SECRET) secret: string,
  ) {
    super();
    // A KeyObject: given a string, jsonwebtoken first tries to read it as a public key, at 0.3 ms a call.
    this.#key = createSecretKey(Buffer.from(secret));
  }

  issue(projectId: string, kindId: string, memberId: string, sessionId: string): Tokens {
    const sign = (typ: TokenType, milliseconds: number) =>
      this.jwt.sign(
        { sub: memberId, kind: kindId, sid: sessionId, typ },
        {
          algorithm: ALGORITHM,
          issuer: ISSUER,
          audience: projectId,
          expiresIn: Math.round(milliseconds / 1000),
          jwtid: randomUUID(),
          privateKey: this.#key,
        },
      );
    return {
      access_token: sign('access', this.config.accessTokenTtl),
      refresh_token: sign('refresh', this.config.refreshTokenTtl),
    };
  }

  /** The caller whose access token the header carries. @throws KindError 401 for one that is not good here */
  resolve(authorization: string | undefined, projectId: string): Caller {
    if (authorization === undefined) return ANONYMOUS;
    const token = bearer({ headers: { authorization } });
    if (token === null) throw refusal('token.invalid', 'The header authorization must be Bearer <token>');
    const known = this.#verified.get(token);
    if (known && known.projectId === projectId && known.expires > Date.now() / 1000) return known.caller;
    const { sub, kind, sid, exp } = this.verify(token, projectId, 'access');
    const caller: MemberCaller = { type: 'member', id: sub, kindId: kind, sessionId: sid, admin: kind === ADMIN_KIND };
    this.#verified.set(token, { projectId, caller, expires: exp });
    return caller;
  }

  verify(token: string, projectId: string, type: TokenType): Claims {
    let claims: Claims;
    try {
      claims = this.jwt.verify<Claims>(token, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: projectId,
        secret: this.#key as never,
      });
    } catch {
      throw refusal('token.invalid', 'The bearer token is malformed, forged, expired, revoked or of another project');
    }
    if (claims.typ !== type) throw refusal('token.invalid', `An ${type} token is needed here, got another`);
    return claims;
  }
}
