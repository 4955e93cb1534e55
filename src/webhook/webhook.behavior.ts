/** Writes of webhooks: whether their settings are possible, their secret, and what is kept encrypted. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { checkAdministrator } from '../access/access.js';
import { refuseIfLocked } from '../catalog/definition/locked-model.js';
import type { Session } from '../catalog/session/session.js';
import { Followers } from '../changes/follow/followers.js';
import { Numbering } from '../changes/numbering.js';
import { type Config, CONFIG } from '../config/config.js';
import { WEBHOOK_KIND } from '../model/built-in-traits.js';
import { FAILURES, SEALED_HEADERS, SEALED_SECRETS } from '../model/built-in/webhook-fields.js';
import type { KindDef } from '../model/model.js';
import { OwnPlaces } from '../outgoing/own-places.js';
import { type Faults, refusal } from '../shared/errors.js';
import { isUuid } from '../shared/identifiers.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { shortened } from '../shared/texts.js';
import { countMadeStatement, lockMakingStatement } from '../sql/lock.sql.js';
import { beginHookStatement, forgetHookStatement, pauseHookStatement } from '../sql/webhook/delivery.sql.js';
import { FOLLOW, wakeWorkStatement } from '../sql/server/work.sql.js';
import { hookStatement, kindOfMemberStatement, type HookRow } from '../sql/webhook/webhook.sql.js';
import { Behaviors, type PendingWrite, type RegisteredBehavior, type WrittenBy } from '../unit/draft/behavior.js';
import { keyOf, type Body, type Draft } from '../unit/draft/draft.js';
import { HookSecrets } from './hook-secrets.js';
import { checkSettings, hiddenHeaders, receiverOf, type HookSettings } from './hook-settings.js';
import { withSystemValues } from './hook-store.js';
import { hintOf, newSecret } from './signature.js';
import type { UrlRules } from './webhook-url.js';

type Values = ReadonlyMap<string, Json>;
type Headers = Readonly<Record<string, Json>>;

@Injectable()
export class WebhookBehavior implements RegisteredBehavior, OnModuleInit {
  readonly #secrets = new WeakMap<Draft, string>();

  constructor(
    private readonly behaviors: Behaviors,
    private readonly hooks: HookSecrets,
    private readonly places: OwnPlaces,
    private readonly numbering: Numbering,
    private readonly followers: Followers,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ id, builtIn }: KindDef): boolean {
    return builtIn && id === WEBHOOK_KIND;
  }

  /** It is sent what a scope of an API key may not read. */
  prepare(body: Body, { session }: PendingWrite): Body {
    refuseIfLocked(session.project, session.change);
    refuseScoped(session);
    return body;
  }

  /** Of a new webhook; an edit is judged with what is stored, once its row is locked. */
  async complete(draft: Draft, write: PendingWrite): Promise<Draft> {
    const { id, kind, session, faults } = write;
    if (id !== undefined) return draft;
    const settings = settingsOf(draft.values, kind);
    await this.#check(settings, write);
    for (const name of keptHeaders(settings.headers, {})) faults.add(...missingValue(name));
    if (faults.any) return draft;
    await refuseTooMany(session);
    const key = keyOf(draft, kind);
    const secret = newSecret();
    const place = { project: session.project.id, id: key };
    const completed = withSystemValues(draft, kind, {
      hint: hintOf(secret),
      state: settings.active ? 'ok' : 'paused',
      waiting: 0,
      [FAILURES]: 0,
      [SEALED_SECRETS]: this.hooks.sealSecrets(place, [{ secret }]),
      ...this.#headers(place, settings.headers as Headers, {}),
    });
    this.#secrets.set(completed, secret);
    return completed;
  }

  async beforeUpdate(draft: Draft, write: PendingWrite): Promise<Draft> {
    const { kind, session, faults, id = '' } = write;
    const { project, executor } = session;
    const [stored] = await executor.run<HookRow>(hookStatement(project.schema, id));
    if (!stored) return draft;
    const pauses = draft.values.get('active') === false && stored.active && { state: 'paused', reason: null };
    if (!changesWhatIsSent(draft.values)) return withSystemValues(draft, kind, { ...pauses });
    const settings = settingsOf(new Map([...storedValues(stored), ...draft.values]), kind);
    await this.#check(settings, write);
    if (faults.any) return draft;
    const wakes = draft.values.get('active') === true && { state: 'ok', reason: null, [FAILURES]: 0 };
    const moved = originOf(settings.url) !== originOf(stored.url);
    const kept = moved ? {} : (this.hooks.headersOf(project.id, stored) ?? {});
    for (const name of keptHeaders(settings.headers, kept)) faults.add(...missingValue(name, moved));
    if (faults.any) return draft;
    const place = { project: project.id, id };
    const headers = draft.values.has('headers') && this.#headers(place, settings.headers as Headers, kept);
    return withSystemValues(draft, kind, { ...wakes, ...pauses, ...headers });
  }

  /** A new one begins with what is answered from now on, and an active one is looked for. */
  async afterWrite(_kind: KindDef, id: string, { values }: Draft, session: Session, by: WrittenBy): Promise<void> {
    const { executor, project, change } = session;
    const { schema } = project;
    const active = values.get('active');
    if (by === 'create') {
      // A change of definitions holds its connection for long, while others of the project may wait for one.
      const { last } = change
        ? await this.numbering.numberWithin(executor, schema)
        : await this.numbering.number(schema);
      await executor.run(beginHookStatement(schema, id, last, active === false));
      await executor.run(wakeWorkStatement(FOLLOW.type, FOLLOW.name, [project.id]));
    } else if (typeof active === 'boolean') {
      await executor.run(pauseHookStatement(schema, id, !active));
    }
    executor.tx?.afterCommit(() => this.followers.begin(project.id));
  }

  async beforeDelete(_kind: KindDef, _id: string, session: Session): Promise<void> {
    refuseIfLocked(session.project, session.change);
    refuseScoped(session);
  }

  async afterDelete(_kind: KindDef, id: string, { executor, project }: Session): Promise<void> {
    await executor.run(forgetHookStatement(project.schema, id));
  }

  /** The only answer with the secret. That of a dry run has none, because its webhook does not exist. */
  addToAnswer(body: string, draft: Draft, { traits }: KindDef, { dry }: Session): string {
    const secret = dry ? null : (this.#secrets.get(draft) ?? null);
    return `${body.slice(0, -1)},${JSON.stringify(traits.secret)}:${JSON.stringify(secret)}}`;
  }

  async #check(settings: StoredSettings, { session, faults }: PendingWrite): Promise<void> {
    const kind = await memberKindOf(settings.member, session, faults);
    const receiver = receiverOf(settings.member, kind);
    checkSettings(settings, { ...session, caller: receiver }, this.#urlRules, faults);
  }

  get #urlRules(): UrlRules {
    const { webhooks } = this.config;
    return { allowHttp: webhooks.allowHttp, own: this.places.public, addresses: this.places.literalRules(webhooks) };
  }

  /** The columns of headers; null is the value that is kept. */
  #headers(place: { project: string; id: string }, given: Headers, kept: Readonly<Record<string, string>>) {
    const stored = new Map(Object.entries(kept).map(([name, value]) => [name.toLowerCase(), value]));
    const values = Object.entries(given).map(([name, value]) => {
      return [name, value === null ? (stored.get(name.toLowerCase()) ?? '') : (value as string)] as const;
    });
    return {
      headers: hiddenHeaders(given),
      [SEALED_HEADERS]: values.length === 0 ? null : this.hooks.sealHeaders(place, Object.fromEntries(values)),
    };
  }
}

interface StoredSettings extends HookSettings {
  readonly member: string | null;
  readonly active: boolean;
}

/** Whether an edit changes what is sent to whom. Others are taken of any webhook, also where that is no longer possible. */
function changesWhatIsSent(values: Values): boolean {
  return values.get('active') === true || SENT.some((name) => values.has(name));
}
const SENT = ['url', 'kinds', 'operations', 'filter', 'member', 'headers'];

/** What the values of a draft say, with defaults in place of those that are not given. */
function settingsOf(values: Values, { fields }: KindDef): StoredSettings {
  const of = <T>(id: string): T => (values.get(id) ?? fields.get(id)?.def.default ?? null) as T;
  return {
    url: of('url'),
    kinds: of('kinds'),
    operations: of('operations'),
    filter: of('filter'),
    member: of('member'),
    headers: of('headers'),
    active: of('active'),
  };
}

function storedValues({ kinds, operations, headers, ...row }: HookRow): [string, Json][] {
  const { url, filter, member, active } = row;
  return Object.entries({
    ...{ url, filter, member, active },
    kinds: kinds && [...kinds],
    operations: [...operations],
    headers: headers as Headers,
  });
}

/** The kind of the member that is named. Adds a fault if there is none. */
async function memberKindOf(id: string | null, session: Session, faults: Faults): Promise<string | undefined> {
  if (id === null) return undefined;
  const { executor, project } = session;
  const statement = kindOfMemberStatement(project.schema, id);
  const [found] = isUuid(id) ? await executor.run<{ kind: string }>(statement) : [];
  if (!found) {
    const text = `member: no member of this project has the id '${shortened(id)}'`;
    faults.add('parameter.bad_reference', text, { parameter: 'member' });
  }
  return found?.kind;
}

/** Names of headers whose value is to be kept, and that have none. */
function keptHeaders(headers: unknown, stored: Readonly<Record<string, string>>): readonly string[] {
  if (!isPlainObject(headers)) return [];
  const known = new Set(Object.keys(stored).map((name) => name.toLowerCase()));
  return Object.entries(headers).flatMap(([name, value]) => {
    return value === null && !known.has(name.toLowerCase()) ? [name] : [];
  });
}

const NOT_STORED = 'has no stored value, which null would keep';

/** @param moved whether there may be one, for another receiver */
function missingValue(name: string, moved = false): Parameters<Faults['add']> {
  const why = moved ? 'needs its value again, because the url leads to another origin' : NOT_STORED;
  const text = `headers.${shortened(name)}: ${why}`;
  return ['parameter.bad_value', text, { parameter: 'headers' }];
}

function originOf(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** @throws KindError 403 */
function refuseScoped({ caller }: Session): void {
  checkAdministrator(caller, 'Only administrators write webhooks');
}

/** @throws KindError 409 */
async function refuseTooMany({ executor, project: { schema } }: Session): Promise<void> {
  await executor.run(lockMakingStatement(schema, WEBHOOK_KIND));
  const [row] = await executor.run<{ count: number }>(countMadeStatement(schema, WEBHOOK_KIND));
  const most = LIMITS.webhooksOfProject;
  if ((row?.count ?? 0) >= most) throw refusal('webhook.too_many', `A project has at most ${most} webhooks`);
}
