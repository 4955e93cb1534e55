/**
 * Hears what other processes announce with NOTIFY, on a connection of its own. Announcements are for speed only: the
 * version in every statement is what keeps answers right. After a broken connection it takes everything as announced.
 */
import pg from 'pg';
import { listenStatement } from '../sql/registry.sql.js';
import { clientOptions, type ConnectionOptions } from './connection.js';

export interface ListenerEvents {
  onNotification(channel: string, payload: string): void;
  /** Announcements may have been missed. */
  onGap(): void;
}

const RETRY_MS = 1000;

export class Listener {
  /** The newest one, whether it is connected yet or not: what befalls an older one is of no interest. */
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly connection: ConnectionOptions,
    private readonly channels: readonly string[],
    private readonly events: ListenerEvents,
  ) {}

  async start(): Promise<void> {
    const client = new pg.Client({
      ...clientOptions(this.connection),
      application_name: 'kind listener',
      keepAlive: true,
    });
    this.#client = client;
    client.on('error', () => this.#again(client));
    client.on('end', () => this.#again(client));
    client.on('notification', ({ channel, payload }) => this.events.onNotification(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of this.channels) await client.query(listenStatement(channel).text);
    } catch {
      this.#again(client);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  #again(client: pg.Client): void {
    if (this.#stopped || this.#client !== client) return;
    this.#client = undefined;
    client.removeAllListeners('end');
    void client.end().catch(() => undefined);
    this.events.onGap();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start().then(() => this.events.onGap()), RETRY_MS);
    this.#retry.unref();
  }
}
