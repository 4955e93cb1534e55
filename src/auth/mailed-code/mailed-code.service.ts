/**
 * Sign-in with a code that is mailed, in place of the password. Nothing tells whether a member has the address: the mail is
 * made after the answer, and codes are stored for addresses that nobody has, so that trying one costs the same.
 */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { type Answer, NULL_ANSWER } from '../../http/answer/answer.js';
import { MailQueue } from '../../mail/mail-queue.js';
import { type Mail, signInCodeMail } from '../../mail/mail-texts.js';
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import { refusal } from '../../shared/errors.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { AuthRequest } from '../auth-request.js';
import { NewSessions } from '../new-sessions.js';
import { Notices } from '../notices.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { accountOf, type Credential, findCredentialByEmail, isUsableNow } from '../credential.js';
import { emptiedNotice, ProvedAddresses } from '../proved-addresses.js';
import { FIRST_STEP_MINUTES } from '../second-step/second-step-check.js';
import { signInFailed } from '../refusals.js';
import { Throttle } from '../throttle.js';
import type { MailedCodeBody, MailedCodeRequestBody } from './mailed-code.dto.js';

const DIGITS = 8;
const MINUTES = 10;

/** Who has an address, and the name under which its codes are stored. */
interface Holder {
  readonly found: Credential | undefined;
  readonly account: string;
}

@Injectable()
export class MailedCodeService {
  constructor(
    private readonly addresses: ProvedAddresses,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly mail: MailQueue,
    private readonly notices: Notices,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: NewSessions,
    private readonly throttle: Throttle,
  ) {}

  /** Looks the member up after the answer. @throws KindError 400, 429, 503 */
  async request(project: Project, client: AuthRequest, { email }: MailedCodeRequestBody): Promise<Answer> {
    checkIsOn(project);
    const { address } = client;
    await this.catalog.inProject(project, () => this.throttle.count(project, { address }));
    await this.mail.sendOneAfter(client, project.id, {
      type: 'sign_in_code',
      make: () => this.#createMail(project, client, email),
    });
    return NULL_ANSWER;
  }

  /** The code of another request replaces it; beyond the allowed number of mails the last one stays valid. */
  async #createMail(project: Project, { address }: AuthRequest, email: string): Promise<Mail | undefined> {
    const { found, account } = await this.#holderOf(project, email);
    if (!(await this.throttle.takeMail(project, 'sign-in', email, address))) return undefined;
    const member = found && (await isUsableNow(this.catalog, project, found)) ? found : undefined;
    const terms = { memberId: member?.member_id ?? null, digits: DIGITS, minutes: MINUTES };
    const code = await this.secrets.makeCode(project, 'sign-in', account, terms);
    return member && signInCodeMail({ to: member.email, project: project.label, code, minutes: MINUTES });
  }

  /** @throws KindError 400, 401, 429, 503 */
  signIn(scope: RequestScope, client: AuthRequest, { email, code, otp }: MailedCodeBody): Promise<Answer> {
    const { project } = scope;
    checkIsOn(project);
    return this.catalog.inProject(project, async () => {
      const { found, account } = await this.#holderOf(project, email);
      return this.throttle.guard(project, { address: client.address, account }, async () => {
        const right = await this.secrets.tryCode(project, 'sign-in', account, code, FIRST_STEP_MINUTES);
        if (!found || right?.member_id !== found.member_id) throw signInFailed('mail_code');
        const use = (): Promise<boolean> => this.secrets.takeCode(project, 'sign-in', account);
        if (found.email_verified) return this.sessions.session(project, client, found, { way: 'mail_code', otp, use });
        return this.#firstTime(scope, client, found, { otp, use });
      });
    });
  }

  /**
   * The code proves the address, without the password: somebody else may have made the account, whose second step is then
   * nobody's. That of administrators, and of members who have proved another address before, is asked for all the same.
   */
  async #firstTime(
    scope: RequestScope,
    client: AuthRequest,
    member: Credential,
    { otp, use }: { readonly otp: string | null; readonly use: () => Promise<boolean> },
  ): Promise<Answer> {
    const { project } = scope;
    // The codes of an account go with what else opened it.
    const useAndProve = async (): Promise<boolean> => {
      const isUsed = await use();
      if (isUsed) await this.#prove(scope, client, member);
      return isUsed;
    };
    const way = 'mail_code';
    if (member.member_kind === ADMIN_KIND || member.proved_before)
      return this.sessions.session(project, client, member, { way, otp, use: useAndProve });
    if (!(await useAndProve())) throw signInFailed(way);
    const { found } = await this.#holderOf(project, member.email);
    if (found?.member_id !== member.member_id) throw signInFailed(way);
    return this.sessions.session(project, client, found, { way, otp });
  }

  async #prove({ project, requestId }: RequestScope, client: AuthRequest, member: Credential): Promise<void> {
    await this.notices.about(project, client, [member], emptiedNotice, () =>
      this.catalog.withCheckedModel({ project }, (model) =>
        this.database.transaction(
          async (tx) => {
            const proof = { project, model, caller: ANONYMOUS, requestId };
            const removed = await this.addresses.withoutPassword(tx, proof, member, 'code');
            if (!removed) throw signInFailed('mail_code');
            return removed;
          },
          { project },
        ),
      ),
    );
  }

  async #holderOf(project: Project, email: string): Promise<Holder> {
    const found = await findCredentialByEmail(this.database.ofProject(project), project, email);
    return { found, account: accountOf(found, email) };
  }
}

/** @throws KindError 400 */
function checkIsOn({ settings }: Project): void {
  if (settings.mailSignIn === true) return;
  throw refusal('mail_sign_in.off', 'This project has no sign-in by mailed codes (GET /auth/ways)');
}
