/**
 * What follows when somebody proves that the address of a member is theirs. Anybody can sign up with the address of
 * somebody else and wait for its owner: who proves it for the first time without the password of the account gets the
 * account without all that could open it before.
 */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../catalog/catalog.service.js';
import { Database, type Transaction } from '../database/database.js';
import { ADMIN_KIND, API_KEY_KIND, CREDENTIAL_KIND, IDENTITY_KIND, PASSKEY_KIND } from '../model/built-in-traits.js';
import { isMemberKind, type KindDef, type Model } from '../model/model.js';
import type { Json } from '../shared/json.js';
import { foldName } from '../shared/member-names.js';
import { setPasswordStatement } from '../sql/member/credential.sql.js';
import { deleteOwnedStatement } from '../sql/member/owned.sql.js';
import {
  emptyCredentialStatement,
  lockAccountStatement,
  setVerifiedStatement,
  showVerifiedStatement,
  trustAllStatement,
  type AccountRow,
} from '../sql/member/verified.sql.js';
import { AuditLog } from '../tenancy/audit-log.js';
import { SYSTEM, type Caller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { Behaviors } from '../unit/draft/behavior.js';
import { UnitStores } from '../unit/unit-stores.js';
import { KeyStore } from './keys/key-store.js';
import type { LongNotice } from './notices.js';
import { OneTimeSecrets } from './one-time-secrets.js';
import type { Credential } from './credential.js';
import { SessionStore } from './session/session-store.js';

/** How an address was proved without the password of its account. */
type ProvedBy = 'provider' | 'code' | 'reset';

/** What could open an account, by the words that a mail has for it. */
const OPENED_BY = {
  password: 'the password',
  sessions: 'all sessions',
  totp: 'the authenticator app with its recovery codes',
  passkeys: 'all passkeys',
  identities: 'all accounts of other services',
  api_keys: 'all API keys',
} as const;

export type Opener = keyof typeof OPENED_BY;

export interface Proof {
  readonly project: Project;
  readonly model: Model;
  readonly caller: Caller;
  readonly requestId?: RequestScope['requestId'];
}

type Account = Pick<Credential, 'member_kind' | 'member_id' | 'email'>;

@Injectable()
export class ProvedAddresses {
  constructor(
    private readonly audit: AuditLog,
    private readonly behaviors: Behaviors,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly keys: KeyStore,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: SessionStore,
    private readonly stores: UnitStores,
  ) {}

  /**
   * Marks the address as verified, for who has proved the password too, or who makes the account.
   * @returns whether it still is the member's
   */
  async mark(
    tx: Transaction,
    { project, model }: Pick<Proof, 'project' | 'model'>,
    account: Account,
  ): Promise<boolean> {
    const { member_kind: kindId, member_id: memberId, email } = account;
    const kind = kindOf(model, kindId);
    const set = await tx.run(setVerifiedStatement(project.schema, memberId, email));
    if (set.length === 0) return false;
    await tx.run(showVerifiedStatement(project.schema, kind, memberId, true));
    // Its sessions and keys may have been held until now.
    this.sessions.forgetAll(tx);
    this.keys.forget(project, tx);
    return true;
  }

  /**
   * Gives a member a new address, which it has proved. A username that is the former address becomes the new one.
   * @throws KindError 409 if another member has it
   */
  async change(tx: Transaction, proof: Proof, account: Credential, email: string): Promise<void> {
    const { project, model, caller, requestId } = proof;
    const { member_kind: kindId, member_id: id, username, email: former } = account;
    const kind = kindOf(model, kindId);
    const isName = foldName(username) === foldName(former);
    const values = new Map<string, Json>([['email', email], ...(isName ? [['username', email] as const] : [])]);
    const by = { caller: SYSTEM, originalCaller: caller };
    const session = { project, model, executor: tx, ...by, ...this.behaviors.deployment };
    await this.stores.of(kind).updates.update(session, kind, id, () => values);
    await this.mark(tx, proof, { ...account, email });
    const details = { kind: kindId, id };
    this.audit.record({ action: 'member.email_changed', project: project.id, caller, requestId, details }, tx);
  }

  /** Takes the addresses of all present members as verified, for operators. */
  async trustAll(project: Project): Promise<void> {
    await this.catalog.withCheckedModel({ project }, (model) =>
      this.database.transaction(async (tx) => {
        const members = [...model.kinds.values()].filter(isMemberKind);
        for (const table of [CREDENTIAL_KIND, ...members.map((kind) => kind.table)])
          await tx.run(trustAllStatement(project.schema, table));
      }),
    );
  }

  /**
   * For who has not proved the password. If the address was not verified before, the account is emptied and the address
   * is verified. An app and passkeys stay where a former address was: who sets another one does not get around them.
   * Administrators sign up nowhere, so nobody waits in their accounts, and they keep what they have. A reset
   * leaves accounts that are older than the verification of addresses as they are, and their address unverified.
   * @param password the hash of the one that the account has from now on
   * @returns what was removed, for `emptiedNotice`; undefined if the address is another by now
   */
  async withoutPassword(
    tx: Transaction,
    proof: Proof,
    account: Account,
    by: ProvedBy,
    password: string | null = null,
  ): Promise<readonly Opener[] | undefined> {
    const { member_kind: kind, member_id: id } = account;
    const { project, caller, requestId } = proof;
    // The lock comes first: who adds a key or a session at the same time has to wait, or this transaction finds it.
    const [row] = await tx.run<AccountRow>(lockAccountStatement(project.schema, id));
    if (!row || row.verified || (by === 'reset' && !row.recent)) return [];
    // Another one by now: nobody has proved that.
    if (!(await this.mark(tx, proof, account))) return undefined;
    const removed = kind === ADMIN_KIND ? [] : await this.#empty(tx, project, id, { ...row, password });
    const details = { kind, id, proved_by: by, removed };
    this.audit.record({ action: 'member.email_verified', project: project.id, caller, requestId, details }, tx);
    return removed;
  }

  /** Every way to sign in has to be removed here. @param password the hash of the new one, if there is one */
  async #empty(
    tx: Transaction,
    project: Project,
    memberId: string,
    {
      had_password: hadPassword,
      proved_before: keepsSecondStep,
      totp,
      password,
    }: AccountRow & { readonly password: string | null },
  ): Promise<readonly Opener[]> {
    const { schema } = project;
    const emptied = keepsSecondStep ? setPasswordStatement : emptyCredentialStatement;
    await tx.run(emptied(schema, memberId, password));
    await this.secrets.endOf(tx, project, memberId);
    // Before the sessions: one that a passkey begins at the same time is stored before this, and found, or not at all.
    const passkeys = keepsSecondStep ? [] : await tx.run(deleteOwnedStatement(schema, PASSKEY_KIND, memberId));
    const identities = await tx.run(deleteOwnedStatement(schema, IDENTITY_KIND, memberId));
    const sessions = await this.sessions.end(tx, project, { memberId });
    const keys = await tx.run(deleteOwnedStatement(schema, API_KEY_KIND, memberId));
    this.keys.forget(project, tx);
    const removed: Readonly<Record<Opener, boolean>> = {
      password: hadPassword && password === null,
      sessions: sessions > 0,
      totp: totp && !keepsSecondStep,
      passkeys: passkeys.length > 0,
      identities: identities.length > 0,
      api_keys: keys.length > 0,
    };
    return (Object.keys(OPENED_BY) as Opener[]).filter((opener) => removed[opener]);
  }
}

function kindOf(model: Model, id: string): KindDef {
  const kind = model.kinds.get(id);
  if (!kind) throw new Error(`no member kind '${id}'`);
  return kind;
}

/** What the member is told of it; undefined if nothing was removed. */
export function emptiedNotice(removed: readonly Opener[]): LongNotice | undefined {
  if (removed.length === 0) return undefined;
  const list = removed.map((opener) => OPENED_BY[opener]).join(', ');
  const text =
    'Your e-mail address was confirmed for the first time, without the password of the account. ' +
    `It may have been somebody else's until now, so what opened it was removed: ${list}. ` +
    'What was stored with it is still there.';
  return { sort: 'emptied', text };
}
