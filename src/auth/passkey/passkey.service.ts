/** Members enrol passkeys, and sign in with them. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { usedBy } from '../../catalog/session/executors.js';
import { Database } from '../../database/database.js';
import { Answer, jsonAnswer } from '../../http/answer/answer.js';
import { PASSKEY_KIND } from '../../model/built-in-traits.js';
import { getBuiltInKind, type Model } from '../../model/model.js';
import { KindError } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { SYSTEM } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { UnitStores } from '../../unit/unit-stores.js';
import type { AuthRequest } from '../auth-request.js';
import { NewSessions } from '../new-sessions.js';
import { lockOwner, refuseTooMany } from '../owned-units.js';
import { unguessableOf } from '../credential.js';
import { FreshProof } from '../session/fresh-proof.js';
import { signInFailed, wrongProof } from '../refusals.js';
import { Throttle } from '../throttle.js';
import type { PasskeyAnswerBody, PasskeyMadeBody } from './passkey.dto.js';
import type { NewPasskey } from './passkey-response.js';
import { PasskeyStore } from './passkey-store.js';

@Injectable()
export class PasskeyService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly fresh: FreshProof,
    private readonly passkeys: PasskeyStore,
    private readonly sessions: NewSessions,
    private readonly stores: UnitStores,
    private readonly throttle: Throttle,
  ) {}

  /** @throws KindError 400, 403, 409 */
  options(scope: RequestScope): Promise<Answer> {
    const { project } = scope;
    return this.fresh.run(scope, async (member) => {
      await refuseTooMany(this.database.ofProject(project), project.schema, PASSKEY_KIND, member.member_id);
      return jsonAnswer(await this.passkeys.creation(project, member));
    });
  }

  /** Answers the unit of the new passkey. @throws KindError 400, 403, 409, 503 */
  enrol(scope: RequestScope, { label, ...answer }: PasskeyMadeBody): Promise<Answer> {
    const { project } = scope;
    return this.fresh.run(scope, async (member) => {
      const made = await this.passkeys.made(project, member.member_id, answer);
      const body = valuesOf(made, { member: member.member_id, label: label ?? '' });
      return this.catalog.withModel({ project }, (model) => this.#store(scope, model, member.member_id, body));
    });
  }

  /** @throws KindError 400, 429 */
  signInOptions(project: Project, { address }: AuthRequest): Promise<Answer> {
    return this.catalog.inProject(project, async () => {
      await this.throttle.countChallenge(project, address);
      return jsonAnswer(await this.passkeys.request(project));
    });
  }

  /** @throws KindError 400, 401, 429, 503 */
  signIn(scope: RequestScope, client: AuthRequest, answer: PasskeyAnswerBody): Promise<Answer> {
    const { project } = scope;
    return this.catalog.inProject(project, async () => {
      const found = await this.passkeys.find(project, answer.response);
      const attempt = { address: client.address, ...(found && { account: unguessableOf(found) }) };
      return this.throttle.guard(project, attempt, async () => {
        const used = await this.passkeys.use(scope, client, answer, found);
        if (!used) throw signInFailed('passkey');
        const unit = { kind: PASSKEY_KIND, id: used.passkeyId };
        return this.sessions.session(project, client, used.member, { way: 'passkey', otp: null, unit });
      });
    });
  }

  async #store(scope: RequestScope, model: Model, memberId: string, body: ReadonlyMap<string, Json>): Promise<Answer> {
    const { project, caller, requestId } = scope;
    const kind = getBuiltInKind(model, PASSKEY_KIND);
    const [row] = await this.database
      .transaction(async (executor) => {
        await lockOwner(executor, project.schema, memberId);
        // Once more: an account that was emptied meanwhile has ended its sessions.
        await this.fresh.require(scope, executor);
        await refuseTooMany(executor, project.schema, PASSKEY_KIND, memberId);
        const session = { project, caller: SYSTEM, originalCaller: caller, model, executor };
        return this.stores.of(kind).creates.create({ ...session, ...(requestId && { requestId }) }, kind, [body]);
      }, usedBy(scope))
      .catch(asWrong);
    return new Answer(row?.body ?? 'null');
  }
}

/** The passkey as a unit. */
function valuesOf(
  { credentialId, publicKey, counter, backedUp, transports, domain }: NewPasskey,
  more: Readonly<Record<string, Json>>,
): ReadonlyMap<string, Json> {
  const said = { credential_id: credentialId, public_key: publicKey, counter, backed_up: backedUp, domain };
  return new Map<string, Json>(Object.entries({ ...more, ...said, transports: [...transports] }));
}

/** The id of a passkey has so many random bits that another with the same is made to be confused with it. */
function asWrong(error: unknown): never {
  throw error instanceof KindError && error.code === 'parameter.not_unique' ? wrongProof() : error;
}
