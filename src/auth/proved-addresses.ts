/**
 * What follows when somebody proves that the address of a member is theirs. Anybody can sign up with the address of
 * somebody else and wait for its owner: who proves it for the first time without the password of the account gets the
 * account without all that could open it before.
 */
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/database.js';
import { ADMIN_KIND, API_KEY_KIND, PASSKEY_KIND } from '../model/built-in-traits.js';
import type { Model } from '../model/model.js';
import { deleteOwnedStatement } from '../sql/member/owned.sql.js';
import {
  emptyCredentialStatement,
  lockAccountStatement,
  setVerifiedStatement,
  showVerifiedStatement,
  type AccountRow,
} from '../sql/member/verified.sql.js';
import { AuditLog } from '../tenancy/audit-log.js';
import type { Caller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { KeyStore } from './keys/key-store.js';
import { OneTimeSecrets } from './one-time-secrets.js';
import type { Credential } from './password/credential.js';
import { SessionStore } from './session/session-store.js';

/** How an address was proved without the password of its account. */
type ProvedBy = 'provider' | 'code' | 'reset';

/** What could open an account, by the words that a mail has for it. */
const OPENED_BY = {
  password: 'the password',
  sessions: 'all sessions',
  totp: 'the authenticator app with its recovery codes',
  passkeys: 'all passkeys',
  api_keys: 'all API keys',
} as const;

export type Opener = keyof typeof OPENED_BY;

export interface Proof {
  readonly project: Project;
  readonly model: Model;
  readonly caller: Caller;
  readonly requestId?: RequestScope['requestId'];
}

type Account = Pick<Credential, 'member_kind' | 'member_id'>;

@Injectable()
export class ProvedAddresses {
  constructor(
    private readonly audit: AuditLog,
    private readonly keys: KeyStore,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: SessionStore,
  ) {}

  /** Marks the address as verified, for who has proved the password too, or who makes the account. */
  async mark(tx: Transaction, { project, model }: Pick<Proof, 'project' | 'model'>, account: Account): Promise<void> {
    const { member_kind: kindId, member_id: memberId } = account;
    const kind = model.kinds.get(kindId);
    if (!kind) throw new Error(`no member kind '${kindId}'`);
    await tx.run(setVerifiedStatement(project.schema, memberId, true));
    await tx.run(showVerifiedStatement(project.schema, kind, memberId, true));
  }

  /**
   * For who has not proved the password. If the address was not verified before, the account is emptied and the address
   * is verified. Administrators sign up nowhere, so nobody waits in their accounts, and they keep what they have. A reset
   * leaves accounts that are older than the verification of addresses as they are, and their address unverified.
   * @param password the hash of the one that the account has from now on @returns what was removed, for `emptiedNotice`
   */
  async withoutPassword(
    tx: Transaction,
    proof: Proof,
    account: Account,
    by: ProvedBy,
    password: string | null = null,
  ): Promise<readonly Opener[]> {
    const { member_kind: kind, member_id: id } = account;
    const { project, caller, requestId } = proof;
    // The lock comes first: who adds a key or a session at the same time has to wait, or this transaction finds it.
    const [row] = await tx.run<AccountRow>(lockAccountStatement(project.schema, id));
    if (!row || row.verified || (by === 'reset' && !row.recent)) return [];
    const removed = kind === ADMIN_KIND ? [] : await this.#empty(tx, project, id, { ...row, password });
    await this.mark(tx, proof, account);
    const details = { kind, id, by, removed };
    this.audit.record({ action: 'member.email_verified', project: project.id, caller, requestId, details }, tx);
    return removed;
  }

  /** Every way to sign in has to be removed here. @param password the hash of the new one, if there is one */
  async #empty(
    tx: Transaction,
    project: Project,
    memberId: string,
    { had_password: hadPassword, totp, password }: AccountRow & { readonly password: string | null },
  ): Promise<readonly Opener[]> {
    const { schema } = project;
    await tx.run(emptyCredentialStatement(schema, memberId, password));
    await this.secrets.endOf(tx, project, memberId);
    // Before the sessions: one that a passkey begins at the same time is stored before this, and found, or not at all.
    const passkeys = await tx.run(deleteOwnedStatement(schema, PASSKEY_KIND, memberId));
    const sessions = await this.sessions.end(tx, project, { memberId });
    const keys = await tx.run(deleteOwnedStatement(schema, API_KEY_KIND, memberId));
    this.keys.forget(project, tx);
    const removed: Readonly<Record<Opener, boolean>> = {
      password: hadPassword && password === null,
      sessions: sessions > 0,
      totp,
      passkeys: passkeys.length > 0,
      api_keys: keys.length > 0,
    };
    return (Object.keys(OPENED_BY) as Opener[]).filter((opener) => removed[opener]);
  }
}

/** What the member is told of it; undefined if nothing was removed. */
export function emptiedNotice(removed: readonly Opener[]): string | undefined {
  if (removed.length === 0) return undefined;
  const list = removed.map((opener) => OPENED_BY[opener]).join(', ');
  return (
    'Your e-mail address was confirmed for the first time, without the password of the account. ' +
    `Somebody else may have made the account, so what opened it was removed: ${list}. ` +
    'What was stored with it is still there.'
  );
}
