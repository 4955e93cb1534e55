/** What administrators see of deliveries, and what they do with them and their webhook. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { Followers } from '../changes/follow/followers.js';
import { Numbering } from '../changes/numbering.js';
import { Database } from '../database/database.js';
import { FAILURES } from '../model/built-in/webhook-fields.js';
import { refusal, type KindError } from '../shared/errors.js';
import { isUuid } from '../shared/identifiers.js';
import { shortened } from '../shared/texts.js';
import {
  deliveryStatement,
  listDeliveriesStatement,
  numberBeforeStatement,
  pauseHookStatement,
  resumeAfterStatement,
  retryDeliveryStatement,
  type DeliveryPage,
} from '../sql/webhook/delivery.sql.js';
import { inOwnTransaction } from '../unit/table/write/own-transaction.js';
import { HookStates } from './hook-states.js';
import { HookStore } from './hook-store.js';

@Injectable()
export class DeliveryLog {
  constructor(
    private readonly database: Database,
    private readonly hooks: HookStore,
    private readonly states: HookStates,
    private readonly numbering: Numbering,
    private readonly followers: Followers,
  ) {}

  async list(session: Session, hookId: string, page: DeliveryPage): Promise<{ count: number; items: string }> {
    const { schema } = session.project;
    await this.hooks.get(session, hookId);
    const statement = listDeliveriesStatement(schema, hookId, page);
    const [row] = await session.executor.run<{ count: number; items: string }>(statement);
    return row ?? { count: 0, items: '[]' };
  }

  /** JSON. @throws KindError 404 */
  async get(session: Session, hookId: string, id: string): Promise<string> {
    const { schema } = session.project;
    await this.hooks.get(session, hookId);
    const statement = deliveryStatement(schema, hookId, id);
    const [row] = isUuid(id) ? await session.executor.run<{ item: string }>(statement) : [];
    if (!row) throw unknownDelivery(id);
    return row.item;
  }

  /** @throws KindError 404 */
  async retry(session: Session, hookId: string, id: string): Promise<void> {
    const { id: project, schema } = session.project;
    await this.hooks.get(session, hookId);
    const found = isUuid(id) ? await session.executor.run(retryDeliveryStatement(schema, hookId, id)) : [];
    if (found.length === 0) throw unknownDelivery(id);
    await this.followers.begin(project);
  }

  /** The new secret. @throws KindError 404 */
  rotate(session: Session, hookId: string): Promise<string> {
    return inOwnTransaction(this.database, session, (within) => this.hooks.rotate(within, hookId));
  }

  /** @param from `stopped`, `now`, or a time. @throws KindError 400, 404 */
  async resume(session: Session, hookId: string, from: string): Promise<void> {
    const { id: project, schema } = session.project;
    await this.hooks.get(session, hookId);
    const after = await this.#numberBefore(session, from);
    await inOwnTransaction(this.database, session, async (within) => {
      if (after !== undefined) await within.executor.run(resumeAfterStatement(schema, hookId, after));
      await this.hooks.write(within, hookId, { active: true, state: 'ok', reason: null, [FAILURES]: 0 });
      await within.executor.run(pauseHookStatement(schema, hookId, false));
    });
    this.states.changed(session.project, hookId);
    await this.followers.begin(project);
  }

  /** The number of the last change that is passed over; undefined: where it stopped. */
  async #numberBefore({ executor, project: { schema } }: Session, from: string): Promise<string | undefined> {
    if (from === 'stopped') return undefined;
    const { last } = await this.numbering.number(schema);
    if (from === 'now') return last;
    const bad = (text: string) => refusal('parameter.bad_value', `from: ${text}`, { parameter: 'from' });
    if (!isTime(from)) {
      throw bad(`must be 'stopped', 'now', or a time such as 2026-11-29T12:00:00Z, got '${shortened(from)}'`);
    }
    if (Date.parse(from) > Date.now()) throw bad(`the time '${from}' is in the future`);
    const [row] = await executor.run<{ seq: string }>(numberBeforeStatement(schema, new Date(from).toISOString()));
    return row?.seq ?? last;
  }
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

function isTime(text: string): boolean {
  return TIME.test(text) && new Date(text).getUTCFullYear() >= 1;
}

function unknownDelivery(id: string): KindError {
  return refusal('webhook.delivery_unknown', `The webhook has no delivery '${shortened(id)}'`);
}
