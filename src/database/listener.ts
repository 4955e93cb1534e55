/**
 * Receives notifications (NOTIFY) of other processes on a connection of its own. Notifications only save time: the
 * version in every statement keeps answers correct. The listener tests itself with heartbeats that are sent on another
 * connection, because a broken connection reports nothing, and behind a transaction pooler LISTEN succeeds but nothing
 * arrives. While it receives nothing, `onFailure` tells the service to query the database instead.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { listenStatement, PING } from '../sql/server/connection.sql.js';
import { clientOptions, type ConnectionOptions } from './connection/connection.js';

export interface ListenerEvents {
  onNotification(channel: string, payload: string): void;
  /** Notifications may have been missed. */
  onGap(): void;
  /** No notifications are received; called once until `onRecovery`. */
  onFailure?(reason: ListenFailure): void;
  /** Notifications are received again, or for the first time after `onFailure`. */
  onRecovery?(): void;
}

/** `lost`: an error of the connection. `silent`: the connection works, but notifications do not arrive. */
type ListenFailure = { readonly type: 'lost'; readonly error: unknown } | { readonly type: 'silent' };

/** Sends a notification on another connection than that of the listener. */
type Notify = (channel: string, payload: string) => Promise<void>;

/** In milliseconds. */
const LISTENER_TIMES = {
  /** Between two connection attempts. */
  reconnectDelay: 1000,
  heartbeatInterval: 5000,
  /** For a heartbeat to arrive. */
  heartbeatTimeout: 2000,
  /** For connecting, and for queries. */
  connectionTimeout: 5000,
  /** For closing the connection. */
  closeTimeout: 2000,
};

/** The channel of heartbeats. All listeners receive them; each waits for its own token. */
export const HEARTBEAT_CHANNEL = 'kind_beat';

export class Listener {
  /** The current connection, even before it is established. Events of earlier ones are ignored. */
  #client: pg.Client | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #onHeartbeat: ((token: string) => void) | undefined;
  #failed = false;
  #stopped = false;

  constructor(
    private readonly connection: ConnectionOptions,
    private readonly channels: readonly string[],
    private readonly events: ListenerEvents,
    private readonly notify: Notify,
    private readonly times = LISTENER_TIMES,
  ) {}

  /** Resolves when notifications are received, or are known not to be. */
  async start(): Promise<void> {
    const client = new pg.Client({
      ...clientOptions(this.connection),
      application_name: 'kind listener',
      keepAlive: true,
      connectionTimeoutMillis: this.times.connectionTimeout,
      query_timeout: this.times.connectionTimeout,
    });
    this.#client = client;
    client.on('error', (error) => this.#reconnect(client, error));
    client.on('end', () => this.#reconnect(client, new Error('the connection ended')));
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === HEARTBEAT_CHANNEL) this.#onHeartbeat?.(payload);
      else this.events.onNotification(channel, payload);
    });
    try {
      await client.connect();
      for (const channel of [HEARTBEAT_CHANNEL, ...this.channels]) await client.query(listenStatement(channel).text);
      await this.#sendHeartbeat(client);
    } catch (error) {
      this.#reconnect(client, error);
    }
  }

  /** Sends a heartbeat, and again after a while. */
  async #sendHeartbeat(client: pg.Client): Promise<void> {
    if (!this.#isCurrent(client)) return;
    const token = randomUUID();
    let received = false;
    const heartbeat = new Promise<void>((resolve) => {
      this.#onHeartbeat = (payload) => {
        if (payload !== token) return;
        received = true;
        resolve();
      };
    });
    // A heartbeat that could not be sent proves nothing.
    const sent = await this.notify(HEARTBEAT_CHANNEL, token).then(
      () => true,
      () => false,
    );
    if (sent) await Promise.race([heartbeat, delay(this.times.heartbeatTimeout, undefined, { ref: false })]);
    // A broken connection fails here. On a good one, notifications that have arrived are read before the answer.
    if (!received) await client.query(PING.text);
    if (!this.#isCurrent(client)) return;
    if (received) this.#recover();
    else if (sent) this.#fail({ type: 'silent' });
    const repeat = () => this.#sendHeartbeat(client).catch((error: unknown) => this.#reconnect(client, error));
    this.#heartbeatTimer = setTimeout(() => void repeat(), this.times.heartbeatInterval).unref();
  }

  #recover(): void {
    if (!this.#failed) return;
    this.#failed = false;
    this.events.onGap();
    this.events.onRecovery?.();
  }

  #fail(reason: ListenFailure): void {
    if (this.#failed) return;
    this.#failed = true;
    this.events.onFailure?.(reason);
    this.events.onGap();
  }

  #isCurrent(client: pg.Client): boolean {
    return !this.#stopped && this.#client === client;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#heartbeatTimer);
    const ended = this.#client?.end().catch(() => undefined);
    // A broken connection may never confirm that it ended.
    await Promise.race([ended, delay(this.times.closeTimeout, undefined, { ref: false })]);
  }

  #reconnect(client: pg.Client, error: unknown): void {
    if (!this.#isCurrent(client)) return;
    clearTimeout(this.#heartbeatTimer);
    this.#client = undefined;
    client.removeAllListeners('end');
    void client.end().catch(() => undefined);
    this.#fail({ type: 'lost', error });
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.start(), this.times.reconnectDelay);
    this.#retryTimer.unref();
  }
}
