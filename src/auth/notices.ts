/** Tells members by mail what has changed of their ways to sign in. Nobody can switch these mails off. */
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/database.js';
import { type MailJob, MailQueue } from '../mail/mail-queue.js';
import { noticeMail } from '../mail/mail-texts.js';
import type { Project } from '../tenancy/project.js';
import type { AuthRequest } from './auth-request.js';
import type { Credential } from './credential.js';
import { Throttle } from './throttle.js';

const NOTICES = {
  totp_on: 'An authenticator app is asked for at your sign-in from now on.',
  totp_off: 'An authenticator app is no longer asked for at your sign-in.',
  totp_taken:
    'An authenticator app was removed from a member: it is no longer asked for at the sign-in of that member.',
  key_made: 'An API key was made, with which a program can do what you may, or a part of it.',
  key_changed: 'What an API key of yours may do, or when it ends, was changed.',
  email_changed: 'Your account has another e-mail address now, and this one is no longer used for it.',
  recovery_codes: 'New recovery codes were made for your sign-in; the former ones are invalid.',
  passkey_on: 'A passkey was added to your account: with it one signs in without the password.',
  passkey_off: 'A passkey of your account was removed.',
  identity_off: 'The account of another service was removed from your account: it signs you in no longer.',
  provider_made: 'You have added an identity provider: who has an account there may sign in to the project.',
  provider_changed: 'You have changed an identity provider, which decides who may sign in to the project.',
  provider_removed: 'You have removed an identity provider: nobody signs in to the project by it any more.',
  address_set: 'An administrator has given your account another e-mail address, and this one is no longer used for it.',
  administrator_made: 'An administrator was added to the project.',
  password_changed: 'The password of your account was changed.',
  passkey_copied:
    'A sign-in with a passkey of yours was refused: its counter has not risen, so that there may be a copy of it. Remove the passkey, and add a new one.',
} as const;

export type Notice = keyof typeof NOTICES;

/** A notice whose text depends on what was done. */
export interface LongNotice {
  readonly sort: 'emptied' | 'identity_on';
  readonly text: string;
}

@Injectable()
export class Notices {
  constructor(
    private readonly mail: MailQueue,
    private readonly throttle: Throttle,
  ) {}

  /**
   * Does `work`, and mails the members after the answer; each is mailed ten times an hour at most of the same. A
   * notice that depends on what `work` did may turn out to be none.
   * @throws KindError 503 before `work` if the queue of mails is full
   */
  async about<T>(
    project: Project,
    client: Pick<AuthRequest, 'afterAnswer'>,
    members: readonly Credential[],
    notice: Notice | ((result: T) => Notice | LongNotice | undefined),
    work: () => Promise<T>,
  ): Promise<T> {
    return this.mail.sendAfter(client, { project: project.id, most: members.length }, async (send) => {
      const result = await work();
      const made = typeof notice === 'string' ? notice : notice(result);
      if (made !== undefined) for (const member of members) send(this.#job(project, member, made));
      return result;
    });
  }

  /** The same for a change that a transaction makes. @throws KindError 503 */
  afterCommit(tx: Transaction, project: Project, members: readonly Credential[], notice: Notice | LongNotice): void {
    for (const member of members) this.mail.sendAtCommit(tx, project.id, this.#job(project, member, notice));
  }

  /** Each sort is counted apart, so that no change leaves another one untold. */
  #job(project: Project, { email: to }: Credential, notice: Notice | LongNotice): MailJob {
    const { sort, text } = typeof notice === 'string' ? { sort: notice, text: NOTICES[notice] } : notice;
    const make = async () => {
      if (!(await this.throttle.takeMail(project, `notice ${sort}`, to))) return undefined;
      return noticeMail({ to, project: project.label, text });
    };
    return { type: 'notice', make };
  }
}
