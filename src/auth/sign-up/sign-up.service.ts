/** Members that sign up with a password. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { NULL_ANSWER, type Answer } from '../../http/answer/answer.js';
import { Faults, KindError } from '../../shared/errors.js';
import { setPasswordStatement } from '../../sql/member/credential.sql.js';
import type { BodyInput } from '../../tenancy/request-bodies.js';
import type { Project } from '../../tenancy/project.js';
import type { AuthRequest } from '../auth-request.js';
import { VerificationMails } from '../email/verification-mails.js';
import { authorizeSignUp, NewMembers } from '../new-members.js';
import { addPasswordFaults, hashPassword } from '../password/password-hash.js';
import { RefreshCookies } from '../session/refresh-cookie.js';
import { type MemberSession, SessionOpener } from '../session/session-opener.js';
import { Throttle } from '../throttle.js';
import { atSignUpPath, readSignUp } from './sign-up.dto.js';

@Injectable()
export class SignUpService {
  constructor(
    private readonly catalog: Catalog,
    private readonly cookies: RefreshCookies,
    private readonly mails: VerificationMails,
    private readonly newMembers: NewMembers,
    private readonly opener: SessionOpener,
    private readonly throttle: Throttle,
  ) {}

  /**
   * Creates a member and signs it in, in one transaction. Needs the right `signup` of the kind, not `create`. The
   * password is hashed before the transaction, and only if the body has no fault so far. @throws KindError 400, 403,
   * 404, 409, 429
   */
  async signUp(project: Project, client: AuthRequest, kindId: string, read: BodyInput): Promise<Answer> {
    const made = await this.mails.afterSignUp(project, client, () => this.#create(project, client, kindId, read));
    return made ? this.cookies.sessionAnswer(project, client.inCookie, made) : NULL_ANSWER;
  }

  async #create(
    project: Project,
    client: AuthRequest,
    kindId: string,
    read: BodyInput,
  ): Promise<MemberSession | undefined> {
    await this.catalog.withCheckedModel({ project }, (model) => void authorizeSignUp(model, kindId));
    const faults = new Faults();
    const { password, names, rest } = readSignUp(await read(), faults);
    if (password !== undefined) addPasswordFaults(password, [...names.values()], faults);
    let hash = '';
    if (password !== undefined && !faults.any) {
      const { address } = client;
      hash = await this.throttle.countAndRun(project, { address }, () => hashPassword(password, project.id));
    }
    const body = new Map<string, unknown>([...rest, ...names]);
    // Faults of these names are reported already, and the unit lacks them.
    const reported = ['username', 'email'].filter((name) => !names.has(name));
    const member = { kindId, body, faults: faults.except(reported) };
    return this.catalog.withCheckedModel({ project }, async (model) => {
      try {
        return await this.newMembers.create(project, model, member, async (tx, memberId) => {
          await tx.run(setPasswordStatement(project.schema, memberId, hash));
          return this.opener.open(tx, project, model, { kindId, memberId, client });
        });
      } catch (error) {
        throw error instanceof KindError ? atSignUpPath(error) : error;
      }
    });
  }
}
