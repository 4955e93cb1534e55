/** Attempts by hand, to see whether a receiver answers. */
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Session } from '../catalog/session/session.js';
import { instantAt } from '../model/parameter-type/calendar.js';
import { refusal, retryLater, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { takeAttemptsStatement, waitStatement } from '../sql/member/throttle.sql.js';
import { HookSender, UNREADABLE } from './hook-sender.js';
import { HookStore } from './hook-store.js';
import type { Attempt } from './sender.js';

const LIMITED = { id: 'webhook ping', allowed: LIMITS.webhookPings };
/** Seconds. */
const WINDOW = 60;

/** What a ping answers. */
interface PingResult extends Attempt {
  readonly delivered: boolean;
}

@Injectable()
export class Pings {
  constructor(
    private readonly hooks: HookStore,
    private readonly sender: HookSender,
  ) {}

  /** @throws KindError 404, 409, 429 */
  async ping(session: Session, hookId: string): Promise<PingResult> {
    const { project } = session;
    const hook = await this.hooks.get(session, hookId);
    await this.#count(session);
    const timestamp = instantAt(Date.now());
    const body = JSON.stringify({ type: 'ping', timestamp, data: { project: project.id, webhook_id: hook.id } });
    const never = new AbortController().signal;
    const attempt = await this.sender.send(project.id, hook, { id: `msg_${randomUUID()}`, body }, never);
    if (attempt === UNREADABLE) throw unreadableSecret();
    const { status, milliseconds, code } = attempt;
    return { delivered: code === null, status, milliseconds, code };
  }

  async #count({ executor, project: { schema } }: Session): Promise<void> {
    const taken = await executor.run(takeAttemptsStatement(schema, [LIMITED], WINDOW));
    if (taken.length > 0) return;
    const [row] = await executor.run<{ wait: number }>(waitStatement(schema, [LIMITED.id], WINDOW));
    const text = `At most ${LIMITED.allowed} pings of a project in a minute; Retry-After says when to come back`;
    throw retryLater('request.throttled', text, row?.wait ?? WINDOW);
  }
}

function unreadableSecret(): KindError {
  const text =
    'The secret, or a header, cannot be read with the keys of the service: rotate it, and write headers anew';
  return refusal('webhook.secret_unreadable', text);
}
