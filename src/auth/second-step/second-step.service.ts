/** Members set up and remove their second step, and prove once more who they are. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { usedBy } from '../../catalog/session/executors.js';
import { Database, type Transaction } from '../../database/database.js';
import { type Answer, jsonAnswer, NULL_ANSWER } from '../../http/answer/answer.js';
import { refusal } from '../../shared/errors.js';
import { isUuid } from '../../shared/identifiers.js';
import { shortened } from '../../shared/texts.js';
import { findAdministratorsStatement, findMemberCredentialStatement } from '../../sql/member/credential.sql.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import { SYSTEM } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { type AuthRequest, requireSession } from '../auth-request.js';
import { requireAdministrator } from '../members.service.js';
import { Notices } from '../notices.js';
import { accountOf, type Credential } from '../password/credential.js';
import { verifyPassword } from '../password/password-hash.js';
import { memberNamed } from '../password/password-store.js';
import { FreshProof } from '../session/fresh-proof.js';
import { SessionStore } from '../session/session-store.js';
import { Throttle } from '../throttle.js';
import type { ConfirmBody } from './second-step.dto.js';
import { Totp, wrongProof } from './totp.js';

/** Administrators that are told of it when they remove a second step. */
const MOST_TOLD = 20;

@Injectable()
export class SecondStepService {
  constructor(
    private readonly audit: AuditLog,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly fresh: FreshProof,
    private readonly notices: Notices,
    private readonly sessions: SessionStore,
    private readonly throttle: Throttle,
    private readonly totp: Totp,
  ) {}

  /** What the member has set up. */
  async state({ project, caller }: RequestScope): Promise<Answer> {
    const { id } = requireSession(caller);
    const member = await this.catalog.inProject(project, () => this.#credentialOf(project, id));
    return jsonAnswer({ totp: member.totp_confirmed, recovery_codes: member.recovery_codes });
  }

  /** @throws KindError 403, 409 */
  begin(scope: RequestScope): Promise<Answer> {
    return this.#asMember(scope, async (member) => jsonAnswer({ ...(await this.totp.begin(scope.project, member)) }));
  }

  /** The step is asked for from now on, and all other sessions end. @throws KindError 400, 403, 409, 429 */
  confirm(scope: RequestScope, client: AuthRequest, code: string): Promise<Answer> {
    const { project, caller } = scope;
    return this.#asMember(scope, (member) =>
      this.notices.about(project, client, [member], 'totp_on', async () => {
        const { id: memberId, sessionId: but } = requireSession(caller);
        const codes = await this.#record(scope, member, 'member.totp_on', async (tx) => {
          const made = await this.totp.confirm(tx, project, member, code);
          await this.sessions.end(tx, project, { memberId, but });
          return made;
        });
        this.sessions.forget(but);
        return jsonAnswer({ recovery_codes: codes });
      }),
    );
  }

  /** @throws KindError 403, 409 */
  renewCodes(scope: RequestScope, client: AuthRequest): Promise<Answer> {
    const { project } = scope;
    return this.#asMember(scope, (member) =>
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
    return this.#asMember(scope, (member) => this.#removeOf(scope, client, member, [member]));
  }

  /** Of a member that has lost it. It is told, and all administrators are. @throws KindError 401, 403, 404, 409 */
  async removeOf(scope: RequestScope, client: AuthRequest, kindId: string, memberId: string): Promise<Answer> {
    const { project } = scope;
    requireAdministrator(scope.caller);
    return this.catalog.inProject(project, async () => {
      await this.fresh.require(scope);
      const member = isUuid(memberId) ? await this.#find(project, memberId) : undefined;
      if (member?.member_kind !== kindId) throw refusal('unit.unknown', `No '${shortened(kindId)}' has that id`);
      const statement = findAdministratorsStatement(project.schema, MOST_TOLD);
      const administrators = await this.database.ofProject(project).run<Credential>(statement);
      const others = administrators.filter(({ id }) => id !== member.id);
      return this.#removeOf(scope, client, member, [member, ...others]);
    });
  }

  /** Of the member with a name or address, for operators. @throws KindError 404, 409 */
  async removeByName(project: Project, name: string): Promise<Credential> {
    const member = await memberNamed(this.database, project, name);
    const scope = { project, caller: SYSTEM };
    const now: Pick<AuthRequest, 'afterAnswer'> = { afterAnswer: (work) => work() };
    await this.#removeOf(scope, now, member, [member]);
    return member;
  }

  /** A fresh proof: of the app where one is set up, else of the password. @throws KindError 400, 401, 429 */
  async prove({ project, caller }: RequestScope, { address }: AuthRequest, given: ConfirmBody): Promise<Answer> {
    const { id, sessionId } = requireSession(caller);
    return this.catalog.inProject(project, async () => {
      const member = await this.#credentialOf(project, id);
      await this.throttle.guard(project, { address, account: accountOf(member) }, async () => {
        if (member.totp_confirmed) {
          if (given.otp === null) throw wrongWay('otp', 'a code of your authenticator app, or a recovery code');
          await this.totp.use(project, member, given.otp);
        } else {
          if (given.password === null) throw wrongWay('password', 'your password');
          if (!(await verifyPassword(member.password_hash, given.password, project.id))) throw wrongProof();
        }
      });
      await this.fresh.renew(project, sessionId);
      return NULL_ANSWER;
    });
  }

  async #removeOf(
    scope: RequestScope,
    client: Pick<AuthRequest, 'afterAnswer'>,
    member: Credential,
    told: readonly Credential[],
  ): Promise<Answer> {
    await this.notices.about(scope.project, client, told, 'totp_off', () =>
      this.#record(scope, member, 'member.totp_off', (tx) => this.totp.remove(tx, scope.project, member.member_id)),
    );
    return NULL_ANSWER;
  }

  /** Runs `work` for the member of a request that has proved itself a moment ago. */
  #asMember(scope: RequestScope, work: (member: Credential) => Promise<Answer>): Promise<Answer> {
    const { project } = scope;
    return this.catalog.inProject(project, async () => {
      const { id } = await this.fresh.require(scope);
      return work(await this.#credentialOf(project, id));
    });
  }

  async #credentialOf(project: Project, memberId: string): Promise<Credential> {
    const found = await this.#find(project, memberId);
    if (!found) throw refusal('token.invalid', 'The member of this token is deleted');
    return found;
  }

  async #find(project: Project, memberId: string): Promise<Credential | undefined> {
    const statement = findMemberCredentialStatement(project.schema, memberId);
    return (await this.database.ofProject(project).run<Credential>(statement))[0];
  }

  /** Runs `work` in a transaction, with a line of the audit log. */
  #record<T>(
    scope: RequestScope,
    { member_kind: kind, member_id: id }: Credential,
    action: 'member.totp_on' | 'member.totp_off' | 'member.recovery_codes',
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { project, caller, requestId } = scope;
    return this.database.transaction(async (tx) => {
      const result = await work(tx);
      this.audit.record({ action, project: project.id, caller, requestId, details: { kind, id } }, tx);
      return result;
    }, usedBy(scope));
  }
}

function wrongWay(parameter: string, what: string) {
  return refusal('parameter.required', `${parameter}: give ${what}`, { parameter });
}
