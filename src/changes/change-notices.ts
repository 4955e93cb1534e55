/**
 * Tells other processes that something was recorded in projects, so that those who wait there need not look for it. What
 * is committed is collected, and sent outside of its transactions: a notification in each would let them commit one by one.
 */
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../database/database.js';
import { notifyStatement } from '../sql/server/connection.sql.js';
import { Waiting } from './waiting/waiting.js';

export const CHANGE_CHANNEL = 'kind_change';

/** Milliseconds for which projects are collected: a process sends at most twenty notifications a second. */
const COLLECTED = 50;
/** Schemas of one notification, which has less than 8,000 bytes. */
const AT_ONCE = 150;

@Injectable()
export class ChangeNotices implements OnModuleDestroy {
  readonly #schemas = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly waiting: Waiting,
  ) {}

  /** Something was recorded and committed by this process. */
  tell(schema: string): void {
    this.#schemas.add(schema);
    this.#timer ??= setTimeout(() => this.#send(), COLLECTED).unref();
  }

  /** Another process has told it, or this one. */
  heard(payload: string): void {
    const [sender, schemas = ''] = payload.split(' ');
    if (sender !== this.database.serviceId) for (const schema of schemas.split(',')) this.waiting.wake(schema);
  }

  #send(): void {
    const some = [...this.#schemas].slice(0, AT_ONCE);
    for (const schema of some) this.#schemas.delete(schema);
    this.#timer = this.#schemas.size > 0 ? setTimeout(() => this.#send(), COLLECTED).unref() : undefined;
    const statement = notifyStatement(CHANGE_CHANNEL, `${this.database.serviceId} ${some.join()}`);
    // Where it is not heard, others find it when they look.
    this.database.run(statement).catch(() => undefined);
  }

  onModuleDestroy(): void {
    clearTimeout(this.#timer);
  }
}
