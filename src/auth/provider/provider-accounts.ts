/**
 * Which member an identity signs in. Its key is the issuer and the subject alone; an address decides once, when the
 * identity is new, and only one that the provider has verified.
 */
import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { usedBy } from '../../catalog/session/executors.js';
import { Database, type Executor, type Transaction } from '../../database/database.js';
import type { TransactionOptions } from '../../database/database-options.js';
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import type { Model } from '../../model/model.js';
import { isPlainAddress, isSameMailbox } from '../../shared/email.js';
import { KindError, refusal } from '../../shared/errors.js';
import { isVisibleName } from '../../shared/member-names.js';
import type { IdentityProvider } from '../../sql/member/identity.sql.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { requireSession } from '../auth-request.js';
import { NewMembers } from '../new-members.js';
import { lockOwner } from '../owned-units.js';
import { type Credential, credentialOf, findCredential, findCredentialByEmail, isUsable } from '../credential.js';
import { ProvedAddresses } from '../proved-addresses.js';
import { SessionStore } from '../session/session-store.js';
import { signInFailed } from '../refusals.js';
import { IdentityStore, linkedElsewhere, type NewIdentity } from './identity-store.js';
import type { ProvedIdentity } from './openid/openid.js';

/** Uses the code of the application; false if another request has used it. */
export type UseCode = (executor: Executor) => Promise<boolean>;

/** Whom a provider signs in. */
export interface Visitor {
  readonly memberId: string;
  /**
   * Once no proof is missing: uses the code, and links the identity unless that was done. Its id; undefined if the code is
   * used, or others have changed meanwhile what was decided by.
   */
  readonly finish: (useCode: UseCode) => Promise<string | undefined>;
}

interface FirstVisitor extends Visitor {
  readonly isNewMember: boolean;
}

/** In which session it was asked that an identity is linked. */
export type AskedLink = {
  readonly memberId: string;
  readonly sessionId: string;
};

interface KnownIdentity {
  /** Its id. */
  readonly identity: string;
  /** As the provider says it now. */
  readonly email: string | null;
}

/** What a code of the application is exchanged by. */
export type Exchanged = { readonly provider: string } & (
  | { readonly known: KnownIdentity }
  /** To be linked in a session. */
  | { readonly link: NewIdentity & { readonly sessionId: string } }
  /** Comes for the first time: its claims are there where it would be a new member. */
  | { readonly first: ProvedIdentity }
);

/** What is kept until an application exchanges its code. */
interface Kept {
  /** Undefined for an identity that comes for the first time. */
  readonly memberId?: string;
  readonly data: Exchanged;
}

/** Of two that come for the first time at once, the later one finds what the other has made. */
const ATTEMPTS = 5;
const MADE_NAME_LENGTH = 60;

interface Visit {
  readonly scope: Pick<RequestScope, 'project' | 'caller' | 'requestId'>;
  readonly model: Model;
  readonly provider: IdentityProvider;
  readonly proved: ProvedIdentity;
  readonly attempt: number;
  /** Set if all of it is undone at its end. */
  readonly dry?: true | undefined;
}

@Injectable()
export class ProviderAccounts {
  constructor(
    private readonly addresses: ProvedAddresses,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly identities: IdentityStore,
    private readonly newMembers: NewMembers,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * What is kept until the application has shown that it has asked for the sign-in: until then whoever has sent the
   * browser on its way may be somebody else, so nothing is made, linked or emptied. An identity that comes for the first
   * time is tried, and that is undone.
   * @throws KindError as `signIn`, and 409 if another member has what is to be linked
   */
  async keep(
    scope: Pick<RequestScope, 'project' | 'requestId'>,
    provider: IdentityProvider,
    proved: ProvedIdentity,
    asked: AskedLink | null,
  ): Promise<Kept> {
    const known = await this.identities.find(scope.project, proved);
    const identity = newIdentity(provider, proved);
    if (asked) {
      const { memberId, sessionId } = asked;
      if (known && known.member_id !== memberId) throw linkedElsewhere();
      return { memberId, data: { provider: provider.id, link: { ...identity, sessionId } } };
    }
    if (known) {
      const { id, member_id: memberId } = known;
      return { memberId, data: { provider: provider.id, known: { identity: id, email: identity.email } } };
    }
    const { isNewMember, finish } = await this.signIn(scope, provider, proved, true);
    await finish(() => Promise.resolve(true));
    const claims = isNewMember ? filledBy(provider, proved) : {};
    return { data: { provider: provider.id, first: { ...proved, claims } } };
  }

  /**
   * The member of an identity: that which it is linked to, or will be by its address, or a new one.
   * @param dry set if all of it is undone at its end
   * @throws KindError `provider.email_unverified`, `provider.claims_missing`, `identity.not_linked`, `access.denied`, 503
   */
  async signIn(
    { project, requestId }: Pick<RequestScope, 'project' | 'requestId'>,
    provider: IdentityProvider,
    proved: ProvedIdentity,
    dry?: true,
  ): Promise<FirstVisitor> {
    const scope = { project, caller: ANONYMOUS, ...(requestId && { requestId }) };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const visitor = await this.catalog.withCheckedModel({ project }, (model) =>
        this.#signIn({ scope, model, provider, proved, attempt, dry }),
      );
      if (visitor) return visitor;
    }
    throw refusal('access.denied', 'Who signs in has values that other members have already');
  }

  /** Of an identity that is linked. @param email what the provider says it is now */
  visitor(project: Project, memberId: string, identity: string, email?: string | null): Visitor {
    const finish = async (useCode: UseCode): Promise<string | undefined> => {
      if (!(await useCode(this.database.ofProject(project)))) return undefined;
      if (email !== undefined) await this.identities.recordUse(project, identity, email);
      return identity;
    };
    return { memberId, finish };
  }

  /** Undefined if others have changed meanwhile what was decided by. */
  async #signIn(visit: Visit): Promise<FirstVisitor | undefined> {
    const { scope, model, provider, proved } = visit;
    const { project } = scope;
    const known = await this.identities.find(project, proved);
    if (known) return { ...this.visitor(project, known.member_id, known.id), isNewMember: false };
    const email = verifiedEmail(provider, proved);
    const found = await findCredentialByEmail(this.database.ofProject(project), project, email);
    if (!found) return this.#signUp(visit, email);
    // Written in another form of Unicode, it may be another mailbox.
    if (found.member_kind === ADMIN_KIND || provider.link === 'never' || !isSameMailbox(found.email, email))
      throw notLinked();
    if (!isUsable(found, model)) throw refusal('access.denied', 'The kind of the member is inactive');
    const { member_id: memberId } = found;
    const finish = (useCode: UseCode) => this.#link(visit, email, found, useCode);
    if (hasOwnSecondStep(found)) return { memberId, finish, isNewMember: false };
    // What somebody else may have set up is nobody's second step: the account is emptied before one is asked for.
    const identity = await finish(() => Promise.resolve(true));
    return identity === undefined ? undefined : { ...this.visitor(project, memberId, identity), isNewMember: false };
  }

  /** By an address that both sides have verified, or the provider alone: then the account is emptied first. */
  #link(
    { scope, model, provider, proved, dry }: Visit,
    email: string,
    found: Credential,
    useCode: UseCode,
  ): Promise<string | undefined> {
    const { project } = scope;
    return this.database
      .transaction(
        async (tx) => {
          await lockOwner(tx, project.schema, found.member_id);
          const member = await findCredentialByEmail(tx, project, email);
          if (member?.member_id !== found.member_id || hasOwnSecondStep(member) !== hasOwnSecondStep(found))
            return undefined;
          if (!(await useCode(tx))) return undefined;
          const removed = await this.addresses.withoutPassword(tx, { ...scope, model }, member, 'provider');
          if (!removed) return undefined;
          const identity = await this.identities.insert(tx, scope, member, newIdentity(provider, proved), removed);
          if (identity === undefined) throw new IdentityTaken();
          return identity;
        },
        optionsOf(scope, dry),
      )
      .catch(orTaken);
  }

  #signUp({ scope, model, provider, proved, attempt, dry }: Visit, email: string): Promise<FirstVisitor | undefined> {
    const { project } = scope;
    if (!provider.signup) throw refusal('access.denied', 'Nobody has the address, and the provider makes no members');
    const member = { kindId: provider.member_kind, body: newMember(provider, proved, email, attempt), dry };
    const made = this.newMembers.create(project, model, member, async (tx, memberId) => {
      const credential = await findCredential(tx, project, memberId);
      if (!credential) throw new Error('a new member has credentials');
      await this.addresses.mark(tx, { project, model }, credential);
      const identity = await this.identities.insert(tx, scope, credential, newIdentity(provider, proved));
      if (identity === undefined) throw new IdentityTaken();
      return { ...this.visitor(project, memberId, identity), isNewMember: true };
    });
    return made.catch(orMissing).catch(orTaken);
  }

  /**
   * Links an identity to the member that has asked for it in this session.
   * @param isAsked whether it still is, once nobody else can change the account @returns its id
   * @throws KindError 401, 404, 409, 503
   */
  async link(
    scope: Pick<RequestScope, 'project' | 'caller' | 'requestId'>,
    memberId: string,
    identity: NewIdentity,
    isAsked: (tx: Transaction) => Promise<boolean>,
  ): Promise<string> {
    const { project } = scope;
    const { sessionId } = requireSession(scope.caller);
    const id = await this.database.transaction(async (tx) => {
      await lockOwner(tx, project.schema, memberId);
      if (!(await isAsked(tx)) || !(await this.sessions.isStored(tx, project, sessionId)))
        throw signInFailed('provider');
      const member = await credentialOf(tx, project, memberId);
      return this.identities.insert(tx, scope, member, identity);
    }, usedBy(scope));
    if (id !== undefined) return id;
    const known = await this.identities.find(project, identity);
    if (known?.member_id === memberId) return known.id;
    throw linkedElsewhere();
  }
}

/** Another request has linked the identity. */
class IdentityTaken extends Error {}

/** Whether an app or passkeys of the account are of who has its address: not where nobody has proved one. */
function hasOwnSecondStep({ email_verified, proved_before }: Credential): boolean {
  return email_verified || proved_before;
}

function orTaken(error: unknown): undefined {
  if (error instanceof IdentityTaken) return undefined;
  if (error instanceof KindError && error.code === 'parameter.not_unique') return undefined;
  throw error;
}

function orMissing(error: unknown): never {
  if (!(error instanceof KindError) || error.status !== 400) throw error;
  const texts = error.messages.map(({ text }) => text).join('; ');
  throw refusal('provider.claims_missing', `What the provider says does not make a member: ${texts}`);
}

/** @throws KindError `provider.email_unverified` */
function verifiedEmail(
  { trust_email: trustEmail }: IdentityProvider,
  { email, emailVerified }: ProvedIdentity,
): string {
  const isVerified = emailVerified ?? trustEmail;
  // One that is folded to another one is not what was verified.
  if (isVerified && email !== undefined && isPlainAddress(email)) return email;
  throw refusal('provider.email_unverified', 'The provider does not say of an e-mail address that it is verified');
}

function newIdentity({ id: provider }: IdentityProvider, { issuer, subject, email }: ProvedIdentity): NewIdentity {
  return { provider, issuer, subject, email: email ?? null };
}

/** The body of a sign-up. */
function newMember(
  provider: IdentityProvider,
  proved: ProvedIdentity,
  email: string,
  attempt: number,
): ReadonlyMap<string, unknown> {
  const said = filledBy(provider, proved);
  const filled = Object.entries(provider.claims).flatMap(([parameter, claim]): [string, unknown][] =>
    Object.hasOwn(said, claim) ? [[parameter, said[claim]]] : [],
  );
  return new Map<string, unknown>([...filled, ['username', usernameFor(email, attempt)], ['email', email]]);
}

/** The claims that fill parameters of a new member. */
function filledBy({ claims }: IdentityProvider, { claims: said }: ProvedIdentity): Readonly<Record<string, unknown>> {
  const filled = Object.values(claims).flatMap((claim): [string, unknown][] => {
    const value = Object.hasOwn(said, claim) ? said[claim] : undefined;
    return value === undefined || value === null ? [] : [[claim, value]];
  });
  return Object.fromEntries(filled);
}

function optionsOf(scope: Visit['scope'], dry: true | undefined): TransactionOptions {
  return { ...usedBy(scope), ...(dry && { undo: true }) };
}

/** The part before the `@`; with a number where somebody has that name. */
function usernameFor(email: string, attempt: number): string {
  const local = email.slice(0, email.lastIndexOf('@')).replaceAll('@', '').slice(0, MADE_NAME_LENGTH);
  const name = isVisibleName(local) ? local : 'member';
  return attempt === 1 ? name : `${name}-${randomInt(1000, 1_000_000)}`;
}

function notLinked(): KindError {
  const text = 'A member has this address: sign in in another way, and link the account of the provider';
  return refusal('identity.not_linked', text);
}
