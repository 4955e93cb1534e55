/** What is special about members: their credentials, which stand in `kind_system_user`, come and go with them. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isMemberKind, type KindDef } from '../model/model.js';
import { ADMIN_KIND, CREDENTIAL_KIND } from '../model/special.js';
import { isEmailAddress } from '../shared/email.js';
import { Faults, KindError, refusal } from '../shared/errors.js';
import { scalarText, type Json } from '../shared/json.js';
import { countMembersStatement, deleteCredentialStatement } from '../sql/credential.sql.js';
import { lockProjectStatement } from '../sql/model.sql.js';
import { forgetMailedStatement } from '../sql/recovery.sql.js';
import { isAdministrator } from '../tenancy/caller.js';
import { Behaviors, withSystemValue, type Behavior, type PendingWrite } from '../unit/behavior.js';
import type { Draft } from '../unit/draft.js';
import { asSystem, type Session } from '../unit/session.js';
import { UnitRights } from '../unit/unit.rights.js';
import { UnitWriter } from '../unit/unit.writer.js';
import { foldName, isSeen } from './names.js';
import { Sessions } from './sessions.js';

@Injectable()
export class MemberBehavior implements Behavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly writer: UnitWriter,
    private readonly rights: UnitRights,
    private readonly sessions: Sessions,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return isMemberKind(kind);
  }

  async complete(draft: Draft, write: PendingWrite): Promise<Draft> {
    const { faults, id, kind } = write;
    const named = draft.values.has('username') || draft.values.has('email');
    if (id !== undefined) {
      if (named) await this.#rename(draft, write, id);
      return draft;
    }
    checkNames(draft, write);
    const field = kind.fields.get(CREDENTIAL_KIND);
    if (faults.any || !field) return draft;
    const credential = await this.#createCredential(draft, write);
    return withSystemValue(draft, field, credential);
  }

  /** Those of a member that is inserted after them, with the id that it has already. */
  async #createCredential(draft: Draft, { kind, session, index }: PendingWrite): Promise<string> {
    const credentials = session.model.kinds.get(CREDENTIAL_KIND);
    if (!credentials) throw new Error('the model has no credentials');
    const id = draft.row['id'] ?? null;
    const values = new Map([...credentialValues(draft), ['member_kind', kind.id], ['member_id', id]] as [
      string,
      Json,
    ][]);
    const [row] = await renamed(() => this.writer.insert(asSystem(session), credentials, [values]), index);
    return (JSON.parse(row?.body ?? '{}') as { id: string }).id;
  }

  /** A new name or address goes to the credentials too, by administrators only. */
  async #rename(draft: Draft, write: PendingWrite, id: string): Promise<void> {
    const { session, faults, kind } = write;
    const member = JSON.parse((await this.rights.present(asSystem(session), kind, id)).body) as Record<string, Json>;
    const isKept = (name: string) => (draft.values.get(name) ?? member[name]) === member[name];
    if (isKept('username') && isKept('email')) return;
    if (!isAdministrator(session.caller)) {
      throw refusal('access.denied', 'The username and the e-mail are changed by administrators');
    }
    const whole = { ...draft, values: new Map([...Object.entries(member), ...draft.values]) };
    checkNames(whole, write);
    const credentials = session.model.kinds.get(CREDENTIAL_KIND);
    if (faults.any || !credentials) return;
    await renamed(() =>
      this.writer.update(
        asSystem(session),
        credentials,
        scalarText(member[CREDENTIAL_KIND]),
        () => new Map(credentialValues(whole)),
      ),
    );
    // What was mailed to the former address is worth nothing any more.
    await session.executor.run(forgetMailedStatement(session.project.schema, id));
  }

  async beforeDelete(kind: KindDef, id: string, session: Session): Promise<void> {
    if (kind.id !== ADMIN_KIND) return;
    // Whether it is there is answered first.
    await this.rights.present(asSystem(session), kind, id);
    // One deletion of an administrator at a time, so that two of them never delete each other.
    await session.executor.run(lockProjectStatement(session.project.schema));
    const [row] = await session.executor.run<{ count: number }>(countMembersStatement(session.project.schema, kind));
    if ((row?.count ?? 0) <= 1) {
      throw refusal('unit.last_administrator', 'The last administrator of a project can not be deleted');
    }
  }

  async afterDelete(_: KindDef, id: string, session: Session): Promise<void> {
    await session.executor.run(deleteCredentialStatement(session.project.schema, id));
    await session.executor.run(forgetMailedStatement(session.project.schema, id));
    await this.sessions.end(session.executor, session.project, { memberId: id });
  }
}

function credentialValues({ values }: Draft): [string, Json][] {
  const username = scalarText(values.get('username'));
  const email = scalarText(values.get('email'));
  return [
    ['username', username],
    ['username_key', foldName(username)],
    ['email', email],
    ['email_key', foldName(email)],
  ];
}

function checkNames({ values }: Draft, { faults, index }: PendingWrite): void {
  const { username, email } = Object.fromEntries(values) as Record<string, Json>;
  if (typeof username !== 'string' || typeof email !== 'string') return;
  const at = (parameter: string) => (index === undefined ? { parameter } : { parameter, index });
  if (!isEmailAddress(email)) faults.add('parameter.bad_value', 'email: must be an e-mail address', at('email'));
  if (!isSeen(username)) {
    faults.add('parameter.bad_value', 'username: has characters that are not seen where it is shown', at('username'));
  }
  const name = foldName(username);
  if (name.includes('@') && name !== foldName(email)) {
    faults.add(
      'parameter.bad_value',
      "username: may not look like an e-mail address unless it is the member's own",
      at('username'),
    );
  }
}

/** Conflicts of the credentials' folded columns are told of the fields that a client knows. */
async function renamed<T>(work: () => Promise<T>, position?: number): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    const faults = new Faults();
    for (const { code, text, parameter, index = position } of error.messages) {
      const name = parameter?.replace(/_key$/, '');
      faults.add(code, text.replace(/^(username|email)_key/, '$1'), {
        ...(name !== undefined && { parameter: name }),
        ...(index !== undefined && { index }),
      });
    }
    faults.throwIfAny();
    throw error;
  }
}
