/** Mails with which members prove their addresses: a code to type, and a link to a page with a button. */
import { Injectable } from '@nestjs/common';
import { usedBy } from '../../catalog/session/executors.js';
import { Database } from '../../database/database.js';
import { type MailJob, MailQueue } from '../../mail/mail-queue.js';
import { type Mail, noticeMail, verificationMail } from '../../mail/mail-texts.js';
import { PublicAddress } from '../../mail/public-address.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { AuthRequest } from '../auth-request.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { findCredential, findCredentialByEmail } from '../credential.js';
import { lockOwner } from '../owned-units.js';
import { ProviderStore } from '../provider/provider-store.js';
import { FreshProof } from '../session/fresh-proof.js';
import { Throttle } from '../throttle.js';

const HOURS = 24;
const CODE_DIGITS = 6;

type Client = Pick<AuthRequest, 'afterAnswer'>;

@Injectable()
export class VerificationMails {
  constructor(
    private readonly database: Database,
    private readonly fresh: FreshProof,
    private readonly mail: MailQueue,
    private readonly providers: ProviderStore,
    private readonly publicAddress: PublicAddress,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: Throttle,
  ) {}

  /** Whether who signs up is mailed: where it matters that the address is verified. */
  async #isSentAtSignUp(project: Project): Promise<boolean> {
    const { verifyEmail, mailSignIn } = project.settings;
    return verifyEmail === true || mailSignIn === true || (await this.providers.listActive(project)).length > 0;
  }

  /** Does `work`, which signs a member up, and mails it after the answer. @throws KindError 503 */
  async afterSignUp<T extends Readonly<Record<string, unknown>> | undefined>(
    project: Project,
    client: Client,
    work: () => Promise<T>,
  ): Promise<T> {
    const most = (await this.#isSentAtSignUp(project)) ? 1 : 0;
    return this.mail.sendAfter(client, { project: project.id, most }, async (send) => {
      const made = await work();
      const id = made?.['id'];
      if (most > 0 && typeof id === 'string') send(this.#jobFor(project, id));
      return made;
    });
  }

  /** Mails a member after the answer. @throws KindError 503 */
  async send(project: Project, client: Client, memberId: string): Promise<void> {
    await this.mail.sendOneAfter(client, project.id, this.#jobFor(project, memberId));
  }

  /**
   * Mails the address that a member wants to have after the answer. If another member has it, that one is told, and
   * neither content nor time of the answer reveals it. A session that has ended meanwhile gets none. @throws KindError 503
   */
  async sendToNew(scope: RequestScope, client: Client, memberId: string, email: string): Promise<void> {
    const { project } = scope;
    const make = async () => {
      const owner = await findCredentialByEmail(this.database.ofProject(project), project, email);
      // Ends in any case, so that it does not tell who has the address.
      await this.secrets.takeCode(this.database.ofProject(project), project, 'email', memberId);
      if (!owner || owner.member_id === memberId) {
        const mail = await this.#create(project, memberId, email, 'new address');
        const isStored = await this.database.transaction(async (tx) => {
          await lockOwner(tx, project.schema, memberId);
          return this.fresh.isStored(tx, scope);
        }, usedBy(scope));
        return isStored ? mail : undefined;
      }
      if (!(await this.throttle.takeMail(project, 'taken address', owner.email))) return undefined;
      return noticeMail({ to: owner.email, project: project.label, text: TAKEN });
    };
    await this.mail.sendOneAfter(client, project.id, { type: 'verification', make });
  }

  /** To the address as it is stored. */
  #jobFor(project: Project, memberId: string): MailJob {
    const make = async () => {
      const member = await findCredential(this.database.ofProject(project), project, memberId);
      return member && this.#create(project, memberId, member.email, 'own address');
    };
    return { type: 'verification', make };
  }

  /**
   * A newer code takes the place of the former one; a new password or another address ends all codes and links. Undefined
   * if the address was sent the allowed number of mails: then there is nothing new to guess either. Those that others send
   * to an address are counted apart, so that they keep none from who has it.
   */
  async #create(
    project: Project,
    memberId: string,
    email: string,
    type: 'own address' | 'new address',
  ): Promise<Mail | undefined> {
    if (!(await this.throttle.takeMail(project, type, email))) return undefined;
    const terms = { memberId, data: email, minutes: HOURS * 60 };
    const code = await this.secrets.makeCode(project, 'email', memberId, { ...terms, digits: CODE_DIGITS });
    const token = await this.secrets.makeToken(project, 'email', terms);
    const link = `${this.publicAddress.url}/api/lib/project/${project.id}/verify#${token}`;
    return verificationMail({ to: email, project: project.label, code, link, hours: HOURS });
  }
}

const TAKEN = 'Somebody wanted to use your e-mail address for another account. Nothing has changed.';
