/**
 * The mails that wait to be sent. They are made and sent after the answer of the request that asks for them, so that no
 * answer tells by its time whether there was one. The line is bounded, of each project and of all, and projects take
 * turns in it; what fails for a moment is tried again.
 */
import { Inject, Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
import type { Logger } from 'pino';
import { LOGGER } from '../http/log/logger.js';
import { isEmailAddress } from '../shared/email.js';
import { retryLater, type KindError } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { LIMITS } from '../shared/limits.js';
import type { Mail } from './mail.js';

/** What a mail is made by, when its turn comes; undefined where there is none to be sent. */
export interface MailJob {
  /** For the log: which mail. Neither address nor content are ever logged. */
  readonly type: string;
  readonly make: () => Mail | undefined | Promise<Mail | undefined>;
}

/** Whose mail it is: those of functions leave room to what a sign-in waits for, however slow the functions are. */
export type MailSender = 'service' | 'function';

/** Mails in the line with which another one has no place, by who asks: of all projects, and of one. */
const QUEUE_LIMITS: Readonly<Record<MailSender, { readonly ofAll: number; readonly ofOne: number }>> = {
  service: { ofAll: LIMITS.mailsWaiting, ofOne: LIMITS.mailsPerProject },
  function: { ofAll: LIMITS.functionMailsWaiting, ofOne: LIMITS.functionMailsPerProject },
};

/** Mails that one process sends at once. */
const CONCURRENT_SENDS = 4;
/** Milliseconds before each further attempt. */
const RETRY_DELAYS = [1000, 5000] as const;

@Injectable()
export class MailQueue {
  readonly #line = new FairQueue({ concurrency: CONCURRENT_SENDS, refusal: mailQueueFull });
  /** Mails that wait or are under way. */
  readonly #posted = new Set<Promise<void>>();
  /** Places that are taken: of each project, and of all. */
  readonly #places = new Map<string, number>();
  #taken = 0;
  #over = false;
  readonly #stopping = new AbortController();

  constructor(
    private readonly mailer: MailerService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Takes a place in the line, for a mail that is posted after the answer. Whether one is to be had does not depend on
   * whom the mail is for. @throws KindError 503
   */
  reserve(project: string, sender: MailSender = 'service'): MailReservation {
    const own = this.#places.get(project) ?? 0;
    const { ofAll, ofOne } = QUEUE_LIMITS[sender];
    if (this.#taken >= ofAll || own >= ofOne) throw mailQueueFull();
    this.#take(project, 1);
    let open = true;
    const close = (then: () => void): void => {
      if (open) then();
      open = false;
    };
    return {
      submit: (job) => close(() => this.#post(project, job)),
      release: () => close(() => this.#take(project, -1)),
    };
  }

  #take(project: string, places: number): void {
    const own = (this.#places.get(project) ?? 0) + places;
    this.#taken += places;
    if (own > 0) this.#places.set(project, own);
    else this.#places.delete(project);
  }

  /** Finishes what waits, for at most so many milliseconds. What is left then is told of in the log. */
  async drain(milliseconds: number): Promise<void> {
    this.#stopping.abort();
    const deadline = Date.now() + milliseconds;
    while (this.#posted.size > 0 && Date.now() < deadline) {
      await Promise.race([...this.#posted, pause(deadline - Date.now())]);
    }
    this.#over = true;
    const lost = this.#posted.size;
    if (lost > 0) this.logger.warn({ mails: lost }, 'mails were not sent before the end');
  }

  #post(project: string, job: MailJob): void {
    const sent = this.#line.run(project, async () => {
      this.#take(project, -1);
      if (!this.#over) await this.#run(project, job);
    });
    const run = sent.finally(() => this.#posted.delete(run));
    this.#posted.add(run);
  }

  async #run(project: string, job: MailJob): Promise<void> {
    const fields = { mail: job.type, project };
    try {
      const mail = await job.make();
      if (mail) await this.#send(mail, fields);
    } catch (error) {
      this.logger.error({ ...fields, ...failureCodes(error) }, 'a mail could not be sent');
    }
  }

  async #send(mail: Mail, fields: object): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#deliver(mail);
        return;
      } catch (error) {
        const wait = RETRY_DELAYS[attempt];
        if (wait === undefined || isPermanent(error) || this.#stopping.signal.aborted) throw error;
        this.logger.warn({ ...fields, ...failureCodes(error) }, 'a mail could not be sent and is tried again');
        await pause(wait, this.#stopping.signal);
      }
    }
  }

  async #deliver({ to, subject, text, html }: Mail): Promise<void> {
    if (!isEmailAddress(to)) throw Object.assign(new Error('no e-mail address'), { code: 'EENVELOPE' });
    await this.mailer.sendMail({
      // An object is taken as it is: a text would be read as a list of addresses.
      to: { name: '', address: to },
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  }
}

/** A place in the line of mails. It is posted to, or left, once. */
export interface MailReservation {
  submit(job: MailJob): void;
  release(): void;
}

function mailQueueFull(): KindError {
  return retryLater('server.busy', 'Too many mails wait to be sent', 10);
}

/** What the log may know of a failure: codes. Texts of servers repeat addresses, and some of them passwords. */
function failureCodes(error: unknown): object {
  const { code, responseCode, command, name } = error as Record<string, unknown>;
  return { code, responseCode, command, ...(code === undefined && { error: name }) };
}

/** A server that refuses for good (5xx) refuses again. */
function isPermanent(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return code === 'EENVELOPE' || code === 'EAUTH' || (responseCode !== undefined && responseCode >= 500);
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, milliseconds));
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done);
  });
}
