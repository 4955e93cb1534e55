/** Sign-in with username or e-mail address and password, and with a mailed code if the project requires it. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { type Answer, NULL_ANSWER } from '../http/answer/answer.js';
import { MailQueue } from '../mail/mail-queue.js';
import { codeMail } from '../mail/mail-texts.js';
import { afterPartialWrite, refusal } from '../shared/errors.js';
import { foldName } from '../shared/member-names.js';
import { findCredentialStatement } from '../sql/member/credential.sql.js';
import type { Project } from '../tenancy/project.js';
import type { AuthRequest } from './auth-request.js';
import type { SignInBody } from './auth.dto.js';
import { accountOf, type Credential, isUsable } from './password/credential.js';
import { verifyPassword } from './password/password-hash.js';
import { OneTimeSecrets } from './one-time-secrets.js';
import { MemberSessions } from './session/member-session.js';
import { RefreshCookies } from './session/refresh-cookie.js';
import { Throttle } from './throttle.js';

const CODE_MINUTES = 10;
const CODE_DIGITS = 6;

@Injectable()
export class SignInService {
  constructor(
    private readonly catalog: Catalog,
    private readonly cookies: RefreshCookies,
    private readonly database: Database,
    private readonly mail: MailQueue,
    private readonly members: MemberSessions,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: Throttle,
  ) {}

  /**
   * Answers a member session; null if a code was mailed, which the next request must send. @throws KindError 400, 401,
   * 429, 503
   */
  async signIn(project: Project, request: AuthRequest, { username, password, otp }: SignInBody): Promise<Answer> {
    const name = foldName(username);
    const [found] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<Credential>(findCredentialStatement(project.schema, name)),
    );
    const attempt = { address: request.address, account: accountOf(found, name) };
    const work = async () => {
      const credential = await this.#check(project, found, password);
      if (project.settings.otp) {
        if (otp === null) return this.#sendCode(project, request, credential);
        if (!(await this.secrets.useCode(project, 'code', credential.member_id, otp))) throw signInFailed();
        // The code is used, so the answer must say that state has changed even if the next step fails.
        return afterPartialWrite(() => this.#open(project, request, credential));
      }
      return this.#open(project, request, credential);
    };
    return this.catalog.inProject(project, () => this.throttle.guard(project, attempt, work));
  }

  /** An unknown name takes the same time as a wrong password, and gets the same answer. */
  async #check(
    project: Project,
    found: Credential | undefined,
    password: string,
  ): Promise<Credential & { password_hash: string }> {
    const hash = found?.password_hash ?? null;
    if (!(await verifyPassword(hash, password, project.id)) || !found || hash === null) throw signInFailed();
    return { ...found, password_hash: hash };
  }

  #open(project: Project, client: AuthRequest, credential: Credential & { password_hash: string }): Promise<Answer> {
    const { member_kind: kindId, member_id: memberId, password_hash: password } = credential;
    return this.catalog.withCheckedModel({ project }, async (model) => {
      const member = { kindId, memberId, password, client };
      const session = await this.members.open(this.database, project, model, member);
      if (!session) throw signInFailed();
      return this.cookies.sessionAnswer(project, client.inCookie, session);
    });
  }

  /**
   * Mails a code after the answer. Each code counts as an attempt of the address. If the member has been sent the
   * allowed number of mails, no new code is made and the last one stays valid.
   */
  async #sendCode(project: Project, { address, afterAnswer }: AuthRequest, credential: Credential): Promise<Answer> {
    await this.catalog.withCheckedModel({ project }, (model) => {
      if (!isUsable(credential, model)) throw signInFailed();
    });
    await this.throttle.count(project, { address });
    const reservation = this.mail.reserve(project.id);
    try {
      if (!(await this.throttle.takeMail(project, 'code', credential.member_id))) {
        reservation.release();
        return NULL_ANSWER;
      }
      const { member_id: memberId } = credential;
      const terms = { memberId, digits: CODE_DIGITS, minutes: CODE_MINUTES };
      const code = await this.secrets.makeCode(project, 'code', memberId, terms);
      const mail = { to: credential.email, project: project.label, code, minutes: CODE_MINUTES };
      afterAnswer(() => reservation.submit({ type: 'code', make: () => codeMail(mail) }));
      return NULL_ANSWER;
    } catch (error) {
      reservation.release();
      throw error;
    }
  }
}

function signInFailed() {
  return refusal('signin.failed', 'No member has that name and password, or the code is wrong');
}
