/** What applications do with what a sign-in by an identity provider leads to, and members before they link an account. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database, type Transaction } from '../../database/database.js';
import { type Answer, jsonAnswer } from '../../http/answer/answer.js';
import { FunctionError } from '../../kit/function-error.js';
import { IDENTITY_KIND } from '../../model/built-in-traits.js';
import { KindError } from '../../shared/errors.js';
import { sha256 } from '../../shared/sha256.js';
import type { OneTimeRow } from '../../sql/member/one-time.sql.js';
import type { Caller } from '../../tenancy/caller.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { type AuthRequest, requireSession } from '../auth-request.js';
import { NewSessions } from '../new-sessions.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { type Credential, findCredential, isUsableNow, unguessableOf } from '../credential.js';
import { FreshProof } from '../session/fresh-proof.js';
import { FIRST_STEP_MINUTES } from '../second-step/second-step-check.js';
import { signInFailed } from '../refusals.js';
import { Throttle } from '../throttle.js';
import type { ExchangeBody, LinkBody } from './exchange.dto.js';
import { type Exchanged, ProviderAccounts, type UseCode, type Visitor } from './provider-accounts.js';
import { ProviderStore } from './provider-store.js';

/** Of a code: one without the second step, and five with it. */
const TRIES = 6;
const TICKET_MINUTES = 5;

@Injectable()
export class ExchangeService {
  constructor(
    private readonly accounts: ProviderAccounts,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly fresh: FreshProof,
    private readonly providers: ProviderStore,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: NewSessions,
    private readonly throttle: Throttle,
  ) {}

  /** A ticket, with which the member's browser may be sent to a provider. @throws KindError 401, 403, 404 */
  ticket(scope: RequestScope, { provider }: LinkBody): Promise<Answer> {
    const { project } = scope;
    return this.fresh.run(scope, async ({ member_id: memberId }) => {
      await this.providers.active(project, provider);
      const { sessionId } = requireSession(scope.caller);
      const terms = { memberId, data: { provider, sessionId }, minutes: TICKET_MINUTES };
      return jsonAnswer({ ticket: await this.secrets.makeToken(project, 'link', terms) });
    });
  }

  /**
   * A session, after the identity was linked where that was asked for. What is refused ends the code, but for a wrong code of
   * the second step. @throws KindError 401, 409, 429, 503
   */
  exchange(
    scope: RequestScope,
    client: AuthRequest,
    { code, code_verifier: verifier, otp }: ExchangeBody,
  ): Promise<Answer> {
    const { project } = scope;
    return this.catalog.inProject(project, async () => {
      const owner = (await this.secrets.findToken(project, 'exchange', code))?.member_id;
      const attempt = { address: client.address, ...(owner && { account: unguessableOf({ member_id: owner }) }) };
      return this.throttle.guard(project, attempt, async () => {
        // As the application has made its `code_challenge` (RFC 7636, S256).
        const terms = { proof: sha256(verifier), minutes: FIRST_STEP_MINUTES, tries: TRIES };
        const row = await this.secrets.tryToken(project, 'exchange', code, terms);
        if (!row) throw signInFailed('provider');
        const useCode: UseCode = async (executor) =>
          (await this.secrets.useToken(project, 'exchange', code, executor)) !== undefined;
        const orEnd = async (error: unknown): Promise<never> => {
          if (isRefusal(error)) await useCode(this.database.ofProject(project));
          throw error;
        };
        const { member, finish } = await this.#visitor(scope, code, row).catch(orEnd);
        const use = async () => {
          const id = await finish(useCode).catch(orEnd);
          return id === undefined ? orEnd(signInFailed('provider')) : { kind: IDENTITY_KIND, id };
        };
        return this.sessions.session(project, client, member, { way: 'provider', otp, use });
      });
    });
  }

  async #visitor(
    scope: RequestScope,
    code: string,
    row: OneTimeRow,
  ): Promise<Pick<Visitor, 'finish'> & { readonly member: Credential }> {
    const { project } = scope;
    const { memberId, finish } = await this.#signedIn(scope, code, row);
    const member = await findCredential(this.database.ofProject(project), project, memberId);
    if (!member || !(await isUsableNow(this.catalog, project, member))) throw signInFailed('provider');
    return { member, finish };
  }

  /** What was asked for in a session is linked in that, and in no other. */
  async #signedIn(scope: RequestScope, code: string, { member_id: memberId, data }: OneTimeRow): Promise<Visitor> {
    const { project } = scope;
    const exchanged = data as unknown as Exchanged;
    const provider = await this.providers.active(project, exchanged.provider).catch(asFailed);
    if ('first' in exchanged) {
      const visitor = await this.accounts.signIn(scope, provider, exchanged.first).catch(asFailed);
      return { ...visitor, finish: (useCode) => visitor.finish(useCode).catch(asFailed) };
    }
    if (memberId === null) throw signInFailed('provider');
    if ('known' in exchanged) {
      const { identity, email } = exchanged.known;
      return this.accounts.visitor(project, memberId, identity, email);
    }
    const { sessionId, ...identity } = exchanged.link;
    if (!isSession(scope.caller, sessionId)) throw signInFailed('provider');
    // An account that was emptied meanwhile has no codes any more.
    const isAsked = async (tx: Transaction): Promise<boolean> =>
      (await this.secrets.findToken(project, 'exchange', code, tx)) !== undefined;
    return this.accounts.visitor(project, memberId, await this.accounts.link(scope, memberId, identity, isAsked));
  }
}

/** What was possible at the callback, and is not any more: the sign-in has to begin anew. */
function asFailed(error: unknown): never {
  throw isRefusal(error) ? signInFailed('provider') : error;
}

/** False where it can be tried again. */
function isRefusal(error: unknown): boolean {
  return error instanceof FunctionError || (error instanceof KindError && error.status < 500 && error.status !== 429);
}

function isSession(caller: Caller, sessionId: string): boolean {
  return caller.type === 'member' && !caller.key && caller.sessionId === sessionId;
}
