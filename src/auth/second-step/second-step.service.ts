/** Members set up and remove their second step. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { usedBy } from '../../catalog/session/executors.js';
import { Database, type Transaction } from '../../database/database.js';
import { type Answer, jsonAnswer, NULL_ANSWER } from '../../http/answer/answer.js';
import { refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/texts.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import { SYSTEM } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { type AuthRequest, requireAdministrator, requireSession } from '../auth-request.js';
import { Notices } from '../notices.js';
import { lockOwner } from '../owned-units.js';
import { administratorsOf, type Credential, credentialOf, findCredential, memberNamed } from '../credential.js';
import { PasskeyStore } from '../passkey/passkey-store.js';
import { FreshProof } from '../session/fresh-proof.js';
import { SessionStore } from '../session/session-store.js';
import { Totp } from './totp.js';

@Injectable()
export class SecondStepService {
  constructor(
    private readonly audit: AuditLog,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly fresh: FreshProof,
    private readonly notices: Notices,
    private readonly passkeys: PasskeyStore,
    private readonly sessions: SessionStore,
    private readonly totp: Totp,
  ) {}

  /** What the member has set up. */
  async state({ project, caller }: RequestScope): Promise<Answer> {
    const { id } = requireSession(caller);
    const member = await this.catalog.inProject(project, () =>
      credentialOf(this.database.ofProject(project), project, id),
    );
    const passkeys = await this.passkeys.countOf(project, id);
    return jsonAnswer({
      password: member.password_hash !== null,
      totp: member.totp_confirmed,
      passkeys,
      recovery_codes: member.recovery_codes,
    });
  }

  /** @throws KindError 403, 409 */
  begin(scope: RequestScope): Promise<Answer> {
    return this.fresh.run(scope, async (member) => jsonAnswer({ ...(await this.totp.begin(scope.project, member)) }));
  }

  /** The step is asked for from now on, and all other sessions end. @throws KindError 400, 403, 409, 429 */
  confirm(scope: RequestScope, client: AuthRequest, code: string): Promise<Answer> {
    const { project, caller } = scope;
    return this.fresh.run(scope, (member) =>
      this.notices.about(project, client, [member], 'totp_on', async () => {
        const { id: memberId, sessionId: but } = requireSession(caller);
        const first = await this.totp.firstCode(project, member, code);
        const codes = await this.#record(scope, member, 'member.totp_on', async (tx) => {
          const made = await this.totp.confirm(tx, project, first);
          await this.sessions.end(tx, project, { memberId, but });
          await this.sessions.recordSecondStep(tx, project, but);
          return made;
        });
        return jsonAnswer({ recovery_codes: codes });
      }),
    );
  }

  /** @throws KindError 403, 409 */
  renewCodes(scope: RequestScope, client: AuthRequest): Promise<Answer> {
    const { project } = scope;
    return this.fresh.run(scope, (member) =>
      this.notices.about(project, client, [member], 'recovery_codes', async () => {
        const codes = await this.#record(scope, member, 'member.recovery_codes', (tx) =>
          this.totp.renewRecoveryCodes(tx, project, member.member_id),
        );
        return jsonAnswer({ recovery_codes: codes });
      }),
    );
  }

  /** @throws KindError 403, 409 */
  remove(scope: RequestScope, client: AuthRequest): Promise<Answer> {
    return this.fresh.run(scope, (member) => this.#removeOf(scope, client, member, []));
  }

  /** Of a member that has lost it. It is told, and all administrators are. @throws KindError 401, 403, 404, 409 */
  async removeOf(scope: RequestScope, client: AuthRequest, kindId: string, memberId: string): Promise<Answer> {
    const { project } = scope;
    requireAdministrator(scope.caller);
    return this.fresh.run(scope, async () => {
      const member = await findCredential(this.database.ofProject(project), project, memberId);
      if (member?.member_kind !== kindId) throw refusal('unit.unknown', `No '${shortened(kindId)}' has that id`);
      return this.#removeLost(scope, client, member);
    });
  }

  /** Of the member with a name or address, for operators; the same are told. @throws KindError 404, 409 */
  async removeByName(project: Project, name: string): Promise<Credential> {
    const member = await memberNamed(this.database.ofProject(project), project, name);
    const scope = { project, caller: SYSTEM };
    const now: Pick<AuthRequest, 'afterAnswer'> = { afterAnswer: (work) => work() };
    await this.#removeLost(scope, now, member);
    return member;
  }

  async #removeLost(
    scope: RequestScope,
    client: Pick<AuthRequest, 'afterAnswer'>,
    member: Credential,
  ): Promise<Answer> {
    const { project } = scope;
    const administrators = await administratorsOf(this.database.ofProject(project), project);
    const others = administrators.filter(({ id }) => id !== member.id);
    return this.#removeOf(scope, client, member, others);
  }

  async #removeOf(
    scope: RequestScope,
    client: Pick<AuthRequest, 'afterAnswer'>,
    member: Credential,
    others: readonly Credential[],
  ): Promise<Answer> {
    const { project } = scope;
    await this.notices.about(project, client, [member], 'totp_off', () =>
      this.notices.about(project, client, others, 'totp_taken', () =>
        this.#record(scope, member, 'member.totp_off', (tx) => this.totp.remove(tx, project, member.member_id)),
      ),
    );
    return NULL_ANSWER;
  }

  /** Runs `work` in a transaction, with a line of the audit log. @throws KindError 403 */
  #record<T>(
    scope: RequestScope,
    { member_kind: kind, member_id: id }: Credential,
    action: 'member.totp_on' | 'member.totp_off' | 'member.recovery_codes',
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { project, caller, requestId } = scope;
    return this.database.transaction(async (tx) => {
      if (caller.type === 'member') {
        // Once more: the session may have ended meanwhile, or a passkey was added, which would be asked for.
        await lockOwner(tx, project.schema, caller.id);
        await this.fresh.require(scope, tx);
      }
      const result = await work(tx);
      // Who has no second step any more may be held back from now on.
      if (action === 'member.totp_off') this.sessions.forgetAll(tx);
      this.audit.record({ action, project: project.id, caller, requestId, details: { kind, id } }, tx);
      return result;
    }, usedBy(scope));
  }
}
