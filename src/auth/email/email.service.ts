/** Members prove that their address is theirs, and change it. */
import { Injectable } from '@nestjs/common';
import { usedBy } from '../../catalog/session/executors.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database, type Transaction } from '../../database/database.js';
import { NULL_ANSWER, type Answer } from '../../http/answer/answer.js';
import { EMAIL_LENGTH, isMemberAddress, mailForm } from '../../shared/email.js';
import { type KindError, refusal } from '../../shared/errors.js';
import type { OneTimeRow } from '../../sql/member/one-time.sql.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { requireSession, type AuthRequest } from '../auth-request.js';
import { Notices } from '../notices.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { accountOf, type Credential, credentialOf, findCredential, isUsable } from '../credential.js';
import { lockOwner } from '../owned-units.js';
import { verifyPassword } from '../password/password-hash.js';
import { ProvedAddresses } from '../proved-addresses.js';
import { signInFailed, wrongProof } from '../refusals.js';
import { FreshProof } from '../session/fresh-proof.js';
import { Throttle } from '../throttle.js';
import type { ChangeEmailBody, VerifyEmailBody } from './email.dto.js';
import { type MailedAddress, VerificationMails } from './verification-mails.js';

/** Minutes for which a right code stays until it is used. */
const CODE_STAYS = 5;
const PROOFS = 'give a code or a token in the session of the member, or a token and the password of the member';

/** A proof of an address. */
interface Proved {
  readonly member: Credential;
  readonly mailed: MailedAddress;
  /** Uses the code or the token; false if it was used, or its session or its account is another by now. */
  readonly use: (tx: Transaction) => Promise<boolean>;
  /** The refusal of what turns out to be used, or of another address. */
  readonly failed: () => KindError;
}

@Injectable()
export class EmailService {
  constructor(
    private readonly addresses: ProvedAddresses,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly fresh: FreshProof,
    private readonly mails: VerificationMails,
    private readonly notices: Notices,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: Throttle,
  ) {}

  /** Mails a code and a link to the member, unless its address is verified. @throws KindError 401, 403, 429, 503 */
  requestMail({ project, caller }: RequestScope, client: AuthRequest): Promise<Answer> {
    const { id } = requireSession(caller);
    return this.catalog.inProject(project, async () => {
      const member = await credentialOf(this.database.ofProject(project), project, id);
      if (member.email_verified) return NULL_ANSWER;
      await this.#countMail(project, client, id);
      await this.mails.send(project, client, id);
      return NULL_ANSWER;
    });
  }

  /** The address changes when the new one is proved. @throws KindError 400, 401, 403, 429, 503 */
  requestChange(scope: RequestScope, client: AuthRequest, { email: given }: ChangeEmailBody): Promise<Answer> {
    const { project } = scope;
    const email = mailForm(given).trim();
    return this.catalog.inProject(project, async () => {
      const member = await this.fresh.require(scope);
      if (email.length > EMAIL_LENGTH || !isMemberAddress(email))
        throw refusal('parameter.bad_value', 'email: must be an e-mail address', { parameter: 'email' });
      await this.#countMail(project, client, member.id);
      await this.mails.sendToNew(project, client, member, email);
      return NULL_ANSWER;
    });
  }

  /**
   * Takes the code or the token of a mail: in the session of its member, or a token with the password of its member.
   * @throws KindError 400, 401, 403, 409 if another member has the new address by now, 429
   */
  verify(scope: RequestScope, client: AuthRequest, given: VerifyEmailBody): Promise<Answer> {
    const { project } = scope;
    const { code, token, password } = given;
    checkProofs(given);
    if (token !== null && password !== null) {
      return this.catalog.inProject(project, () => this.#verifyByPassword(scope, client, token, password));
    }
    const { id } = requireSession(scope.caller);
    return this.catalog.inProject(project, async () => {
      const member = await credentialOf(this.database.ofProject(project), project, id);
      await this.throttle.guard(project, { address: client.address, account: accountOf(member) }, async () => {
        await this.#prove(scope, client, await this.#provedInSession(scope, member, { code, token }));
      });
      return NULL_ANSWER;
    });
  }

  async #provedInSession(
    scope: RequestScope,
    member: Credential,
    { code, token }: Pick<VerifyEmailBody, 'code' | 'token'>,
  ): Promise<Proved> {
    const { project } = scope;
    const { sessionId } = requireSession(scope.caller);
    const failed = wrongProof;
    if (token !== null) {
      const found = await this.secrets.findToken(project, 'email', token);
      if (found?.member_id !== member.member_id) throw failed();
      const use = async (tx: Transaction): Promise<boolean> =>
        (await this.fresh.isStored(tx, project, sessionId)) && this.#useToken(tx, project, token);
      return { member, mailed: mailedIn(found), use, failed };
    }
    if (code === null) throw refusal('parameter.required', `code: ${PROOFS}`, { parameter: 'code' });
    const right = await this.secrets.tryCode(project, 'email', member.member_id, code, CODE_STAYS);
    if (!right) throw failed();
    const use = async (tx: Transaction): Promise<boolean> =>
      (await this.fresh.isStored(tx, project, sessionId)) &&
      this.secrets.takeCode(project, 'email', member.member_id, tx);
    return { member, mailed: mailedIn(right), use, failed };
  }

  async #useToken(tx: Transaction, project: Project, token: string): Promise<boolean> {
    return (await this.secrets.useToken(project, 'email', token, tx)) !== undefined;
  }

  /** Who has no session: an unknown token takes the same time as a wrong password, and gets the same answer. */
  async #verifyByPassword(scope: RequestScope, client: AuthRequest, token: string, password: string): Promise<Answer> {
    const { project } = scope;
    const found = await this.secrets.findToken(project, 'email', token);
    const member = found?.member_id
      ? await findCredential(this.database.ofProject(project), project, found.member_id)
      : undefined;
    const attempt = { address: client.address, ...(member && { account: accountOf(member) }) };
    const failed = scope.caller.type === 'member' ? wrongProof : () => signInFailed('email_token');
    return this.throttle.guard(project, attempt, async () => {
      const fits = await verifyPassword(member?.password_hash, password, project.id);
      if (!fits || !found || !member) throw failed();
      const use = (tx: Transaction) => this.#useToken(tx, project, token);
      await this.#prove(scope, client, { member, mailed: mailedIn(found), use, failed });
      return NULL_ANSWER;
    });
  }

  /**
   * Marks the address as verified; it is that of the member, or becomes it if the session that has asked for it still
   * counts. The former one is told of that.
   */
  async #prove(scope: RequestScope, client: AuthRequest, { member, mailed, use, failed }: Proved): Promise<void> {
    const { project, caller, requestId } = scope;
    const { email, sessionId } = mailed;
    const isNew = email !== member.email;
    await this.notices.about(project, client, isNew ? [member] : [], 'email_changed', () =>
      this.catalog.withCheckedModel({ project }, (model) => {
        if (!isUsable(member, model)) throw failed();
        return this.database.transaction(async (tx) => {
          // Who empties the account at the same time comes before, or after and finds the new address.
          await lockOwner(tx, project.schema, member.member_id);
          if (!(await use(tx))) throw failed();
          if (!isNew) {
            if (!(await this.addresses.mark(tx, { project, model }, member))) throw failed();
            return;
          }
          if (sessionId === undefined || !(await this.fresh.stillCounts(tx, project, sessionId))) throw failed();
          await this.addresses.change(tx, { project, model, caller, requestId }, member, email);
        }, usedBy(scope));
      }),
    );
  }

  /** Each mail counts as an attempt of its address too. @throws KindError 429 */
  async #countMail(project: Project, { address }: AuthRequest, memberId: string): Promise<void> {
    await this.throttle.count(project, { address });
    await this.throttle.limitVerificationMails(project, memberId);
  }
}

function mailedIn({ data }: OneTimeRow): MailedAddress {
  return data as unknown as MailedAddress;
}

/** @throws KindError 400 for what does not go together */
function checkProofs({ code, token, password }: VerifyEmailBody): void {
  if (code !== null && (token !== null || password !== null))
    throw refusal('parameter.bad_value', `code: it stands alone; ${PROOFS}`, { parameter: 'code' });
  if (password !== null && token === null)
    throw refusal('parameter.required', `token: ${PROOFS}`, { parameter: 'token' });
}
