/** Sends messages to webhooks, with their headers and signatures. */
import { Injectable } from '@nestjs/common';
import type { HookRow } from '../sql/webhook/webhook.sql.js';
import { HookSecrets } from './hook-secrets.js';
import { Sender, type Attempt } from './sender.js';
import { signatureHeaders } from './signature.js';

/** A message to a webhook. */
export interface Message {
  /** The same in every attempt. */
  readonly id: string;
  readonly body: string;
}

/** Where a message is sent to, and with which headers, their values encrypted. */
export type SentTo = Pick<HookRow, 'url' | 'header_values'>;

/** A webhook whose secrets, or the values of whose headers, cannot be read with the keys of the service. */
export const UNREADABLE = 'unreadable';

@Injectable()
export class HookSender {
  constructor(
    private readonly sender: Sender,
    private readonly secrets: HookSecrets,
  ) {}

  /** The webhook as it was at an earlier attempt; as it is now where the headers of then cannot be read any more. */
  asBefore(project: string, hook: HookRow, to: SentTo | undefined): HookRow {
    const before = to && { ...hook, ...to };
    return before && this.secrets.headersOf(project, before) ? before : hook;
  }

  /** Makes one attempt. */
  async send(
    project: string,
    hook: HookRow,
    { id, body }: Message,
    stop: AbortSignal,
  ): Promise<Attempt | typeof UNREADABLE> {
    const secrets = this.secrets.secretsOf(project, hook);
    const headers = this.secrets.headersOf(project, hook);
    if (!secrets || !headers) return UNREADABLE;
    const timestamp = Math.floor(Date.now() / 1000);
    const signed = signatureHeaders(
      { id, timestamp, body },
      secrets.map(({ secret }) => secret),
    );
    return this.sender.send({ url: hook.url, headers: { ...headers, ...signed }, body }, stop);
  }
}
