/** Puts one password in place of another: what was good by the old one ends with it. */
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database/database.js';
import { refusal } from '../../shared/errors.js';
import { foldName } from '../../shared/member-names.js';
import { findCredentialStatement, setPasswordStatement } from '../../sql/credential.sql.js';
import { deleteCodesAndRecoveriesStatement } from '../../sql/recovery.sql.js';
import type { Project } from '../../tenancy/project.js';
import type { Credential } from './credential.js';
import { checkPassword, hashPassword } from './password.js';
import { SessionStore } from '../session/session-store.js';

export interface Replacement {
  readonly memberId: string;
  readonly hash: string;
  /** The hash that has to be there still, where one was checked. */
  readonly expectedHash?: string;
  /** The one session that goes on. */
  readonly keptSessionId?: string;
}

@Injectable()
export class PasswordStore {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * Runs what replaces passwords. At READ COMMITTED: a sign-in by the old password is waited for, and the session that it
   * made meanwhile has to be seen, to be ended.
   */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(work, { isolation: 'read committed' });
  }

  /** Sets a password; sessions, codes and tokens of the member end. Answers whether there was anything to replace. */
  async replace(
    tx: Transaction,
    project: Project,
    { memberId, hash, expectedHash: before, keptSessionId: but }: Replacement,
  ): Promise<boolean> {
    const set = await tx.run(setPasswordStatement(project.schema, memberId, hash, before));
    if (set.length === 0) return false;
    await tx.run(deleteCodesAndRecoveriesStatement(project.schema, memberId));
    await this.sessions.end(tx, project, { memberId, ...(but !== undefined && { but }) });
    return true;
  }

  /** For whoever runs the service: gives the member of a name or an address a password. @throws KindError 400, 404 */
  async setByName(project: Project, name: string, password: string): Promise<Credential> {
    const [found] = await this.database.run<Credential>(findCredentialStatement(project.schema, foldName(name)));
    if (!found) throw refusal('unit.unknown', `No member '${name}' in project '${project.id}'`);
    checkPassword({ ...found, password });
    const hash = await hashPassword(password, project.id);
    await this.inTransaction((tx) => this.replace(tx, project, { memberId: found.member_id, hash }));
    return found;
  }
}
