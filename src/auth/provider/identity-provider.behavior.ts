/** Writes of identity providers: whether their settings are possible, and the secret, which is kept encrypted. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { refuseIfLocked } from '../../catalog/definition/locked-model.js';
import type { Session } from '../../catalog/session/session.js';
import { type Config, CONFIG } from '../../config/config.js';
import { IDENTITY_PROVIDER_KIND } from '../../model/built-in-traits.js';
import { CLIENT_SECRET } from '../../model/built-in/identity-fields.js';
import type { KindDef } from '../../model/model.js';
import { OwnPlaces } from '../../outgoing/own-places.js';
import { refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { SecretBox } from '../../shared/secret-box.js';
import { countMadeStatement, lockMakingStatement } from '../../sql/lock.sql.js';
import { deleteIdentitiesStatement, type IdentityProvider, providerStatement } from '../../sql/member/identity.sql.js';
import { Behaviors, type PendingWrite, type RegisteredBehavior, type WrittenBy } from '../../unit/draft/behavior.js';
import { type Body, type Draft, keyOf, withSystemValue } from '../../unit/draft/draft.js';
import { withLabel } from '../../unit/definitions.js';
import { WayInWrites } from '../way-in-writes.js';
import { checkProvider, isVisible, type ProviderSettings, VISIBLE } from './provider-settings.js';
import { sealClientSecret } from './provider-store.js';

type Values = ReadonlyMap<string, Json>;

@Injectable()
export class IdentityProviderBehavior implements RegisteredBehavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly box: SecretBox,
    private readonly changes: WayInWrites,
    private readonly places: OwnPlaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ id, builtIn }: KindDef): boolean {
    return builtIn && id === IDENTITY_PROVIDER_KIND;
  }

  async prepare(body: Body, { id, session }: PendingWrite): Promise<Body> {
    refuseIfLocked(session.project, session.change);
    await this.changes.begin(session);
    return id === undefined ? withLabel(body) : body;
  }

  /** From here on, the secret is encrypted. An edit is judged with what is stored, once its row is locked. */
  async complete(given: Draft, write: PendingWrite): Promise<Draft> {
    const { id, kind, session, faults } = write;
    if (id === undefined) this.#check(given.values, {}, write);
    const draft = this.#sealed(given, write);
    if (id === undefined && !faults.any) await refuseTooMany(session, keyOf(draft, kind));
    return draft;
  }

  async beforeUpdate(draft: Draft, write: PendingWrite): Promise<Draft> {
    const { session, faults, id = '' } = write;
    const { values } = draft;
    const [stored] = await session.executor.run<IdentityProvider>(providerStatement(session.project.schema, id));
    if (!stored || !changesSignIn(values)) return draft;
    this.#check(values, { ...stored }, write);
    const moved = values.has('issuer') && values.get('issuer') !== stored.issuer;
    if (moved && stored.client_secret !== null && !values.has(CLIENT_SECRET)) {
      const text = `${CLIENT_SECRET}: must be given again, or removed (null), because the issuer is another one`;
      faults.add('parameter.required', text, { parameter: CLIENT_SECRET });
    }
    return draft;
  }

  async afterWrite(_kind: KindDef, _id: string, _draft: Draft, session: Session, written: WrittenBy): Promise<void> {
    await this.changes.tellCaller(session, written === 'create' ? 'provider_made' : 'provider_changed');
  }

  /** @throws KindError 403 */
  async beforeDelete(_kind: KindDef, _id: string, session: Session): Promise<void> {
    refuseIfLocked(session.project, session.change);
    await this.changes.begin(session);
    await this.changes.tellCaller(session, 'provider_removed');
  }

  async afterDelete(_kind: KindDef, id: string, { executor, project }: Session): Promise<void> {
    await executor.run(deleteIdentitiesStatement(project.schema, id));
  }

  /** @param stored what is there already */
  #check(values: Values, stored: Readonly<Record<string, unknown>>, { kind, session, faults }: PendingWrite): void {
    const rules = this.places.literalRules(this.config.identityProviders);
    checkProvider(settingsOf(values, stored, kind), session.model, rules, faults);
  }

  #sealed(draft: Draft, { id, kind, session, faults }: PendingWrite): Draft {
    const secret = draft.values.get(CLIENT_SECRET);
    const field = kind.fields.get(CLIENT_SECRET);
    if (typeof secret !== 'string' || !field) return draft;
    if (!isVisible(secret)) {
      faults.add('parameter.bad_value', `${CLIENT_SECRET}: ${VISIBLE}`, { parameter: CLIENT_SECRET });
    }
    const sealed = sealClientSecret(this.box, session.project, id ?? keyOf(draft, kind), secret);
    return withSystemValue(draft, field, sealed);
  }
}

/** Whether an edit may change who signs in. Others are taken also where the settings are no longer possible. */
function changesSignIn(values: Values): boolean {
  return values.get('active') === true || [...values.keys()].some((name) => !ASIDE.includes(name));
}
const ASIDE = ['label', 'metadata', 'active'];

function settingsOf(values: Values, stored: Readonly<Record<string, unknown>>, { fields }: KindDef): ProviderSettings {
  const of = <T>(id: string): T =>
    (values.has(id) ? values.get(id) : (stored[id] ?? fields.get(id)?.def.default ?? null)) as T;
  return {
    issuer: of('issuer'),
    client_id: of('client_id'),
    scopes: of('scopes'),
    member_kind: of('member_kind'),
    signup: of('signup'),
    trust_email: of('trust_email'),
    claims: of('claims'),
  };
}

/** One that is there already is told otherwise. @throws KindError 409 */
async function refuseTooMany({ executor, project: { schema } }: Session, id: string): Promise<void> {
  await executor.run(lockMakingStatement(schema, IDENTITY_PROVIDER_KIND));
  const [same] = await executor.run(providerStatement(schema, id));
  const [row] = await executor.run<{ count: number }>(countMadeStatement(schema, IDENTITY_PROVIDER_KIND));
  const most = LIMITS.providersOfProject;
  if (same || (row?.count ?? 0) < most) return;
  throw refusal('provider.too_many', `A project has at most ${most} identity providers`);
}
