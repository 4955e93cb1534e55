/**
 * Sign-in with an identity provider (OpenID Connect): a browser is sent there, comes back to the callback, and is led to
 * the application with a code that the application exchanges for a session. Nothing of it is in a cookie but what ties it
 * to the browser.
 */
import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { type Config, CONFIG } from '../../config/config.js';
import { FunctionError } from '../../kit/function-error.js';
import { PublicAddress } from '../../mail/public-address.js';
import { isRedirect } from '../../model/redirects.js';
import { KindError, refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { sha256 } from '../../shared/sha256.js';
import { shortened } from '../../shared/texts.js';
import type { IdentityProvider } from '../../sql/member/identity.sql.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { AuthRequest } from '../auth-request.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { Throttle } from '../throttle.js';
import { flowCookie, flowCookieOf, FLOW_LIFETIME, newFlowValue } from './flow-cookie.js';
import { OpenId, type Start } from './openid/openid.js';
import { ProviderFailure } from './openid/provider-failure.js';
import { type AskedLink, ProviderAccounts } from './provider-accounts.js';
import { ProviderStore } from './provider-store.js';
import type { StartQuery } from './start-query.js';

/** Minutes for which the application has time to exchange its code. */
const CODE_MINUTES = 1;

/** Where a browser is led to. */
export interface Redirect {
  readonly location: string;
  /** The header `Set-Cookie`. */
  readonly cookie?: string;
  /** An error of the service, or of code that was called, which the application is told no more of than that. */
  readonly failure?: unknown;
}

/** What is remembered while the browser is at the provider. */
interface Flow {
  readonly provider: string;
  /** The hash of the cookie. */
  readonly browser: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirect: string;
  readonly challenge: string;
  /** Of the application. */
  readonly state: string;
  /** Where a ticket was given. */
  readonly asked: AskedLink | null;
}

@Injectable()
export class ProviderFlow {
  constructor(
    private readonly accounts: ProviderAccounts,
    private readonly catalog: Catalog,
    private readonly openId: OpenId,
    private readonly providers: ProviderStore,
    private readonly publicAddress: PublicAddress,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: Throttle,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Leads to the provider. @throws KindError 400, 404, 429, 503 */
  async start(
    project: Project,
    { address }: Pick<AuthRequest, 'address'>,
    id: string,
    query: StartQuery,
    cookies: string | undefined,
  ): Promise<Redirect> {
    await this.catalog.inProject(project, () => this.throttle.count(project, { address }));
    const provider = await this.providers.active(project, id);
    this.#checkRedirect(project, query.redirectTo);
    const browser = flowCookieOf(cookies, this.publicAddress.url) ?? newFlowValue();
    const [nonce, verifier] = [randomText(), randomText()];
    const asked = query.link === undefined ? null : await this.#askedBy(project, id, query.link);
    const flow: Flow = {
      provider: id,
      browser: sha256(browser),
      nonce,
      verifier,
      redirect: query.redirectTo,
      challenge: query.codeChallenge,
      state: query.state,
      asked,
    };
    const terms = { memberId: asked?.memberId ?? null, data: { ...flow }, minutes: FLOW_LIFETIME / 60 };
    const state = await this.catalog.inProject(project, () => this.secrets.makeToken(project, 'provider', terms));
    const started = { redirectUri: this.#callbackOf(project, id), state, nonce, codeVerifier: verifier };
    const url = await this.#authorizationUrl(project, provider, { ...started, ...query.passedOn });
    // A ticket is used with the start that leads away: one that fails can be tried again.
    if (query.link !== undefined) await this.#useTicket(project, query.link);
    return { location: url.href, cookie: flowCookie(browser, this.publicAddress.url) };
  }

  /**
   * Takes what the provider has answered, and leads back to the application with a code or an error. Undefined if the
   * state is unknown, used, or of another browser.
   */
  async callback(
    scope: RequestScope,
    id: string,
    params: URLSearchParams,
    cookies: string | undefined,
  ): Promise<Redirect | undefined> {
    const { project } = scope;
    const state = params.get('state') ?? '';
    const row = await this.catalog.inProject(project, () => this.secrets.useToken(project, 'provider', state));
    const flow = row?.data as Flow | undefined;
    const browser = flowCookieOf(cookies, this.publicAddress.url);
    if (!flow || flow.provider !== id || browser === undefined || sha256(browser) !== flow.browser) return undefined;
    const { failure, ...outcome } = await this.#outcome(scope, flow, state, params);
    const back = new URLSearchParams({ ...outcome, state: flow.state });
    return { location: `${flow.redirect}?${back.toString()}`, failure };
  }

  /** What the application is told. */
  async #outcome(
    scope: RequestScope,
    flow: Flow,
    state: string,
    params: URLSearchParams,
  ): Promise<({ code: string } | { error: string }) & Pick<Redirect, 'failure'>> {
    const { project } = scope;
    try {
      const provider = await this.providers.active(project, flow.provider);
      const { nonce, verifier: codeVerifier } = flow;
      const proved = await this.openId.identity(
        { ...provider, schema: project.schema },
        {
          redirectUri: this.#callbackOf(project, flow.provider),
          state,
          nonce,
          codeVerifier,
          params,
          wanted: Object.values(provider.claims),
        },
      );
      const { memberId = null, data } = await this.accounts.keep(scope, provider, proved, flow.asked);
      const terms = { memberId, data: data as unknown as Json, minutes: CODE_MINUTES, proof: flow.challenge };
      return { code: await this.catalog.inProject(project, () => this.secrets.makeToken(project, 'exchange', terms)) };
    } catch (error) {
      const code = codeForApplication(error);
      return code === undefined ? { error: 'provider.unavailable', failure: error } : { error: code };
    }
  }

  /** Where a provider leads back to: as it is registered there. */
  #callbackOf({ id: project }: Project, provider: string): string {
    return `${this.publicAddress.url}/api/lib/project/${project}/provider/${encodeURIComponent(provider)}/callback`;
  }

  /** Nobody is led anywhere else, not even with an error. @throws KindError 400 */
  #checkRedirect({ settings }: Project, given: string): void {
    const console = this.config.console ? [`${this.publicAddress.url}/console/`] : [];
    if (isRedirect([...console, ...(settings.redirects ?? [])], given)) return;
    const text = `redirect_to: is none of the addresses in the setting 'redirects' of this project: '${shortened(given)}'`;
    throw refusal('redirect.not_allowed', text, { parameter: 'redirect_to' });
  }

  /** Who has made a ticket. @throws KindError 400 */
  async #askedBy(project: Project, provider: string, ticket: string): Promise<AskedLink> {
    const row = await this.catalog.inProject(project, () => this.secrets.findToken(project, 'link', ticket));
    const found = row?.data as { readonly provider: string; readonly sessionId: string } | undefined;
    if (!row?.member_id || found?.provider !== provider) throw badTicket();
    return { memberId: row.member_id, sessionId: found.sessionId };
  }

  async #useTicket(project: Project, ticket: string): Promise<void> {
    const used = await this.catalog.inProject(project, () => this.secrets.useToken(project, 'link', ticket));
    if (!used) throw badTicket();
  }

  async #authorizationUrl({ schema }: Project, provider: IdentityProvider, start: Start): Promise<URL> {
    try {
      return await this.openId.authorizationUrl({ ...provider, schema }, start);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      const text = `The identity provider '${provider.label}' cannot be used now: try again later, or sign in another way`;
      throw refusal('provider.unavailable', text);
    }
  }
}

/** What an application is told of a refusal; undefined for errors of the service. */
function codeForApplication(error: unknown): string | undefined {
  if (error instanceof ProviderFailure) return error.code;
  // Of a hook, which does not want the new member.
  if (error instanceof FunctionError) return 'access.denied';
  if (!(error instanceof KindError)) return undefined;
  // Removed while the browser was there.
  if (error.code === 'provider.unknown') return 'provider.refused';
  if (error.status >= 500 || error.status === 429) return 'provider.unavailable';
  return TOLD.has(error.code) ? error.code : 'access.denied';
}

const TOLD: ReadonlySet<string> = new Set([
  'provider.email_unverified',
  'provider.claims_missing',
  'identity.not_linked',
  'identity.linked',
]);

function badTicket(): KindError {
  const text = 'link: is no ticket for this provider, or it was used, or is older than five minutes';
  return refusal('identity.bad_ticket', text, { parameter: 'link' });
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}
