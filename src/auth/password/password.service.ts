/** Changes of passwords: by the member, and by a token that only the reader of the member's mails knows. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { NULL_ANSWER, type Answer } from '../../http/answer/answer.js';
import { type Mail, recoveryMail } from '../../mail/mail-texts.js';
import { MailQueue } from '../../mail/mail-queue.js';
import { PublicAddress } from '../../mail/public-address.js';
import { refusal } from '../../shared/errors.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import type { BodyInput } from '../../tenancy/request-bodies.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { ChangePasswordBody, RecoverPasswordBody, ResetPasswordBody } from './password.dto.js';
import { accountOf, type Credential, findCredential, findCredentialByEmail, isUsableNow } from '../credential.js';
import { checkPassword, hashPassword, verifyPassword } from './password-hash.js';
import { PasswordStore, type Replacement } from './password-store.js';
import { Notices } from '../notices.js';
import { emptiedNotice, type Opener } from '../proved-addresses.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { Throttle } from '../throttle.js';
import { requireSession, type AuthRequest } from '../auth-request.js';
import { haveMoreWays, isMoreInUse } from '../way-in-writes.js';

const TOKEN_MINUTES = 60;

@Injectable()
export class PasswordService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly mail: MailQueue,
    private readonly notices: Notices,
    private readonly passwords: PasswordStore,
    private readonly publicAddress: PublicAddress,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: Throttle,
  ) {}

  /**
   * Looks the member up after the answer, so that neither content nor time of the answer reveals whether it exists.
   * @throws KindError 400, 429, 503
   */
  async requestReset(project: Project, client: AuthRequest, { email }: RecoverPasswordBody): Promise<Answer> {
    const { address } = client;
    await this.catalog.inProject(project, () => this.throttle.count(project, { address }));
    await this.mail.sendOneAfter(client, project.id, {
      type: 'recovery',
      make: () => this.#createMail(project, email),
    });
    return NULL_ANSWER;
  }

  /** The mail is sent to the stored spelling of the address. */
  async #createMail(project: Project, email: string): Promise<Mail | undefined> {
    const found = await findCredentialByEmail(this.database.ofProject(project), project, email);
    if (!found || !(await isUsableNow(this.catalog, project, found))) return undefined;
    if (!(await this.throttle.takeMail(project, 'recovery', found.email))) return undefined;
    const terms = { memberId: found.member_id, minutes: TOKEN_MINUTES };
    const token = await this.secrets.makeToken(project, 'recovery', terms);
    const link = `${this.publicAddress.url}/api/lib/auth/reset_password/${token}`;
    const { id: key, label } = project;
    return recoveryMail({ to: found.email, project: label, key, token, link, minutes: TOKEN_MINUTES });
  }

  /**
   * Sets a new password and ends the member's sessions and other tokens. If that proves the address for the first time,
   * nothing else opens the account any more. @throws KindError 401 for an invalid token, 400, 429, 503
   */
  reset(scope: RequestScope, client: AuthRequest, token: string, read: BodyInput<ResetPasswordBody>): Promise<Answer> {
    const { project } = scope;
    const { address } = client;
    const work = async () => {
      const credential = await this.#credentialOfToken(project, token);
      const { new_password: password } = await read();
      checkPassword({ ...credential, password }, 'new_password');
      const hash = await hashPassword(password, project.id);
      await this.#reset(scope, client, credential, { memberId: credential.member_id, hash, token });
      // The password is set already, so an error while clearing the counted failures is ignored.
      await this.throttle.clearFailures(project, address, accountOf(credential)).catch(() => undefined);
      return NULL_ANSWER;
    };
    return this.catalog.inProject(project, () => this.throttle.guard(project, { address }, work));
  }

  /** Ends all other sessions of the member. A wrong current password counts as a failed sign-in. */
  async change(
    { project, caller }: RequestScope,
    request: AuthRequest,
    read: BodyInput<ChangePasswordBody>,
  ): Promise<Answer> {
    const { id, sessionId } = requireSession(caller);
    const { current_password: current, new_password: password } = await read();
    const found = await this.catalog.inProject(project, () =>
      findCredential(this.database.ofProject(project), project, id),
    );
    if (!found) throw wrongPassword();
    const attempt = { address: request.address, account: accountOf(found) };
    return this.throttle.guard(project, attempt, async () => {
      const before = found.password_hash;
      if (before === null) throw noPassword();
      if (!(await verifyPassword(before, current, project.id))) throw wrongPassword();
      checkPassword({ username: found.username, email: found.email, password }, 'new_password');
      const hash = await hashPassword(password, project.id);
      const told = (await isMoreInUse(this.database.ofProject(project), project, [id])) ? [found] : [];
      await this.notices.about(project, request, told, 'password_changed', () =>
        this.passwords.inTransaction(project, async (tx) => {
          const replacement: Replacement = { memberId: id, hash, expectedHash: before, keptSessionId: sessionId };
          if (!(await this.passwords.replace(tx, project, replacement))) throw wrongPassword();
        }),
      );
      return NULL_ANSWER;
    });
  }

  async #credentialOfToken(project: Project, token: string): Promise<Credential> {
    const recovery = await this.secrets.findToken(project, 'recovery', token);
    if (!recovery?.member_id) throw badToken();
    const found = await findCredential(this.database.ofProject(project), project, recovery.member_id);
    if (!found || !(await isUsableNow(this.catalog, project, found))) throw badToken();
    return found;
  }

  /** Uses the token and sets the password in one transaction. Of concurrent uses only one finds the token. */
  async #reset(
    { project, requestId }: RequestScope,
    client: AuthRequest,
    member: Credential,
    replacement: Replacement,
  ): Promise<void> {
    // The mailbox has had the mail with the token: it is told only where that is not all that opens the account.
    const isTold = await haveMoreWays(this.database.ofProject(project), project, [member.member_id]);
    const told = member.email_verified && !isTold ? [] : [member];
    const notice = (removed: readonly Opener[]) => emptiedNotice(removed) ?? (isTold ? 'password_changed' : undefined);
    await this.notices.about(project, client, told, notice, () =>
      this.catalog.withCheckedModel({ project }, (model) =>
        this.passwords.inTransaction(project, async (tx) => {
          const proof = { project, model, caller: ANONYMOUS, requestId };
          const removed = await this.passwords.reset(tx, proof, member, replacement);
          if (!removed) throw badToken();
          return removed;
        }),
      ),
    );
  }
}

function badToken() {
  return refusal('token.invalid', 'The token of the recovery is unknown, used or too old');
}

function noPassword() {
  return refusal('signin.failed', 'You have no password: POST /auth/recover_password mails a link that sets one');
}

function wrongPassword() {
  return refusal('signin.failed', 'The current password is wrong');
}
