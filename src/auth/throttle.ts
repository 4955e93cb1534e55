/**
 * Limits how often passwords, codes and tokens can be tried, per account and address. Attempts are counted in the
 * project's schema, so for all processes together: each is counted before it is made, and uncounted if it was no
 * failure. It makes no difference whether the account exists.
 */
import { Inject, Injectable } from '@nestjs/common';
import { ExpiredRows } from '../catalog/project/expired-rows.js';
import { type Config, CONFIG, SECRET } from '../config/config.js';
import { Database } from '../database/database.js';
import { THROTTLE_TABLE } from '../model/table/internal-tables.js';
import { keyedHash } from '../shared/derived-key.js';
import { KindError, retryLater } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { LIMITS } from '../shared/limits.js';
import { foldName } from '../shared/member-names.js';
import {
  type Allowance,
  deleteAttemptsStatement,
  returnAttemptsStatement,
  takeAttemptsStatement,
  waitStatement,
} from '../sql/member/throttle.sql.js';
import type { Project } from '../tenancy/project.js';

/**
 * Attempts within the window: for one account from one address (`pair`), from one address, and for one account from all
 * addresses.
 */
export const ATTEMPT_LIMITS = { pair: 10, address: 100, account: 200 } as const;

/** Seconds. */
const ATTEMPT_WINDOW = 15 * 60;

/**
 * Mails of one type to an address, whoever has it, per number of seconds. This protects mailboxes, and limits how many
 * codes there are to guess.
 */
const MAIL_LIMIT = { allowed: 10, window: 60 * 60 } as const;
/** Of those that strangers ask for, from all addresses of clients together, so that one client alone leaves some. */
const ASKED_MAILS = 20;

type MailType = 'code' | 'sign-in' | 'recovery' | 'own address' | 'new address' | 'taken address' | `notice ${string}`;

/** Challenges of passkeys for an address, per number of seconds: for so long each is kept. */
const CHALLENGES = { allowed: 100, window: 5 * 60 } as const;
/** Mails that a member asks for to prove an address, per number of seconds. */
const VERIFICATION_MAILS = { allowed: 3, window: 60 * 60 } as const;

/** Wrong codes of the second step of a member, per number of seconds, from wherever. */
const WRONG_CODES = { allowed: 5, window: 10 * 60 } as const;

/**
 * Concurrent attempts of one process; others wait. An attempt counts until it has succeeded, so without this limit many
 * concurrent correct passwords would be refused.
 */
const CONCURRENT_ATTEMPTS = { pair: 3, address: 25 } as const;

/** The source of an attempt: an address, and the account that it tries, if any. */
interface AuthAttempt {
  readonly address: string;
  /** The member, or the folded name if nobody has it: see `accountOf`. */
  readonly account?: string;
}

/** An attempt that was counted. */
interface Taken {
  readonly id: string;
  readonly at: string;
}

@Injectable()
export class Throttle {
  readonly #hash: (...parts: readonly string[]) => string;
  readonly #pairs = attemptQueue(CONCURRENT_ATTEMPTS.pair);
  readonly #addresses = attemptQueue(CONCURRENT_ATTEMPTS.address);

  constructor(
    private readonly database: Database,
    private readonly expired: ExpiredRows,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(SECRET) secret: string,
  ) {
    this.#hash = keyedHash(secret, 'throttle');
  }

  /**
   * Runs `work`, which counts as an attempt only if it is refused with 401. @throws KindError 429, and errors of `work`
   */
  guard<T>(project: Project, attempt: AuthAttempt, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(project, attempt, () => this.#guard(project, attempt, work));
  }

  /** Runs `work`, which counts as an attempt whether or not it succeeds. @throws KindError 429, and errors of `work` */
  countAndRun<T>(project: Project, attempt: AuthAttempt, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(project, attempt, async () => {
      await this.count(project, attempt);
      return work();
    });
  }

  #inTurn<T>(project: Project, { address, account }: AuthAttempt, work: () => Promise<T>): Promise<T> {
    if (!this.config.authRateLimit) return work();
    return this.#addresses.run(JSON.stringify([project.id, address]), () =>
      account === undefined ? work() : this.#pairs.run(JSON.stringify([project.id, address, account]), work),
    );
  }

  async #guard<T>(project: Project, attempt: AuthAttempt, work: () => Promise<T>): Promise<T> {
    return unlessWrong(work, await this.#take(project, attempt));
  }

  /** Counts an attempt without waiting for concurrent ones, because its work is cheap. @throws KindError 429 */
  async count(project: Project, attempt: AuthAttempt): Promise<void> {
    await this.#take(project, attempt);
  }

  /** Clears the failures of an account from an address, after its owner has proved their identity. */
  async clearFailures(project: Project, address: string, account: string): Promise<void> {
    if (!this.config.authRateLimit) return;
    const key = this.#hash('pair', address, account);
    await this.database.ofProject(project).run(deleteAttemptsStatement(project.schema, [key]));
  }

  /**
   * Counts a mail to an address; false if the limit is reached. AUTH_RATE_LIMIT does not affect this.
   * @param client the address of who has asked for it, where that may be a stranger who would keep it from the member
   */
  async takeMail(project: Project, type: MailType, email: string, client?: string): Promise<boolean> {
    const { allowed, window } = MAIL_LIMIT;
    const mail = ['mail', type, foldName(email)] as const;
    const keys =
      client === undefined
        ? [{ id: this.#hash(...mail), allowed }]
        : [
            { id: this.#hash(...mail, client), allowed },
            { id: this.#hash(...mail), allowed: ASKED_MAILS },
          ];
    const taken = await this.#takeEach(project, keys, window);
    if (taken.length === keys.length) return true;
    await this.#uncount(project, taken);
    return false;
  }

  /** Counts a challenge that is made for an address. @throws KindError 429 */
  async countChallenge(project: Project, address: string): Promise<void> {
    if (!this.config.authRateLimit) return;
    await this.#takeOne(project, this.#hash('challenge', address), CHALLENGES);
  }

  /** Counts a mail that a member asks for to prove an address. AUTH_RATE_LIMIT does not affect this. @throws KindError 429 */
  async limitVerificationMails(project: Project, memberId: string): Promise<void> {
    await this.#takeOne(project, this.#hash('verification mail', memberId), VERIFICATION_MAILS);
  }

  /**
   * Runs `work`, which tries a code of a member, and counts those that are wrong. AUTH_RATE_LIMIT does not affect this.
   * @throws KindError 429, and errors of `work`
   */
  async limitWrong<T>(project: Project, memberId: string, work: () => Promise<T>): Promise<T> {
    const taken = await this.#takeOne(project, this.#hash('wrong code', memberId), WRONG_CODES);
    return unlessWrong(work, () => this.#uncount(project, taken));
  }

  /** Counts one attempt for a key. @throws KindError 429 */
  async #takeOne(
    project: Project,
    id: string,
    { allowed, window }: { readonly allowed: number; readonly window: number },
  ): Promise<Taken[]> {
    const taken = await this.#takeEach(project, [{ id, allowed }], window);
    if (taken.length === 0) throw await this.#tooMany(project, [id], window);
    return taken;
  }

  /** Counts one attempt for each key; returns the keys that were below their limit, and when they were counted. */
  async #takeEach(project: Project, keys: readonly Allowance[], window: number = ATTEMPT_WINDOW): Promise<Taken[]> {
    const statement = takeAttemptsStatement(project.schema, keys, window);
    const executor = this.database.ofProject(project);
    const taken = await executor.run<Taken>(statement);
    await this.expired.sweep(executor, project.schema, THROTTLE_TABLE);
    return taken;
  }

  async #take(project: Project, attempt: AuthAttempt): Promise<() => Promise<void>> {
    if (!this.config.authRateLimit) return () => Promise.resolve();
    const keys = this.#keysOf(attempt);
    const taken = await this.#takeEach(project, keys);
    const uncount = () => this.#uncount(project, taken);
    if (taken.length === keys.length) return uncount;
    await uncount();
    const refused = keys.filter(({ id }) => !taken.some((each) => each.id === id)).map(({ id }) => id);
    throw await this.#tooMany(project, refused, ATTEMPT_WINDOW);
  }

  async #uncount(project: Project, taken: readonly Taken[]): Promise<void> {
    const [first] = taken;
    if (!first) return;
    const ids = taken.map(({ id }) => id);
    await this.database.ofProject(project).run(returnAttemptsStatement(project.schema, ids, first.at));
  }

  async #tooMany(project: Project, ids: readonly string[], window: number): Promise<KindError> {
    const statement = waitStatement(project.schema, ids, window);
    const [row] = await this.database.ofProject(project).run<{ wait: number }>(statement);
    const text = 'Too many attempts; Retry-After says when to come back';
    return retryLater('request.throttled', text, Math.max(1, row?.wait ?? 1));
  }

  #keysOf({ address, account }: AuthAttempt): Allowance[] {
    const byAddress = { id: this.#hash('address', address), allowed: ATTEMPT_LIMITS.address };
    if (account === undefined) return [byAddress];
    return [
      byAddress,
      { id: this.#hash('pair', address, account), allowed: ATTEMPT_LIMITS.pair },
      { id: this.#hash('account', account), allowed: ATTEMPT_LIMITS.account },
    ];
  }
}

/** Runs `work`, whose attempt is counted already: it is uncounted unless what was proved is wrong. */
async function unlessWrong<T>(work: () => Promise<T>, uncount: () => Promise<void>): Promise<T> {
  let wrong = false;
  try {
    return await work();
  } catch (error) {
    wrong = error instanceof KindError && (error.status === 401 || error.code === 'proof.wrong');
    throw error;
  } finally {
    // `work` has succeeded: if the attempt cannot be uncounted, it stays counted.
    if (!wrong) await uncount().catch(() => undefined);
  }
}

function attemptQueue(perKey: number): FairQueue {
  return new FairQueue({
    perKey,
    maxWaitingPerKey: LIMITS.requestsWaiting,
    timeout: 5000,
    refusal: () => retryLater('server.busy', 'Too many attempts from this address are under way'),
  });
}
