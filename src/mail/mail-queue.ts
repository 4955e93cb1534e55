/**
 * The queue of mails. Mails are rendered and sent after the response, so that its time does not reveal whether there
 * was one. The queue is limited, per project and in total, and projects take turns. Temporary failures are retried.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
import type { Logger } from 'pino';
import { LOGGER } from '../http/log/logger.js';
import { isEmailAddress } from '../shared/email.js';
import { retryLater, type KindError } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { MetricSources } from '../shared/metric-sources.js';
import { inPresentRequest, observedWork } from '../shared/observed-work.js';
import { LIMITS } from '../shared/limits.js';
import { failureCodes } from './transport.js';
import type { Mail } from './mail-texts.js';

/** Renders a mail when its turn comes; undefined if there is nothing to send. */
export interface MailJob {
  /** For the log, which never contains addresses or content. */
  readonly type: string;
  readonly make: () => Mail | undefined | Promise<Mail | undefined>;
}

/** What a mail needs of a request. */
interface Client {
  readonly afterAnswer: (send: () => void) => void;
}

/** What a mail needs of a transaction. */
interface Commit {
  afterCommit(work: () => void): void;
  onEnd(work: () => void): void;
}

/** Mails of functions have lower limits, so that slow or busy functions do not delay sign-in codes. */
type MailSender = 'service' | 'function';

/** The number of queued mails at which another one is refused, by sender: of all projects, and per project. */
const QUEUE_LIMITS: Readonly<Record<MailSender, { readonly total: number; readonly perProject: number }>> = {
  service: { total: LIMITS.mailsWaiting, perProject: LIMITS.mailsPerProject },
  function: { total: LIMITS.functionMailsWaiting, perProject: LIMITS.functionMailsPerProject },
};

/** Mails that one process sends at once. */
const CONCURRENT_SENDS = 4;
/** Milliseconds before each retry. */
const RETRY_DELAYS = [1000, 5000] as const;

@Injectable()
export class MailQueue {
  readonly #queue = new FairQueue({ concurrency: CONCURRENT_SENDS, refusal: mailQueueFull });
  /** Mails that are queued or being sent. */
  readonly #unfinished = new Set<Promise<void>>();
  /** Reserved places in the queue, per project and of all projects. */
  readonly #reservedPerProject = new Map<string, number>();
  #reserved = 0;
  readonly #counts = { sent: 0, failed: 0 };
  /** Set when the time to send queued mails is over. */
  #closed = false;
  readonly #stopping = new AbortController();

  constructor(
    private readonly mailer: MailerService,
    @Inject(LOGGER) private readonly logger: Logger,
    metricSources: MetricSources,
  ) {
    metricSources.addQueue('mails', this.#queue);
    for (const result of ['sent', 'failed'] as const) {
      const help = 'Mails that were sent, and those that could not be sent.';
      metricSources.addCounter('kind_mails_total', help, () => this.#counts[result], { result });
    }
  }

  /**
   * Reserves a place in the queue for a mail that is submitted after the response. Whether there is one does not depend
   * on the recipient. @throws KindError 503
   */
  reserve(project: string, sender: MailSender = 'service'): MailReservation {
    const ofProject = this.#reservedPerProject.get(project) ?? 0;
    const { total, perProject } = QUEUE_LIMITS[sender];
    if (this.#reserved >= total || ofProject >= perProject) throw mailQueueFull();
    this.#addReserved(project, 1);
    let open = true;
    const useOnce = (use: () => void): void => {
      if (open) use();
      open = false;
    };
    return {
      submit: (job) => useOnce(() => this.#enqueue(project, job)),
      release: () => useOnce(() => this.#addReserved(project, -1)),
    };
  }

  /**
   * Does `work`, which gives at most `most` mails: they are sent after the answer, and none if it fails.
   * @throws KindError 503 before `work`
   */
  async sendAfter<T>(
    { afterAnswer }: Client,
    { project, most }: { readonly project: string; readonly most: number },
    work: (send: (job: MailJob) => void) => Promise<T>,
  ): Promise<T> {
    const places: MailReservation[] = [];
    const jobs: MailJob[] = [];
    try {
      while (places.length < most) places.push(this.reserve(project));
      const result = await work((job) => void jobs.push(job));
      for (const job of jobs) {
        const place = places.shift();
        afterAnswer(() => place?.submit(job));
      }
      return result;
    } finally {
      for (const place of places) place.release();
    }
  }

  /** Sends a mail after the answer. @throws KindError 503 */
  sendOneAfter(client: Client, project: string, job: MailJob): Promise<void> {
    return this.sendAfter(client, { project, most: 1 }, async (send) => send(job));
  }

  /** Sends a mail when a transaction is committed. @throws KindError 503 */
  sendAtCommit(tx: Commit, project: string, job: MailJob, sender?: MailSender): void {
    const place = this.reserve(project, sender);
    tx.afterCommit(() => place.submit(job));
    tx.onEnd(() => place.release());
  }

  #addReserved(project: string, places: number): void {
    const ofProject = (this.#reservedPerProject.get(project) ?? 0) + places;
    this.#reserved += places;
    if (ofProject > 0) this.#reservedPerProject.set(project, ofProject);
    else this.#reservedPerProject.delete(project);
  }

  /** Sends the queued mails within a number of milliseconds. The log reports how many are left then. */
  async drain(milliseconds: number): Promise<void> {
    this.#stopping.abort();
    const deadline = performance.now() + milliseconds;
    while (this.#unfinished.size > 0 && performance.now() < deadline) {
      await Promise.race([...this.#unfinished, pause(deadline - performance.now())]);
    }
    this.#closed = true;
    const lost = this.#unfinished.size;
    if (lost > 0) this.logger.warn({ mails: lost }, 'mails were not sent before the end');
  }

  #enqueue(project: string, job: MailJob): void {
    const run = inPresentRequest(() => observedWork('mail', job.type, () => this.#run(project, job)));
    const sent = this.#queue.run(project, async () => {
      this.#addReserved(project, -1);
      if (!this.#closed) await run();
    });
    const done = sent.finally(() => this.#unfinished.delete(done));
    this.#unfinished.add(done);
  }

  async #run(project: string, job: MailJob): Promise<void> {
    const fields = { mail: job.type, project };
    try {
      const mail = await job.make();
      if (!mail) return;
      await this.#send(mail, fields);
      this.#counts.sent += 1;
    } catch (error) {
      this.#counts.failed += 1;
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

  async #deliver({ to, replyTo, subject, text, html }: Mail): Promise<void> {
    if (!isEmailAddress(to)) throw Object.assign(new Error('no e-mail address'), { code: 'EENVELOPE' });
    await this.mailer.sendMail({
      // An object is used as it is; a string would be parsed as a list of addresses.
      to: { name: '', address: to },
      ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  }
}

/** A reserved place in the queue. It is used or released, once. */
export interface MailReservation {
  submit(job: MailJob): void;
  release(): void;
}

function mailQueueFull(): KindError {
  return retryLater('server.busy', 'Too many mails wait to be sent', 10);
}

/** Failures that a retry would not change, such as permanent refusals of the server (5xx). */
function isPermanent(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return code === 'EENVELOPE' || code === 'EAUTH' || (responseCode !== undefined && responseCode >= 500);
}

/** Resolves after some milliseconds, or when the signal aborts. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return delay(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => undefined);
}
