/**
 * Hears what other processes announce with NOTIFY, on a connection of its own. Announcements are for speed only: the
 * version in every statement is what keeps answers right. Whether it hears is tried all the time, with announcements of
 * its own that go another way: a broken connection says nothing, and behind a transaction pooler LISTEN succeeds and
 * nothing ever comes. While it does not hear, whoever relies on it is told to ask the database instead.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { listenStatement, PING } from '../sql/registry.sql.js';
import { clientOptions, type ConnectionOptions } from './connection/connection.js';

export interface ListenerEvents {
  onNotification(channel: string, payload: string): void;
  /** Announcements may have been missed. */
  onGap(): void;
  /** Nothing is heard any more, and why; told once, however often it tries again. */
  onFailure?(reason: ListenFailure): void;
  /** Announcements are heard again, or for the first time after `onDeaf`. */
  onRecovery?(): void;
}

/** An error of the connection; or none, where it is good and announcements do not arrive on it. */
export type ListenFailure = { readonly type: 'lost'; readonly error: unknown } | { readonly type: 'unheard' };

/** Announces something by another connection than the listener's. */
export type Announce = (channel: string, payload: string) => Promise<void>;

/** Milliseconds. `heard`: in which an announcement arrives. */
const TIMES = { retry: 1000, beat: 5000, heard: 2000, patience: 5000, parting: 2000 };

/** The listeners of all processes hear it; each waits for what it announced itself. */
export const HEARTBEAT_CHANNEL = 'kind_beat';

export class Listener {
  /** The newest one, whether it is connected yet or not: what befalls an older one is of no interest. */
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #heard: ((token: string) => void) | undefined;
  #deaf = false;
  #stopped = false;

  constructor(
    private readonly connection: ConnectionOptions,
    private readonly channels: readonly string[],
    private readonly events: ListenerEvents,
    private readonly announce: Announce,
    private readonly times = TIMES,
  ) {}

  /** Comes back when it hears, or is known not to. */
  async start(): Promise<void> {
    const client = new pg.Client({
      ...clientOptions(this.connection),
      application_name: 'kind listener',
      keepAlive: true,
      connectionTimeoutMillis: this.times.patience,
      query_timeout: this.times.patience,
    });
    this.#client = client;
    client.on('error', (error) => this.#again(client, error));
    client.on('end', () => this.#again(client, new Error('the connection ended')));
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === HEARTBEAT_CHANNEL) this.#heard?.(payload);
      else this.events.onNotification(channel, payload);
    });
    try {
      await client.connect();
      for (const channel of [HEARTBEAT_CHANNEL, ...this.channels]) await client.query(listenStatement(channel).text);
      await this.#try(client);
    } catch (error) {
      this.#again(client, error);
    }
  }

  /** Announces something to itself, and again a while later. */
  async #try(client: pg.Client): Promise<void> {
    if (!this.#isCurrent(client)) return;
    const token = randomUUID();
    let heard = false;
    const hearing = new Promise<void>((resolve) => {
      this.#heard = (payload) => {
        if (payload !== token) return;
        heard = true;
        resolve();
      };
    });
    // What could not be announced tells nothing.
    const announced = await this.announce(HEARTBEAT_CHANNEL, token).then(
      () => true,
      () => false,
    );
    if (announced) await Promise.race([hearing, delay(this.times.heard, undefined, { ref: false })]);
    // A broken connection fails here. On a good one, what has arrived meanwhile is read before the answer.
    if (!heard) await client.query(PING.text);
    if (!this.#isCurrent(client)) return;
    if (heard) this.#hears();
    else if (announced) this.#isDeaf({ type: 'unheard' });
    const again = () => this.#try(client).catch((error: unknown) => this.#again(client, error));
    this.#beat = setTimeout(() => void again(), this.times.beat).unref();
  }

  #hears(): void {
    if (!this.#deaf) return;
    this.#deaf = false;
    this.events.onGap();
    this.events.onRecovery?.();
  }

  #isDeaf(reason: ListenFailure): void {
    if (this.#deaf) return;
    this.#deaf = true;
    this.events.onFailure?.(reason);
    this.events.onGap();
  }

  #isCurrent(client: pg.Client): boolean {
    return !this.#stopped && this.#client === client;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#beat);
    const ended = this.#client?.end().catch(() => undefined);
    // A silent connection never says that it ended.
    await Promise.race([ended, delay(this.times.parting, undefined, { ref: false })]);
  }

  #again(client: pg.Client, error: unknown): void {
    if (!this.#isCurrent(client)) return;
    clearTimeout(this.#beat);
    this.#client = undefined;
    client.removeAllListeners('end');
    void client.end().catch(() => undefined);
    this.#isDeaf({ type: 'lost', error });
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start(), this.times.retry);
    this.#retry.unref();
  }
}
