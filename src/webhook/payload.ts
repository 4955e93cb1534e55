/** What is sent of a change: what the feed answers to the one whose rights decide. */
import { Injectable } from '@nestjs/common';
import type { Task } from '../changes/follow/follower.js';
import { FeedReader } from '../changes/feed.reader.js';
import type { Session } from '../catalog/session/session.js';
import { LIMITS } from '../shared/limits.js';
import type { HookRow } from '../sql/webhook/webhook.sql.js';
import type { MemberCaller } from '../tenancy/caller.js';
import { planHook } from './hook-settings.js';

interface Payload {
  /** The kind and the operation, as receivers tell messages apart. */
  readonly type: string;
  /** JSON. */
  readonly body: string;
}

@Injectable()
export class Payloads {
  constructor(private readonly feed: FeedReader) {}

  /**
   * Undefined if the receiver gets nothing of the change. @throws KindError 400 for a filter that is no longer possible,
   * 410 for a change that is no longer kept
   */
  async make(
    session: Session,
    hook: HookRow,
    receiver: MemberCaller,
    { seq, kind }: Pick<Task, 'seq' | 'kind'>,
  ): Promise<Payload | undefined> {
    const seen = { ...session, caller: receiver };
    const plan = planHook(hook, seen);
    const ofKind = plan.kinds.get(kind);
    if (!ofKind) return undefined;
    const event = await this.feed.one(seen, { ...plan, kinds: new Map([[kind, ofKind]]) }, BigInt(seq));
    if (!event || !hook.operations.includes(event.operation)) return undefined;
    const type = `${kind}.${event.operation}`;
    const head = `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(event.at)},"data":`;
    const data = `{"project":${JSON.stringify(session.project.id)},${event.text.slice(1)}`;
    const body = `${head}${data}}`;
    if (Buffer.byteLength(body) <= LIMITS.webhookBytes) return { type, body };
    return { type, body: `${head}${truncated(data)}}` };
  }
}

/** The same without the unit and values. */
function truncated(data: string): string {
  const rest = Object.entries(JSON.parse(data) as object).filter(([name]) => name !== 'unit' && name !== 'changes');
  return JSON.stringify({ ...Object.fromEntries<unknown>(rest), truncated: true });
}
