/** Replaces passwords, and ends everything that the former password allowed. */
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database/database.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { setPasswordStatement } from '../../sql/member/credential.sql.js';
import type { Project } from '../../tenancy/project.js';
import { type Credential, memberNamed } from '../credential.js';
import { checkPassword, hashPassword, hashQueue } from './password-hash.js';
import { type Opener, type Proof, ProvedAddresses } from '../proved-addresses.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { invalidToken } from '../../http/request/bearer.js';
import { SessionStore } from '../session/session-store.js';

export interface Replacement {
  readonly memberId: string;
  readonly hash: string;
  /** The hash that must still be stored, if the former password was verified. */
  readonly expectedHash?: string;
  /** The token of a recovery, which this uses. */
  readonly token?: string;
  /** The only session that does not end. */
  readonly keptSessionId?: string;
}

@Injectable()
export class PasswordStore {
  constructor(
    private readonly addresses: ProvedAddresses,
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: SessionStore,
    metricSources: MetricSources,
  ) {
    metricSources.addQueue('password hashes', hashQueue);
  }

  /**
   * Runs `work` in a transaction that may replace passwords. It uses READ COMMITTED: if it has to wait for a concurrent
   * sign-in with the old password, it must see the session that this has created, to end it.
   */
  inTransaction<T>(project: Project, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(work, { project, isolation: 'read committed' });
  }

  /**
   * Sets a password and ends the member's sessions, codes and tokens. False if nothing matched.
   * @throws KindError 401 if the session that is kept has ended
   */
  async replace(
    tx: Transaction,
    project: Project,
    { memberId, hash, expectedHash, token, keptSessionId }: Replacement,
  ): Promise<boolean> {
    const set = await tx.run(setPasswordStatement(project.schema, memberId, hash, expectedHash));
    if (set.length === 0) return false;
    // The member is locked by now, so that this is exact.
    if (keptSessionId !== undefined && !(await this.sessions.isStored(tx, project, keptSessionId)))
      throw invalidToken();
    if (token !== undefined && !(await this.secrets.useToken(project, 'recovery', token, tx))) return false;
    await this.secrets.endOf(tx, project, memberId);
    await this.sessions.end(tx, project, { memberId, ...(keptSessionId !== undefined && { but: keptSessionId }) });
    return true;
  }

  /**
   * Sets a password by the token of a mail, which proves the address.
   * @returns what this has removed of the account; undefined if the token was used meanwhile
   */
  async reset(
    tx: Transaction,
    proof: Proof,
    member: Credential,
    replacement: Replacement,
  ): Promise<readonly Opener[] | undefined> {
    if (!(await this.replace(tx, proof.project, replacement))) return undefined;
    return this.addresses.withoutPassword(tx, proof, member, 'reset', replacement.hash);
  }

  /** Sets the password of the member with a name or address, for operators. @throws KindError 400, 404 */
  async setByName(
    project: Project,
    name: string,
    password: string,
    onSet: (tx: Transaction, credential: Credential) => void,
  ): Promise<Credential> {
    const found = await memberNamed(this.database.ofProject(project), project, name);
    checkPassword({ ...found, password });
    const hash = await hashPassword(password, project.id);
    await this.inTransaction(project, async (tx) => {
      await this.replace(tx, project, { memberId: found.member_id, hash });
      onSet(tx, found);
    });
    return found;
  }
}
