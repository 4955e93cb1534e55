/**
 * Writes of members: their credentials in `kind_system_user` are created, renamed and deleted with them. Their API keys,
 * passkeys and identities go with them too, and what was recorded of them is erased.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { contentionOn, trackContention } from '../database/transaction/contention.js';
import { getBuiltInKind, isMemberKind, type KindDef } from '../model/model.js';
import { ADMIN_KIND, CREDENTIAL_KIND, OWNED_KINDS } from '../model/built-in-traits.js';
import { EMAIL_VERIFIED_AT } from '../model/built-in/member-fields.js';
import { isMemberAddress, mailForm } from '../shared/email.js';
import { Faults, KindError, refusal, type Message } from '../shared/errors.js';
import { scalarText, type Json } from '../shared/json.js';
import { foldName, isVisibleName } from '../shared/member-names.js';
import { eraseStatements } from '../sql/changes/erase.sql.js';
import { deleteOwnedStatement } from '../sql/member/owned.sql.js';
import {
  countMembersStatement,
  deleteCredentialStatement,
  lockMembersStatement,
} from '../sql/member/credential.sql.js';
import { forgetVerifiedStatement, showVerifiedStatement } from '../sql/member/verified.sql.js';
import { lockProjectStatement } from '../sql/definition/model.sql.js';
import { isAdministrator } from '../tenancy/caller.js';
import { readableFields } from '../access/masks.js';
import { unconditional } from '../model/predicate/conditional-field.js';
import { Behaviors, type RegisteredBehavior, type PendingWrite } from '../unit/draft/behavior.js';
import { withSystemValue, type Body, type Draft } from '../unit/draft/draft.js';
import { originalCallerOf, asSystem, type Session } from '../catalog/session/session.js';
import { presentUnit } from '../unit/table/rights.js';
import { lockUnit } from '../unit/table/unit.repository.js';
import { UnitStores } from '../unit/unit-stores.js';
import { withAllTaken } from '../unit/table/write/violations.js';
import { rewordRefusal } from '../database/transaction/complete-refusal.js';
import { KeyStore } from './keys/key-store.js';
import { OneTimeSecrets } from './one-time-secrets.js';
import { SessionStore } from './session/session-store.js';
import { insertedId } from './new-members.js';
import { WayInWrites } from './way-in-writes.js';

@Injectable()
export class MemberBehavior implements RegisteredBehavior, OnModuleInit {
  /** Drafts whose names are stored in the credentials already. A hook that changes names creates another draft. */
  readonly #settled = new WeakSet<Draft>();

  constructor(
    private readonly behaviors: Behaviors,
    private readonly stores: UnitStores,
    private readonly sessions: SessionStore,
    private readonly keys: KeyStore,
    private readonly secrets: OneTimeSecrets,
    private readonly ways: WayInWrites,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return isMemberKind(kind);
  }

  prepare(given: Body, { faults, index }: PendingWrite): Body {
    const email = given.get('email');
    const body = typeof email === 'string' ? new Map([...given, ['email', mailForm(email)]]) : given;
    if (!body.has('password')) return body;
    const text =
      'password: is no parameter: members change it with POST /auth/change_password, or by mail (recover_password)';
    faults.add('parameter.unknown', text, { parameter: 'password', ...(index !== undefined && { index }) });
    return new Map([...body].filter(([name]) => name !== 'password'));
  }

  async complete(draft: Draft, write: PendingWrite): Promise<Draft> {
    if (write.id === undefined) return this.#completeNew(draft, write);
    if (!hasSignInName(draft)) return draft;
    const changed = await this.#changedNames(draft, write, write.id);
    if (changed.length === 0) this.#settled.add(draft);
    const shown = write.kind.fields.get(EMAIL_VERIFIED_AT);
    return shown && changed.includes('email') ? withSystemValue(draft, shown, null) : draft;
  }

  async #completeNew(draft: Draft, write: PendingWrite): Promise<Draft> {
    checkSignInNames(draft.values, write);
    const field = write.kind.fields.get(CREDENTIAL_KIND);
    if (write.faults.any || !field) return draft;
    if (write.kind.id === ADMIN_KIND && (await this.ways.beginForOther(write.session)))
      await this.ways.tellAdministrators(write.session, 'administrator_made');
    const completed = withSystemValue(draft, field, await this.#createCredential(draft, write));
    this.#settled.add(completed);
    return completed;
  }

  /** Creates the credentials first, with the id that the member will have. */
  async #createCredential(draft: Draft, { kind, session, index }: PendingWrite): Promise<string> {
    const credentials = credentialKindOf(session);
    const id = draft.row['id'] ?? null;
    const values = new Map([...credentialValues(draft.values), ['member_kind', kind.id], ['member_id', id]] as [
      string,
      Json,
    ][]);
    try {
      const rows = await withClientNames(
        () => this.stores.of(credentials).creates.create(asSystem(session), credentials, [values]),
        index,
      );
      return insertedId(rows);
    } catch (error) {
      // The member is not inserted after this, so its own unique values are checked with a query.
      if (!(error instanceof KindError) || error.code !== 'parameter.not_unique') throw error;
      const readable = unconditional(readableFields(kind, originalCallerOf(session), session.model));
      const drafts = [{ draft, ...(index !== undefined && { index }) }];
      throw await withAllTaken(session, kind, drafts, error, { readable });
    }
  }

  /** The names that an edit changes; locks the member until the transaction ends. Only administrators may change names. */
  async #changedNames(draft: Draft, write: PendingWrite, id: string): Promise<readonly string[]> {
    const { session, kind } = write;
    const { project, model } = session;
    const target = { schema: project.schema, kind, version: model.version, id, access: undefined, tags: undefined };
    await lockUnit(session, target, false);
    const member = await this.#stored(session, kind, id);
    const isOther = (name: string) => (draft.values.get(name) ?? member.get(name)) !== member.get(name);
    const changed = SIGN_IN_NAMES.filter(isOther);
    const [parameter] = changed;
    if (parameter === undefined) return changed;
    if (!isAdministrator(session.caller)) {
      throw refusal(
        'access.denied',
        'The username and the e-mail are changed by administrators; members change their e-mail with POST /auth/email',
        { parameter },
      );
    }
    checkSignInNames(new Map([...member, ...draft.values]), write);
    // Whoever has the new address may set a password by mail.
    if (changed.includes('email') && (await this.ways.beginForOther(session, id)))
      await this.ways.tell(session, id, 'address_set');
    return changed;
  }

  /**
   * Copies changed names, also those that hooks have set, to the credentials. The member is locked, so they cannot
   * change before the commit.
   */
  async afterWrite(kind: KindDef, id: string, draft: Draft, session: Session): Promise<void> {
    if (!hasSignInName(draft) || this.#settled.has(draft)) return;
    const credentials = credentialKindOf(session);
    const member = await this.#stored(session, kind, id);
    const credential = scalarText(member.get(CREDENTIAL_KIND));
    const known = await this.#stored(session, credentials, credential);
    if (SIGN_IN_NAMES.every((name) => known.get(name) === member.get(name))) return;
    const faults = new Faults();
    checkSignInNames(member, { faults });
    faults.throwIfAny();
    const values = new Map(credentialValues(member));
    await withClientNames(() =>
      this.stores.of(credentials).updates.update(asSystem(session), credentials, credential, () => values),
    );
    // Codes and recovery tokens that were mailed to the former address become invalid.
    await this.secrets.endOf(session.executor, session.project, id);
    if (known.get('email') !== member.get('email')) await this.#forgetVerified(kind, id, session);
  }

  /** Nobody has proved the new address, so that the member may be held back. */
  async #forgetVerified(kind: KindDef, id: string, { executor, project }: Session): Promise<void> {
    await executor.run(forgetVerifiedStatement(project.schema, id));
    await executor.run(showVerifiedStatement(project.schema, kind, id, false));
    this.sessions.forgetAll(executor);
    this.keys.forget(project, executor);
  }

  async #stored(session: Session, kind: KindDef, id: string): Promise<Map<string, Json>> {
    const { body } = await presentUnit(asSystem(session), kind, id);
    return new Map(Object.entries(JSON.parse(body) as Record<string, Json>));
  }

  async beforeDelete(kind: KindDef, id: string, session: Session): Promise<void> {
    if (kind.id !== ADMIN_KIND) return;
    // A missing member is 404, before the other checks.
    await presentUnit(asSystem(session), kind, id);
    if ((await this.#countMembers(session, kind)) > 1) return;
    throw refusal('unit.last_administrator', 'The last administrator of a project cannot be deleted');
  }

  /** Counts the members and locks them, so that two administrators cannot delete each other at the same time. */
  async #countMembers({ executor, project: { schema } }: Session, kind: KindDef): Promise<number> {
    if (executor.tx?.isolation === 'repeatable read') {
      // Waits for another deletion; the transaction is then repeated, and counts one member less.
      const target = () => contentionOn({ schema, kind });
      return (await trackContention(target, () => executor.run(lockMembersStatement(schema, kind)))).length;
    }
    await executor.run(lockProjectStatement(schema));
    const [row] = await executor.run<{ count: number }>(countMembersStatement(schema, kind));
    return row?.count ?? 0;
  }

  async afterDelete(kind: KindDef, id: string, session: Session): Promise<void> {
    const { schema } = session.project;
    for (const statement of eraseStatements({ schema, kind, id })) await session.executor.run(statement);
    await session.executor.run(deleteCredentialStatement(session.project.schema, id));
    await this.secrets.endOf(session.executor, session.project, id);
    await this.sessions.end(session.executor, session.project, { memberId: id });
    for (const owned of OWNED_KINDS)
      await session.executor.run(deleteOwnedStatement(session.project.schema, owned, id));
    this.keys.forget(session.project, session.executor);
  }
}

const SIGN_IN_NAMES = ['username', 'email'];

function hasSignInName({ values }: Draft): boolean {
  return SIGN_IN_NAMES.some((name) => values.has(name));
}

function credentialKindOf({ model }: Session): KindDef {
  return getBuiltInKind(model, CREDENTIAL_KIND);
}

function credentialValues(values: ReadonlyMap<string, Json>): [string, Json][] {
  const username = scalarText(values.get('username'));
  const email = scalarText(values.get('email'));
  return [
    ['username', username],
    ['username_key', foldName(username)],
    ['email', email],
    ['email_key', foldName(email)],
  ];
}

function checkSignInNames(
  values: ReadonlyMap<string, Json>,
  { faults, index }: Pick<PendingWrite, 'faults' | 'index'>,
): void {
  const { username, email } = Object.fromEntries(values) as Record<string, Json>;
  if (typeof username !== 'string' || typeof email !== 'string') return;
  const location = (parameter: string) => (index === undefined ? { parameter } : { parameter, index });
  if (!isMemberAddress(email)) faults.add('parameter.bad_value', 'email: must be an e-mail address', location('email'));
  if (!isVisibleName(username)) {
    faults.add(
      'parameter.bad_value',
      'username: has characters that are not seen where it is shown',
      location('username'),
    );
  }
  const name = foldName(username);
  if (name.includes('@') && name !== foldName(email)) {
    faults.add(
      'parameter.bad_value',
      "username: may not look like an e-mail address unless it is the member's own",
      location('username'),
    );
  }
}

/** Reports conflicts of the folded columns under the names of the fields that clients know. */
async function withClientNames<T>(work: () => Promise<T>, position?: number): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KindError ? rewordRefusal(error, (refused) => renameFolded(refused, position)) : error;
  }
}

function renameFolded(refused: KindError, position: number | undefined): KindError {
  const [first, ...rest] = refused.messages.map(({ code, text, parameter, index = position }): Message => {
    const name = parameter?.replace(/_key$/, '');
    return {
      code,
      text: text.replace(/^(username|email)_key/, '$1'),
      ...(name !== undefined && { parameter: name }),
      ...(index !== undefined && { index }),
    };
  });
  return first ? refused.withMessages([first, ...rest]) : refused;
}
