/** Changes of passwords: by the member, and by a token that only the reader of the member's mails knows. */
import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { ExpiredRows } from '../../catalog/project/expired-rows.js';
import { Database } from '../../database/database.js';
import { NULL_ANSWER, type Answer } from '../../http/answer/answer.js';
import { type Mail, recoveryMail } from '../../mail/mail-texts.js';
import { MailQueue } from '../../mail/mail-queue.js';
import { PublicAddress } from '../../mail/public-address.js';
import { RECOVERY_TABLE } from '../../model/table/internal-tables.js';
import { refusal } from '../../shared/errors.js';
import { foldName } from '../../shared/member-names.js';
import { findCredentialByEmailStatement, findMemberCredentialStatement } from '../../sql/member/credential.sql.js';
import {
  storeRecoveryStatement,
  findRecoveryCredentialStatement,
  useRecoveryStatement,
} from '../../sql/member/recovery.sql.js';
import type { BodyInput } from '../../tenancy/request-bodies.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { ChangePasswordBody, RecoverPasswordBody, ResetPasswordBody } from '../auth.dto.js';
import { accountOf, isUsable, type Credential } from './credential.js';
import { checkPassword, hashPassword, verifyPassword } from './password-hash.js';
import { PasswordStore, type Replacement } from './password-store.js';
import { Throttle } from '../throttle.js';
import { requireSession, type AuthRequest } from '../auth-request.js';

const TOKEN_MINUTES = 60;
const TOKEN = /^[A-Za-z0-9_-]{22}$/;

@Injectable()
export class PasswordService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly expired: ExpiredRows,
    private readonly mail: MailQueue,
    private readonly passwords: PasswordStore,
    private readonly publicAddress: PublicAddress,
    private readonly throttle: Throttle,
  ) {}

  /**
   * Looks the member up after the answer, so that neither content nor time of the answer reveals whether it exists.
   * @throws KindError 400, 429, 503
   */
  async requestReset(
    project: Project,
    { address, afterAnswer }: AuthRequest,
    { email }: RecoverPasswordBody,
  ): Promise<Answer> {
    await this.catalog.inProject(project, () => this.throttle.count(project, { address }));
    const reservation = this.mail.reserve(project.id);
    afterAnswer(() => reservation.submit({ type: 'recovery', make: () => this.#createMail(project, email) }));
    return NULL_ANSWER;
  }

  /** The mail is sent to the stored spelling of the address. */
  async #createMail(project: Project, email: string): Promise<Mail | undefined> {
    const [found] = await this.database
      .ofProject(project)
      .run<Credential>(findCredentialByEmailStatement(project.schema, foldName(email)));
    if (!found || !(await this.#isUsable(project, found))) return undefined;
    if (!(await this.throttle.takeMail(project, 'recovery', found.member_id))) return undefined;
    const token = randomBytes(16).toString('base64url');
    const recovery = { memberId: found.member_id, id: hashOf(token), lifetime: TOKEN_MINUTES * 60 };
    const executor = this.database.ofProject(project);
    await this.expired.sweep(executor, project.schema, RECOVERY_TABLE);
    await executor.run(storeRecoveryStatement(project.schema, recovery));
    const link = `${this.publicAddress.url}/api/lib/auth/reset_password/${token}`;
    const { id: key, label } = project;
    return recoveryMail({ to: found.email, project: label, key, token, link, minutes: TOKEN_MINUTES });
  }

  /**
   * Sets a new password and ends the member's sessions and other tokens. @throws KindError 401 for an invalid token,
   * 400, 429, 503
   */
  reset(
    project: Project,
    { address }: AuthRequest,
    token: string,
    read: BodyInput<ResetPasswordBody>,
  ): Promise<Answer> {
    const work = async () => {
      const id = hashOf(token);
      const credential = await this.#credentialOfToken(project, token);
      const { new_password: password } = await read();
      checkPassword({ ...credential, password }, 'new_password');
      const hash = await hashPassword(password, project.id);
      await this.#useToken(project, id, credential.member_id, hash);
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
    const [found] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<Credential>(findMemberCredentialStatement(project.schema, id)),
    );
    if (!found) throw wrongPassword();
    const attempt = { address: request.address, account: accountOf(found) };
    return this.throttle.guard(project, attempt, async () => {
      const before = found.password_hash;
      if (!(await verifyPassword(before, current, project.id)) || before === null) throw wrongPassword();
      checkPassword({ username: found.username, email: found.email, password }, 'new_password');
      const hash = await hashPassword(password, project.id);
      await this.passwords.inTransaction(project, async (tx) => {
        const replacement: Replacement = { memberId: id, hash, expectedHash: before, keptSessionId: sessionId };
        if (!(await this.passwords.replace(tx, project, replacement))) throw wrongPassword();
      });
      return NULL_ANSWER;
    });
  }

  async #credentialOfToken(project: Project, token: string): Promise<Credential> {
    if (!TOKEN.test(token)) throw badToken();
    const [found] = await this.database
      .ofProject(project)
      .run<Credential>(findRecoveryCredentialStatement(project.schema, hashOf(token)));
    if (!found || !(await this.#isUsable(project, found))) throw badToken();
    return found;
  }

  /** Uses the token and sets the password in one transaction. Of concurrent uses only one finds the token. */
  async #useToken(project: Project, id: string, memberId: string, hash: string): Promise<void> {
    await this.passwords.inTransaction(project, async (tx) => {
      const used = await tx.run<{ id: string }>(useRecoveryStatement(project.schema, id));
      if (!used.some((row) => row.id === id)) throw badToken();
      if (!(await this.passwords.replace(tx, project, { memberId, hash }))) throw badToken();
    });
  }

  #isUsable(project: Project, credential: Credential): Promise<boolean> {
    return this.catalog.withCheckedModel({ project }, (model) => isUsable(credential, model));
  }
}

/** A token has 128 random bits, so a hash without a key or salt is sufficient. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function badToken() {
  return refusal('token.invalid', 'The token of the recovery is unknown, used or too old');
}

function wrongPassword() {
  return refusal('signin.failed', 'The current password is another');
}
