/** Delivers changes to the webhooks of a project, as one who follows them. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Catalog } from '../catalog/catalog.service.js';
import type { Session } from '../catalog/session/session.js';
import type { Follower, FollowerSource, Outcome, Task } from '../changes/follow/follower.js';
import { MOST_ATTEMPTS } from '../changes/follow/follower.js';
import { Followers } from '../changes/follow/followers.js';
import { Database } from '../database/database.js';
import { LOGGER } from '../http/log/logger.js';
import { WEBHOOK_KIND } from '../model/built-in-traits.js';
import type { Model } from '../model/model.js';
import { instantAt } from '../model/parameter-type/calendar.js';
import type { SendCode } from '../model/webhook-codes.js';
import { FairQueue } from '../shared/fair-queue.js';
import { KindError, retryLater } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { forgetTaskStatement } from '../sql/changes/follow.sql.js';
import {
  followerOf,
  keepBodyStatement,
  readBodyStatement,
  WEBHOOK_FOLLOWER,
  type KeptBody,
} from '../sql/webhook/delivery.sql.js';
import { kindOfMemberStatement, type HookRow, type RunningHook } from '../sql/webhook/webhook.sql.js';
import { SYSTEM } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { FailureRates } from './failure-rates.js';
import { HookSender, UNREADABLE, type SentTo } from './hook-sender.js';
import { missingKinds, receiverOf } from './hook-settings.js';
import { HookStates } from './hook-states.js';
import { HookStore } from './hook-store.js';
import { Payloads } from './payload.js';
import type { Attempt } from './sender.js';

/** The status of a receiver that wants nothing more. */
const GONE = 410;

/** An attempt, as it is told. */
interface ToldAttempt {
  readonly at: string;
  readonly status: number | null;
  readonly milliseconds: number | null;
  readonly code: SendCode | null;
}

/** What is kept of a delivery beside its body. */
interface Report {
  readonly type?: string;
  /** Of one that has failed: an edit of the webhook holds for what has not been sent once. */
  readonly to?: SentTo;
  readonly attempts: readonly ToldAttempt[];
}

/** A webhook is not sent to before somebody has done something. */
class Paused extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

@Injectable()
export class Deliveries implements FollowerSource, OnModuleInit {
  readonly type = WEBHOOK_FOLLOWER;
  readonly #places = new FairQueue({
    perKey: LIMITS.deliveriesOfProject,
    concurrency: LIMITS.deliveries,
    refusal: () => retryLater('server.busy', 'Too many webhooks'),
  });
  readonly #rates = new FailureRates();

  constructor(
    private readonly followers: Followers,
    private readonly database: Database,
    private readonly catalog: Catalog,
    private readonly hooks: HookStore,
    private readonly states: HookStates,
    private readonly payloads: Payloads,
    private readonly sender: HookSender,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.followers.register(this);
  }

  async list(project: Project, model: Model): Promise<readonly Follower[]> {
    const session = this.#session(project, model);
    const running: Follower[] = [];
    for (const hook of await this.hooks.running(session)) {
      const gone = missingKinds(hook, model);
      if (gone.length > 0) await this.#pause(session, hook.id, `not recorded any more: ${gone.join(', ')}`);
      else running.push(this.#follower(project, hook, model));
    }
    return running;
  }

  #follower(project: Project, { id, kinds, operations, since }: RunningHook, model: Model): Follower {
    const recorded = [...model.kinds.values()].flatMap((kind) => (kind.changes === 'none' ? [] : kind.id));
    return {
      id: followerOf(id),
      kinds: kinds ?? recorded,
      operations: [...new Set(operations.map(recordedAs))],
      since: { at: since },
      atOnce: LIMITS.deliveriesOfHook,
      passesOld: false,
      prepare: async () => (task, signal) => this.#deliver(project, id, task, signal),
      reportOfLost: (task) => withAttempt(task, { status: null, milliseconds: null, code: 'lost' }),
      missed: ({ lost }) => this.#tellLost(project, id, lost),
    };
  }

  #session(project: Project, model: Model): Session {
    return { project, model, caller: SYSTEM, executor: this.database.ofProject(project) };
  }

  async #deliver(project: Project, hookId: string, task: Task, signal: AbortSignal): Promise<Outcome> {
    try {
      const made = await this.catalog.withModel({ project }, (model) =>
        this.#prepare(this.#session(project, model), hookId, task),
      );
      return 'outcome' in made ? made.outcome : await this.#attempt(project, made, task, signal);
    } catch (error) {
      if (!(error instanceof Paused)) throw error;
      await this.catalog.withModel({ project }, (model) =>
        this.#pause(this.#session(project, model), hookId, error.reason),
      );
      return { type: 'paused' };
    }
  }

  /** The webhook as it is now, and what is sent: once made, it stays, unless its values are erased. */
  async #prepare(session: Session, hookId: string, task: Task): Promise<PreparedDelivery | { outcome: Outcome }> {
    const hook = await this.hooks.find(session, hookId);
    if (!hook?.active) return { outcome: { type: 'paused' } };
    const { executor, project } = session;
    const [kept] = await executor.run<KeptBody>(readBodyStatement(project.schema, task.id));
    if (!kept) return { outcome: { type: 'gone' } };
    const { type } = (task.report ?? {}) as Partial<Report>;
    if (kept.body && type !== undefined) return { hook, type, body: kept.body };
    const receiver = await this.#receiver(session, hook);
    try {
      const made = isOwnCreation(task, hookId) ? undefined : await this.payloads.make(session, hook, receiver, task);
      if (!made) {
        const [found] = await executor.run(forgetTaskStatement(project.schema, task));
        return { outcome: { type: found ? 'ended' : 'gone' } };
      }
      const { erasures } = kept;
      const isKept = await executor.run(keepBodyStatement(project.schema, task, { ...made, erasures }));
      // Its values were erased meanwhile, or it is gone.
      return isKept.length > 0 ? { hook, ...made } : await this.#prepare(session, hookId, task);
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      if (error.code === 'changes.resync') {
        const report = withAttempt(task, { status: null, milliseconds: null, code: 'lost' });
        return { outcome: { type: 'failed', report, forGood: true } };
      }
      if (error.status >= 500) throw error;
      throw new Paused(error.messages[0].text);
    }
  }

  async #receiver({ executor, project }: Session, { member }: HookRow) {
    if (member === null) return receiverOf(null, undefined);
    const [found] = await executor.run<{ kind: string }>(kindOfMemberStatement(project.schema, member));
    if (!found) throw new Paused('its member is gone');
    return receiverOf(member, found.kind);
  }

  async #attempt(
    project: Project,
    { hook: now, type, body }: PreparedDelivery,
    task: Task,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { to, ...before } = (task.report ?? {}) as Partial<Report>;
    // One that somebody sends again, or from a time on, begins anew.
    const hook = this.sender.asBefore(project.id, now, task.attempts > 0 ? to : undefined);
    const message = { id: messageId(task.id), body };
    const { host } = new URL(hook.url);
    const attempt = await this.#rates.run(
      project.id,
      host,
      () => this.#places.run(project.id, () => this.sender.send(project.id, hook, message, signal)),
      (result) => result !== UNREADABLE && result.code !== null,
    );
    if (attempt === UNREADABLE) throw new Paused('its secret, or a header, cannot be read: rotate it');
    const report = withAttempt({ ...task, report: { ...before, type } }, attempt);
    if (attempt.code === null) {
      await this.states.delivered(project, hook);
      return { type: 'done', report };
    }
    await this.#noteFailure(project, hook, task, attempt);
    const { url, header_values } = hook;
    return { type: 'failed', report: { ...report, to: { url, header_values } } };
  }

  /** Pauses the webhook where that is due. */
  async #noteFailure(project: Project, hook: HookRow, task: Task, { status }: Attempt): Promise<void> {
    this.states.changed(project, hook.id);
    let reason = status === GONE ? 'the receiver has answered 410: it wants nothing more' : undefined;
    if (task.attempts + 1 >= MOST_ATTEMPTS) {
      const failures = await this.states.failed(project, hook.id);
      if (failures >= LIMITS.webhookFailures) reason ??= `${failures} events in a row have failed for good`;
    }
    if (reason === undefined) return;
    const text = reason;
    await this.catalog.withModel({ project }, (model) => this.#pause(this.#session(project, model), hook.id, text));
  }

  async #pause(session: Session, hookId: string, reason: string): Promise<void> {
    this.logger.warn({ project: session.project.id, webhook: hookId, reason }, 'a webhook is paused');
    await this.hooks.pause(session, hookId, reason);
  }

  #tellLost(project: Project, hookId: string, lost: number): void {
    if (lost === 0) return;
    this.logger.warn({ project: project.id, webhook: hookId, lost }, 'changes that a webhook has not had are gone');
    this.states.lost(project, hookId, lost);
  }
}

interface PreparedDelivery {
  readonly hook: HookRow;
  readonly type: string;
  readonly body: string;
}

/** How the change is recorded that a reader sees as an operation. */
function recordedAs(operation: string): string {
  return operation === 'enter' || operation === 'leave' ? 'update' : operation;
}

/** A webhook begins with what comes after it. */
function isOwnCreation({ kind, unit, operation }: Task, hookId: string): boolean {
  return kind === WEBHOOK_KIND && unit === hookId && operation === 'create';
}

/** The `webhook-id` of a delivery. */
function messageId(id: string): string {
  return `msg_${id}`;
}

function withAttempt({ report }: Task, attempt: Omit<ToldAttempt, 'at'>): Report {
  const { attempts = [], ...rest } = (report ?? {}) as Partial<Report>;
  const at = instantAt(Date.now() - (attempt.milliseconds ?? 0));
  return { ...rest, attempts: [...attempts, { at, ...attempt }] };
}
