/** Mails with which members prove their addresses: a code to type, and a link to a page with a button. */
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { type MailJob, MailQueue } from '../../mail/mail-queue.js';
import { type Mail, noticeMail, verificationMail } from '../../mail/mail-texts.js';
import { PublicAddress } from '../../mail/public-address.js';
import type { MemberCaller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { AuthRequest } from '../auth-request.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { findCredential, findCredentialByEmail } from '../credential.js';
import { ProviderStore } from '../provider/provider-store.js';
import { Throttle } from '../throttle.js';

const HOURS = 24;
const CODE_DIGITS = 6;

/** What the code and the link of a mail prove. */
export interface MailedAddress {
  readonly email: string;
  /** The session that has asked for another address than the member has. */
  readonly sessionId?: string;
}

type Client = Pick<AuthRequest, 'afterAnswer'>;

@Injectable()
export class VerificationMails {
  constructor(
    private readonly database: Database,
    private readonly mail: MailQueue,
    private readonly providers: ProviderStore,
    private readonly publicAddress: PublicAddress,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: Throttle,
  ) {}

  /** Whether who signs up is mailed: where it matters that the address is verified. */
  async #isSentAtSignUp(project: Project): Promise<boolean> {
    const { verifyEmail, mailSignIn } = project.settings;
    if (verifyEmail === true || mailSignIn === true) return true;
    return Boolean((await this.providers.shown(project))?.providers.length);
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
   * neither content nor time of the answer reveals it. @throws KindError 503
   */
  async sendToNew(project: Project, client: Client, member: MemberCaller, email: string): Promise<void> {
    const { id: memberId, sessionId } = member;
    const make = async () => {
      const owner = await findCredentialByEmail(this.database.ofProject(project), project, email);
      // Ends in any case, so that it does not tell who has the address.
      await this.secrets.takeCode(project, 'email', memberId);
      if (!owner || owner.member_id === memberId) return this.#create(project, memberId, { email, sessionId });
      if (!(await this.throttle.takeMail(project, 'taken address', owner.email))) return undefined;
      return noticeMail({ to: owner.email, project: project.label, text: TAKEN });
    };
    await this.mail.sendOneAfter(client, project.id, { type: 'verification', make });
  }

  /** To the address as it is stored. */
  #jobFor(project: Project, memberId: string): MailJob {
    const make = async () => {
      const member = await findCredential(this.database.ofProject(project), project, memberId);
      return member && this.#create(project, memberId, { email: member.email });
    };
    return { type: 'verification', make };
  }

  /**
   * A newer code takes the place of the former one; a new password or another address ends all codes and links. Undefined
   * if the address was sent the allowed number of mails: then there is nothing new to guess either. Those that others send
   * to an address are counted apart, so that they keep none from who has it.
   */
  async #create(project: Project, memberId: string, mailed: MailedAddress): Promise<Mail | undefined> {
    const { email, sessionId } = mailed;
    const type = sessionId === undefined ? 'own address' : 'new address';
    if (!(await this.throttle.takeMail(project, type, email))) return undefined;
    const terms = { memberId, data: { ...mailed }, minutes: HOURS * 60 };
    const code = await this.secrets.makeCode(project, 'email', memberId, { ...terms, digits: CODE_DIGITS });
    const token = await this.secrets.makeToken(project, 'email', terms);
    const link = `${this.publicAddress.url}/api/lib/project/${project.id}/verify#${token}`;
    return verificationMail({ to: email, project: project.label, code, link, hours: HOURS });
  }
}

const TAKEN = 'Somebody wanted to use your e-mail address for another account. Nothing has changed.';
