/** The second step of a sign-in: which one a member has to make, and whether it was made. */
import { Injectable } from '@nestjs/common';
import { MailQueue } from '../../mail/mail-queue.js';
import { codeMail } from '../../mail/mail-texts.js';
import { demandsSecondStep } from '../../model/held-members.js';
import { KindError } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';
import type { AuthRequest } from '../auth-request.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import type { Credential } from '../credential.js';
import { PasskeyStore } from '../passkey/passkey-store.js';
import { signInFailed } from '../refusals.js';
import { Throttle } from '../throttle.js';
import { Totp } from './totp.js';

/** How a member signs in. */
export type WayIn = 'password' | 'provider' | 'passkey' | 'mail_code';

interface FirstStep {
  readonly way: WayIn;
  /** What was given for the second step: a code of the app, a recovery code or that of a mail. */
  readonly otp: string | null;
}

/** How a member is to make its second step; or it has made it, or has none to make. */
type SecondStep = 'totp' | 'mail' | 'passkey' | 'made' | 'none';

/** Minutes that a first step which works once stays, for the code of the second one. */
export const FIRST_STEP_MINUTES = 5;

const CODE_MINUTES = 10;
const CODE_DIGITS = 6;

@Injectable()
export class SecondStepCheck {
  constructor(
    private readonly mail: MailQueue,
    private readonly passkeys: PasskeyStore,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: Throttle,
    private readonly totp: Totp,
  ) {}

  /** @throws KindError 401 if what was given is wrong, 429 */
  async take(project: Project, request: AuthRequest, member: Credential, { way, otp }: FirstStep): Promise<SecondStep> {
    // A device that holds a passkey has asked for a PIN or a fingerprint: these are two proofs already.
    if (way === 'passkey') return 'none';
    if (member.totp_confirmed) {
      if (otp === null) return 'totp';
      await asSignIn(way, () => this.totp.use(project, member, otp));
      return 'made';
    }
    if (demandsSecondStep(project.settings, member.member_kind) && (await this.#hasPasskey(project, member)))
      return 'passkey';
    // After a code of one mail, a code of another proves nothing more.
    if (!project.settings.otp || way === 'mail_code') return 'none';
    if (otp === null) {
      await this.#sendCode(project, request, member);
      return 'mail';
    }
    if (!(await this.secrets.useCode(project, 'code', member.member_id, otp))) throw signInFailed(way);
    return 'made';
  }

  async #hasPasskey(project: Project, { member_id: id }: Credential): Promise<boolean> {
    return (await this.passkeys.countOf(project, id)) > 0;
  }

  /**
   * Mails a code after the answer. Each code counts as an attempt of the address. If the member has been sent the
   * allowed number of mails, no new code is made and the last one stays valid.
   */
  async #sendCode(project: Project, client: AuthRequest, member: Credential): Promise<void> {
    const { member_id: memberId, email: to } = member;
    await this.throttle.count(project, client);
    await this.mail.sendAfter(client, { project: project.id, most: 1 }, async (send) => {
      if (!(await this.throttle.takeMail(project, 'code', to))) return;
      const terms = { memberId, digits: CODE_DIGITS, minutes: CODE_MINUTES };
      const code = await this.secrets.makeCode(project, 'code', memberId, terms);
      send({ type: 'code', make: () => codeMail({ to, project: project.label, code, minutes: CODE_MINUTES }) });
    });
  }
}

/** Who is not signed in yet is told no more than that it failed. */
async function asSignIn(way: WayIn, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof KindError && error.code === 'proof.wrong' ? signInFailed(way) : error;
  }
}
