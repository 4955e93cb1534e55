/**
 * Hears what other processes announce with NOTIFY, on a connection of its own. Announcements are for speed only: the
 * version in every statement is what keeps answers right. After a broken connection it takes everything as announced.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { listenStatement, PING } from '../sql/registry.sql.js';
import { clientOptions, type ConnectionOptions } from './connection.js';

export interface ListenerEvents {
  onNotification(channel: string, payload: string): void;
  /** Announcements may have been missed. */
  onGap(): void;
  /** Nothing is heard any more, with the reason; told once, however often it tries again. */
  onLost?(error: unknown): void;
  /** Announcements are heard again. */
  onBack?(): void;
}

/** Milliseconds. A connection that says nothing is asked, because a broken one may say nothing either. */
const TIMES = { retry: 1000, beat: 20_000, patience: 10_000, parting: 2000 };

export class Listener {
  /** The newest one, whether it is connected yet or not: what befalls an older one is of no interest. */
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #lost = false;
  #stopped = false;

  constructor(
    private readonly connection: ConnectionOptions,
    private readonly channels: readonly string[],
    private readonly events: ListenerEvents,
    private readonly times = TIMES,
  ) {}

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
    client.on('notification', ({ channel, payload }) => this.events.onNotification(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of this.channels) await client.query(listenStatement(channel).text);
      this.#hears(client);
    } catch (error) {
      this.#again(client, error);
    }
  }

  #hears(client: pg.Client): void {
    if (this.#client !== client) return;
    if (this.#lost) this.events.onBack?.();
    this.#lost = false;
    this.#listens(client);
  }

  /** Asks after a while, and again a while after the answer. */
  #listens(client: pg.Client): void {
    if (this.#stopped || this.#client !== client) return;
    const ask = () =>
      client.query(PING.text).then(
        () => this.#listens(client),
        (error: unknown) => this.#again(client, error),
      );
    this.#beat = setTimeout(() => void ask(), this.times.beat).unref();
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
    if (this.#stopped || this.#client !== client) return;
    clearTimeout(this.#beat);
    if (!this.#lost) this.events.onLost?.(error);
    this.#lost = true;
    this.#client = undefined;
    client.removeAllListeners('end');
    void client.end().catch(() => undefined);
    this.events.onGap();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start().then(() => this.events.onGap()), this.times.retry);
    this.#retry.unref();
  }
}
