/** Stored webhooks, for what is done with them beside edits. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { WEBHOOK_KIND } from '../model/built-in-traits.js';
import { SEALED_SECRETS } from '../model/built-in/webhook-fields.js';
import { getBuiltInKind, type KindDef } from '../model/model.js';
import { textFault, type Json } from '../shared/json.js';
import { pauseHookStatement } from '../sql/webhook/delivery.sql.js';
import { hookStatement, runningHooksStatement, type HookRow, type RunningHook } from '../sql/webhook/webhook.sql.js';
import { withSystemValue, type Draft } from '../unit/draft/draft.js';
import { planWritten } from '../unit/draft/edit-plan.js';
import { unknownUnit } from '../unit/store/unit-ids.js';
import { writePlan } from '../unit/table/rights.js';
import { inOwnTransaction } from '../unit/table/write/own-transaction.js';
import { updateUnit } from '../unit/table/write/write.repository.js';
import { HookSecrets, rotated } from './hook-secrets.js';
import { hintOf, newSecret } from './signature.js';

type Values = Readonly<Record<string, Json>>;

const NO_BODY: ReadonlyMap<string, unknown> = new Map();
/** Characters of a reason. */
const MOST_REASON = 1000;
const EMPTY: Draft = { row: {}, written: [], values: new Map() };

@Injectable()
export class HookStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: HookSecrets,
  ) {}

  async find({ executor, project }: Session, id: string): Promise<HookRow | undefined> {
    if (textFault(id) !== undefined) return undefined;
    const [hook] = await executor.run<HookRow>(hookStatement(project.schema, id));
    return hook;
  }

  /** @throws KindError 404 */
  async get(session: Session, id: string): Promise<HookRow> {
    const hook = await this.find(session, id);
    if (hook) return hook;
    throw unknownUnit(getBuiltInKind(session.model, WEBHOOK_KIND), id);
  }

  /** Those that are sent to. */
  running({ executor, project }: Session): Promise<RunningHook[]> {
    return executor.run<RunningHook>(runningHooksStatement(project.schema));
  }

  /** Nothing more is sent before somebody makes it active again. */
  pause(session: Session, id: string, reason: string): Promise<void> {
    return inOwnTransaction(this.database, session, async (within) => {
      if (!(await this.find(within, id))?.active) return;
      await this.write(within, id, { active: false, state: 'paused', reason: reason.slice(0, MOST_REASON) });
      await within.executor.run(pauseHookStatement(session.project.schema, id, true));
    });
  }

  /** Writes values that only the system sets, as an edit of the unit that is recorded like any other. */
  async write(session: Session, id: string, values: Values): Promise<void> {
    const kind = getBuiltInKind(session.model, WEBHOOK_KIND);
    const draft = withSystemValues(EMPTY, kind, values);
    const plan = {
      ...writePlan(session, kind),
      ...planWritten(session, kind, draft, NO_BODY),
      ...{ id, access: undefined, allowed: undefined, tags: undefined },
    };
    await updateUnit(session, plan, draft.row, { kind, visibleFields: kind.fields, ofTarget: () => '' });
  }

  /** Gives a webhook another secret, with which the former one signs for a while, and returns it. */
  async rotate(session: Session, id: string): Promise<string> {
    const hook = await this.get(session, id);
    const { project } = session;
    const secret = newSecret();
    const secrets = rotated(secret, this.secrets.secretsOf(project.id, hook) ?? []);
    const sealed = this.secrets.sealSecrets({ project: project.id, id }, secrets);
    await this.write(session, id, { hint: hintOf(secret), [SEALED_SECRETS]: sealed });
    return secret;
  }
}

export function withSystemValues(draft: Draft, { fields }: KindDef, values: Values): Draft {
  return Object.entries(values).reduce((changed, [id, value]) => {
    const field = fields.get(id);
    if (!field) throw new Error(`webhooks have no field '${id}'`);
    return withSystemValue(changed, field, value);
  }, draft);
}
