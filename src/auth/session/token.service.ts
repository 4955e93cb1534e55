/** Creates and verifies the tokens of members: JWTs (RFC 7519), HS256, bound to project, member, kind and session. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { type Config, CONFIG, SECRET } from '../../config/config.js';
import { refusal } from '../../shared/errors.js';
import { andThen, type MaybePromise } from '../../shared/work-in-pieces.js';
import { isUuid } from '../../shared/identifiers.js';
import { lruCache } from '../../shared/maps.js';
import { memberCaller, type MemberCaller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { bearerOf, invalidToken } from '../../http/request/bearer.js';
import { SessionStore, type SessionGrant } from './session-store.js';

export const ISSUER = 'kind';
export const ALGORITHM = 'HS256';

type TokenType = 'access' | 'refresh';

export interface Claims {
  readonly sub: string;
  readonly kind: string;
  readonly sid: string;
  readonly typ: TokenType;
  readonly aud: string;
  readonly jti: string;
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

/** A KeyObject, because for a string jsonwebtoken first tries to parse a public key, which takes 0.3 ms per call. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret));
}

@Injectable()
export class TokenService {
  readonly #key: KeyObject;
  /** Verified tokens until they expire: verifying takes longer than the rest of a small request. */
  readonly #verified = lruCache<Verified>(20_000);

  constructor(
    private readonly jwt: JwtService,
    private readonly sessions: SessionStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(SECRET) secret: string,
  ) {
    this.#key = signingKey(secret);
  }

  /** The pair of tokens of a grant; the same grant makes the same tokens. */
  issue(projectId: string, kindId: string, memberId: string, grant: SessionGrant): Tokens {
    const { sessionId, refreshId, issuedAt } = grant;
    const sign = (typ: TokenType, jwtid: string, milliseconds: number) =>
      this.jwt.sign(
        { sub: memberId, kind: kindId, sid: sessionId, typ, iat: issuedAt },
        {
          algorithm: ALGORITHM,
          issuer: ISSUER,
          audience: projectId,
          expiresIn: Math.max(1, Math.round(milliseconds / 1000)),
          jwtid,
          privateKey: this.#key,
        },
      );
    return {
      access_token: sign('access', `${refreshId}-a`, this.config.accessTokenTtl),
      refresh_token: sign('refresh', refreshId, this.config.refreshTokenTtl),
    };
  }

  /** The caller of the access token in the header. @throws KindError 401 if it is not valid here */
  resolve(authorization: string, project: Project): MaybePromise<MemberCaller> {
    const caller = this.#verify(authorization, project.id);
    return andThen(this.sessions.check(project, caller.sessionId), ({ memberKind, held }) => {
      const named = memberKind === caller.kindId ? caller : memberCaller(caller.id, memberKind, caller.sessionId);
      return held ? { ...named, held } : named;
    });
  }

  /** When a token that was resolved expires, in milliseconds since 1970; that of something else never does. */
  expiryOf(authorization: string): number {
    const known = this.#verified.get(authorization);
    return known ? known.expires * 1000 : Infinity;
  }

  #verify(authorization: string, projectId: string): MemberCaller {
    const known = this.#verified.get(authorization);
    if (known && known.projectId === projectId && known.expires > Date.now() / 1000) return known.caller;
    const token = bearerOf(authorization);
    if (token === null) throw refusal('token.invalid', 'The header authorization must be Bearer <token>');
    const { sub, kind, sid, exp } = this.#read(token, projectId);
    const caller = memberCaller(sub, kind, sid);
    this.#verified.set(authorization, { projectId, caller, expires: exp });
    return caller;
  }

  #read(token: string, projectId: string): Claims {
    let claims: Claims;
    try {
      claims = this.jwt.verify<Claims>(token, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: projectId,
        secret: this.#key as never,
      });
    } catch {
      throw invalidToken();
    }
    if (typeof claims.exp !== 'number' || claims.aud !== projectId || !isUuid(claims.sub)) {
      throw refusal('token.invalid', 'The bearer token lacks what every token of this service has');
    }
    if (claims.typ !== 'access') throw refusal('token.invalid', 'An access token is needed here, got another');
    return claims;
  }
}
