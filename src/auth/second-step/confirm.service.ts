/** Members prove once more who they are. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { type Answer, NULL_ANSWER } from '../../http/answer/answer.js';
import { refusal } from '../../shared/errors.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { type AuthRequest, requireSession } from '../auth-request.js';
import type { PasskeyAnswerBody } from '../passkey/passkey.dto.js';
import { PasskeyStore } from '../passkey/passkey-store.js';
import { accountOf, type Credential, credentialOf, unguessableOf } from '../credential.js';
import { verifyPassword } from '../password/password-hash.js';
import { FreshProof, type ProvedBy } from '../session/fresh-proof.js';
import { wrongProof } from '../refusals.js';
import { Throttle } from '../throttle.js';
import type { ConfirmBody } from './second-step.dto.js';
import { Totp } from './totp.js';

@Injectable()
export class ConfirmService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly fresh: FreshProof,
    private readonly passkeys: PasskeyStore,
    private readonly throttle: Throttle,
    private readonly totp: Totp,
  ) {}

  /** A fresh proof: of the app or a passkey where one is set up, else of the password. @throws KindError 400, 401, 429 */
  async prove(scope: RequestScope, client: AuthRequest, given: ConfirmBody): Promise<Answer> {
    const { project, caller } = scope;
    const { id, sessionId } = requireSession(caller);
    return this.catalog.inProject(project, async () => {
      const member = await credentialOf(this.database.ofProject(project), project, id);
      const account = given.response === null ? accountOf(member) : unguessableOf(member);
      const attempt = { address: client.address, account };
      const by = await this.throttle.guard(project, attempt, () => this.#prove(scope, client, member, given));
      await this.fresh.renew(project, sessionId, by);
      return NULL_ANSWER;
    });
  }

  async #prove(
    scope: RequestScope,
    client: AuthRequest,
    member: Credential,
    { password, otp, challenge_id, response }: ConfirmBody,
  ): Promise<ProvedBy> {
    const { project } = scope;
    if (challenge_id === null && response !== null)
      throw wrongWay('challenge_id', 'that of the options, with the response');
    if (challenge_id !== null && response === null)
      throw wrongWay('response', 'what the passkey answers, with the challenge_id');
    if (challenge_id !== null && response !== null) {
      await this.#proveByPasskey(scope, client, member, { challenge_id, response });
      return 'second step';
    }
    if (member.totp_confirmed) {
      if (otp === null) throw wrongWay('otp', 'a code of your authenticator app, or a recovery code');
      await this.totp.use(project, member, otp);
      return 'second step';
    }
    if ((await this.passkeys.countOf(project, member.member_id)) > 0)
      throw wrongWay('response', 'what your passkey answers, with its challenge_id');
    if (member.password_hash === null) {
      const text = 'password: you have none, and no app or passkey either; sign in again, which is a proof too';
      throw refusal('proof.wrong', text, { parameter: 'password' });
    }
    if (password === null) throw wrongWay('password', 'your password');
    if (!(await verifyPassword(member.password_hash, password, project.id))) throw wrongProof();
    return 'password';
  }

  async #proveByPasskey(
    scope: RequestScope,
    client: AuthRequest,
    { member_id: id }: Credential,
    answer: PasskeyAnswerBody,
  ): Promise<void> {
    const found = await this.passkeys.find(scope.project, answer.response);
    const own = found?.member_id === id ? found : undefined;
    if (!(await this.passkeys.use(scope, client, answer, own))) throw wrongProof();
  }
}

function wrongWay(parameter: string, what: string) {
  return refusal('parameter.required', `${parameter}: give ${what}`, { parameter });
}
