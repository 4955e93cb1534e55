/** Writes of API keys: whose they are, what their scope may name, and the secret, of which only the hash is stored. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { accessDenied } from '../../access/level.js';
import { namesModelAndKinds, scopeFaults } from '../../access/key-scope.js';
import type { Session } from '../../catalog/session/session.js';
import { API_KEY_KIND } from '../../model/built-in-traits.js';
import { SECRET_HASH } from '../../model/built-in/member-fields.js';
import type { KindDef } from '../../model/model.js';
import { refusal, type Faults } from '../../shared/errors.js';
import { isUuid } from '../../shared/identifiers.js';
import { type Json, scalarText } from '../../shared/json.js';
import { newSecret } from '../../shared/key-secret.js';
import { sha256 } from '../../shared/sha256.js';
import { shortened } from '../../shared/texts.js';
import { agentWithoutScopeStatement, scopeOfOthersStatement } from '../../sql/member/api-key.sql.js';
import { ownerStatement } from '../../sql/member/owned.sql.js';
import { isAdministrator } from '../../tenancy/caller.js';
import { Behaviors, type PendingWrite, type RegisteredBehavior, type WrittenBy } from '../../unit/draft/behavior.js';
import { type Body, type Draft, withSystemValue } from '../../unit/draft/draft.js';
import { lockOwner, refuseTooMany } from '../owned-units.js';
import { WayInWrites } from '../way-in-writes.js';
import { hintOf, KeyStore } from './key-store.js';

@Injectable()
export class ApiKeyBehavior implements RegisteredBehavior, OnModuleInit {
  readonly #secrets = new WeakMap<Draft, string>();

  constructor(
    private readonly behaviors: Behaviors,
    private readonly changes: WayInWrites,
    private readonly keys: KeyStore,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ id, builtIn }: KindDef): boolean {
    return builtIn && id === API_KEY_KIND;
  }

  /** What lets a key do more asks for a fresh proof: who has a session alone would keep the way in for later. */
  async prepare(body: Body, { id, session }: PendingWrite): Promise<Body> {
    if (id === undefined || givesRights(body)) await this.changes.begin(session);
    return body;
  }

  async complete(given: Draft, write: PendingWrite): Promise<Draft> {
    checkScope(given, write);
    const draft = write.id === undefined ? withOwner(given, write) : given;
    checkMember(draft, write);
    if (write.id !== undefined) return draft;
    checkExpiry(draft, write);
    if (write.faults.any) return draft;
    const { executor, project } = write.session;
    const memberId = scalarText(draft.values.get('member'));
    if (!(await lockOwner(executor, project.schema, memberId))) {
      addUnknownMember(memberId, write.faults);
      return draft;
    }
    await refuseTooMany(executor, project.schema, API_KEY_KIND, memberId);
    return this.#withSecret(draft, write);
  }

  #withSecret(draft: Draft, { kind, session }: PendingWrite): Draft {
    const secret = newSecret(session.project.id);
    const hinted = withSystemText(draft, kind, 'hint', hintOf(secret));
    const completed = withSystemText(hinted, kind, SECRET_HASH, sha256(secret));
    this.#secrets.set(completed, secret);
    return completed;
  }

  /** The only answer with the secret. That of a dry run has none, because its key does not exist. */
  addToAnswer(body: string, draft: Draft, { traits }: KindDef, { dry }: Session): string {
    const secret = dry ? null : (this.#secrets.get(draft) ?? null);
    return `${body.slice(0, -1)},${JSON.stringify(traits.secret)}:${JSON.stringify(secret)}}`;
  }

  async afterWrite(_kind: KindDef, id: string, { values }: Draft, session: Session, written: WrittenBy): Promise<void> {
    const { project, executor } = session;
    this.keys.forget(project, executor);
    await refuseWithoutScope(session, id);
    await refuseModelAndKinds(session, id);
    if (written === 'edit' && !givesRights(values)) return;
    const [row] = await executor.run<{ member: string }>(ownerStatement(project.schema, API_KEY_KIND, id));
    if (row) await this.changes.tell(session, row.member, written === 'edit' ? 'key_changed' : 'key_made');
  }

  async afterDelete(_kind: KindDef, _id: string, { project, executor }: Session): Promise<void> {
    this.keys.forget(project, executor);
  }
}

/** An agent that may do all that an administrator may is led astray by one text. @throws KindError 400 */
async function refuseWithoutScope({ executor, project: { schema } }: Session, id: string): Promise<void> {
  const [found] = await executor.run(agentWithoutScopeStatement(schema, id));
  if (!found) return;
  const text = "scope: an agent's key of an administrator must have one, which says what the agent may do";
  throw refusal('key.no_scope', text, { parameter: 'scope' });
}

/** Of others than agents a key for the model opens nothing else. @throws KindError 400 */
async function refuseModelAndKinds({ executor, model, project: { schema } }: Session, id: string): Promise<void> {
  const [found] = await executor.run<{ scope: string }>(scopeOfOthersStatement(schema, id));
  if (!found || !namesModelAndKinds(JSON.parse(found.scope) as Json, model)) return;
  const text = "scope: a key for 'model', which is all of the model, is for nothing else, but with agent: true";
  throw refusal('parameter.bad_value', text, { parameter: 'scope' });
}

/** Whether a body says what a key may do, or until when. */
function givesRights(body: Pick<Body, 'has'>): boolean {
  return ['scope', 'expires_at', 'agent', 'writes'].some((name) => body.has(name));
}

function withSystemText(draft: Draft, { fields }: KindDef, id: string, text: string): Draft {
  const field = fields.get(id);
  if (!field) throw new Error(`API keys have no field '${id}'`);
  return withSystemValue(draft, field, text);
}

/** The key of a body without `member` is the caller's own. @throws KindError 403 for another's, but to administrators */
function withOwner(draft: Draft, { kind, session: { caller }, faults }: PendingWrite): Draft {
  const given = draft.values.get('member');
  if (given === undefined) {
    if (caller.type === 'member') return withSystemText(draft, kind, 'member', caller.id);
    faults.add('parameter.required', 'member: must be given', { parameter: 'member' });
    return draft;
  }
  const id = scalarText(given);
  const own = caller.type === 'member' && id.toLowerCase() === caller.id;
  if (!own && !isAdministrator(caller)) throw accessDenied(caller, 'Only administrators make API keys for others');
  return isUuid(id) ? withSystemText(draft, kind, 'member', id.toLowerCase()) : draft;
}

function checkScope({ values }: Draft, { session: { model }, faults }: PendingWrite): void {
  for (const text of scopeFaults(values.get('scope') ?? null, model)) {
    faults.add('parameter.bad_value', text, { parameter: 'scope' });
  }
}

function checkMember({ values }: Draft, { faults }: PendingWrite): void {
  const id = values.get('member');
  if (typeof id === 'string' && !isUuid(id)) addUnknownMember(id, faults);
}

function addUnknownMember(id: string, faults: Faults): void {
  const text = `member: no member of this project has the id '${shortened(id)}'`;
  faults.add('parameter.bad_reference', text, { parameter: 'member' });
}

function checkExpiry({ values }: Draft, { faults }: PendingWrite): void {
  const time = values.get('expires_at') ?? null;
  if (typeof time !== 'string' || Date.parse(time) > Date.now()) return;
  faults.add('parameter.bad_value', 'expires_at: is in the past', { parameter: 'expires_at' });
}
