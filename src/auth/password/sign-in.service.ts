/** Sign-in with username or e-mail address and password. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import type { Answer } from '../../http/answer/answer.js';
import type { Project } from '../../tenancy/project.js';
import type { SignInBody } from './password.dto.js';
import type { AuthRequest } from '../auth-request.js';
import { accountOf, findCredentialByName } from '../credential.js';
import { verifyPassword } from './password-hash.js';
import { NewSessions } from '../new-sessions.js';
import { signInFailed } from '../refusals.js';
import { Throttle } from '../throttle.js';

@Injectable()
export class SignInService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly sessions: NewSessions,
    private readonly throttle: Throttle,
  ) {}

  /**
   * Answers a member session, or null if a second step is missing: the next request sends its code along. An unknown
   * name takes the same time as a wrong password, and gets the same answer. @throws KindError 400, 401, 429, 503
   */
  async signIn(project: Project, request: AuthRequest, { username, password, otp }: SignInBody): Promise<Answer> {
    const found = await this.catalog.inProject(project, () =>
      findCredentialByName(this.database.ofProject(project), project, username),
    );
    const attempt = { address: request.address, account: accountOf(found, username) };
    const work = async () => {
      const hash = found?.password_hash ?? null;
      if (!(await verifyPassword(hash, password, project.id)) || !found || hash === null)
        throw signInFailed('password');
      return this.sessions.session(project, request, found, { way: 'password', otp, password: hash });
    };
    return this.catalog.inProject(project, () => this.throttle.guard(project, attempt, work));
  }
}
