/** Whether a member has proved who it is a moment ago, which what changes its ways to sign in asks for. */
import { Inject, Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { type Config, CONFIG } from '../../config/config.js';
import { Database, type Executor, type Transaction } from '../../database/database.js';
import { refusal } from '../../shared/errors.js';
import { findProofStatement, renewProofStatement } from '../../sql/member/session.sql.js';
import type { MemberCaller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { RecentProof } from '../../tenancy/recent-proof.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { requireSession } from '../auth-request.js';
import { type Credential, credentialOf } from '../credential.js';
import { SessionStore } from './session-store.js';

/** With which a member has proved who it is: an app or a passkey, or its password. */
export type ProvedBy = 'second step' | 'password';

interface ProofRow {
  readonly recent: boolean;
  readonly whole: boolean;
}

@Injectable()
export class FreshProof implements RecentProof {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly sessions: SessionStore,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws KindError 401, 403 for an API key, and where the proof is too old */
  async require(
    { project, caller }: Pick<RequestScope, 'project' | 'caller'>,
    executor: Executor = this.database.ofProject(project),
  ): Promise<MemberCaller> {
    const member = requireSession(caller);
    const proof = await this.#find(executor, project, member.sessionId);
    if (proof?.recent && proof.whole) return member;
    throw refusal('session.stale', 'Prove who you are once more before this: POST /auth/confirm, or sign in again');
  }

  /**
   * Whether what was asked for in a session still counts: it has not ended, nor been left behind by a second step that was
   * set up since; exact where its member is locked.
   */
  async stillCounts(tx: Transaction, project: Project, sessionId: string): Promise<boolean> {
    return (await this.#find(tx, project, sessionId))?.whole ?? false;
  }

  /** Whether a session has not ended; exact where its member is locked (`lockOwner`). */
  isStored(tx: Transaction, project: Project, sessionId: string): Promise<boolean> {
    return this.sessions.isStored(tx, project, sessionId);
  }

  async #find(executor: Executor, { schema, settings }: Project, sessionId: string): Promise<ProofRow | undefined> {
    const statement = findProofStatement(schema, sessionId, this.config.stepUpTtl / 1000, settings);
    return (await executor.run<ProofRow>(statement))[0];
  }

  /** Runs `work` for the member of a request, which has proved itself. @throws KindError 401, 403 */
  run<T>(scope: RequestScope, work: (member: Credential) => Promise<T>): Promise<T> {
    const { project } = scope;
    return this.catalog.inProject(project, async () => {
      const { id } = await this.require(scope);
      return work(await credentialOf(this.database.ofProject(project), project, id));
    });
  }

  async renew(project: Project, sessionId: string, by: ProvedBy): Promise<void> {
    const executor = this.database.ofProject(project);
    await executor.run(renewProofStatement(project.schema, sessionId));
    if (by === 'second step') await this.sessions.recordSecondStep(executor, project, sessionId);
  }
}
