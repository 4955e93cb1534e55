/**
 * Sign-in with identity providers (docs/auth.md): the page is left for that of the provider, which leads back to it. What
 * it needs then is kept in the storage of the browser, and what came back in the address, until the service has answered:
 * a page that is loaded anew goes on.
 */
import { BASE, connectionWith, sentOf } from './client.js';
import { ApiError } from './errors.js';
import { session, type MissingStep } from './session.js';
import type { Unit } from './types.js';
import { listUnits, literal } from './units.js';

/** What the person wants: to sign in, or to link the account of the provider with the member that is signed in. */
export type Purpose = 'sign_in' | 'link';

interface Kept {
  readonly verifier: string;
  readonly project: string;
  readonly purpose: Purpose;
  readonly provider: string;
  /** What the provider is called. */
  readonly label: string;
  /** The ids of the accounts that were linked before, if they are known. */
  readonly linked?: readonly string[] | undefined;
  /** The page of the console that goes on. */
  readonly hash: string;
  /** Milliseconds. */
  readonly begunAt: number;
}

/** What the provider has led back with. */
export type Arrival = Brought | Failed;

export interface Brought extends Omit<Kept, 'hash' | 'begunAt'> {
  readonly code: string;
}

interface Failed {
  /** Undefined where this browser does not know of it. */
  readonly purpose: Purpose | undefined;
  readonly error: string;
}

/** Where this browser has not begun what a provider led back from, or has ended it. */
export const UNKNOWN_ARRIVAL = 'console.unknown_arrival';

const KEPT_KEY = 'kind.console.provider.';
/** Milliseconds: longer than the service waits for somebody at a provider. */
const KEPT_FOR = 15 * 60_000;
const NAMES = ['code', 'error', 'state'] as const;
const RANDOM_BYTES = 32;
const OWN_PAGE = '#/account/sign-in';

let arrived = readArrival();

/** It stays until `endArrival`: React may draw a page more than once before it shows it. */
export function arrivalFor(purpose: Purpose): Arrival | undefined {
  return arrived?.purpose === undefined || arrived.purpose === purpose ? arrived : undefined;
}

/** Each is handled once. What has failed needs no answer of the service. */
export function endArrival(arrival: Arrival): void {
  arrived = undefined;
  if ('error' in arrival) forgetArrival();
}

/** Whether somebody comes from a provider to sign in, so that no former session goes on. */
export function isSigningIn(): boolean {
  return arrived?.purpose === 'sign_in';
}

function readArrival(): Arrival | undefined {
  const address = new URL(location.href);
  const [code, error, state] = NAMES.map((name) => address.searchParams.get(name));
  if (!state || (!code && !error)) return undefined;
  const kept = JSON.parse(localStorage.getItem(KEPT_KEY + state) ?? 'null') as Kept | null;
  address.hash ||= kept?.hash ?? OWN_PAGE;
  history.replaceState(history.state, '', address);
  // Any page can link to the console.
  if (!kept) return { purpose: undefined, error: UNKNOWN_ARRIVAL };
  session.project = kept.project;
  return code ? { ...kept, code } : { purpose: kept.purpose, error: error ?? '' };
}

/** It is of use once. */
export function forgetArrival(): void {
  const address = new URL(location.href);
  localStorage.removeItem(KEPT_KEY + (address.searchParams.get('state') ?? ''));
  for (const name of NAMES) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
}

/** What was begun and never ended. */
function forgetOld(): void {
  for (const key of Object.keys(localStorage).filter((each) => each.startsWith(KEPT_KEY))) {
    const { begunAt } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Kept>;
    if (begunAt === undefined || Date.now() - begunAt > KEPT_FOR) localStorage.removeItem(key);
  }
}

/** Over plain http browsers make no digests, and the way back has no session. */
export function canLeave(): boolean {
  return isSecureContext;
}

/** One that a sign-in page shows. */
type Shown = Pick<Provider, 'id' | 'label'>;

/** Leaves the page. */
export async function signInAt(project: string, { id, label }: Shown): Promise<void> {
  await leave({ project, purpose: 'sign_in', provider: id, label });
}

/** Leaves the page to link an account there. @param linked the ids of those that are linked @throws ApiError */
export async function linkAt({ id, label }: Shown, linked: readonly string[] | undefined): Promise<void> {
  const path = ['auth', 'identity', 'link'];
  const { content } = await session.call<{ ticket: string }>({ method: 'POST', path, body: { provider: id } });
  await leave({ project: session.project, purpose: 'link', provider: id, label, linked }, content.ticket);
}

async function leave(about: Omit<Brought, 'code' | 'verifier'>, ticket?: string): Promise<void> {
  const [state, verifier] = [randomText(), randomText()];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const address = new URL(startPath(about.project, about.provider), BASE);
  address.search = new URLSearchParams({
    redirect_to: new URL('.', location.href.replace(/[?#].*$/, '')).href,
    code_challenge: base64url(new Uint8Array(digest)),
    state,
  }).toString();
  if (ticket !== undefined) address.searchParams.set('link', ticket);
  const kept: Kept = { ...about, verifier, hash: location.hash, begunAt: Date.now() };
  forgetOld();
  localStorage.setItem(KEPT_KEY + state, JSON.stringify(kept));
  location.assign(address);
}

function startPath(project: string, provider: string): string {
  return ['project', project, 'provider', provider].map(encodeURIComponent).join('/');
}

/** Where a provider leads back to: its address is registered there. */
export function callbackOf(provider: string): string {
  return new URL(`${startPath(session.project, provider)}/callback`, BASE).href;
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

const EXCHANGE = ['auth', 'exchange'];

/** @param otp what was given for the second step; empty for nothing @throws ApiError */
export function signInByProvider(brought: Brought, otp: string): Promise<MissingStep | undefined> {
  return untilAnswered(() => session.signIn(brought.project, EXCHANGE, exchanged(brought, otp)));
}

/** Links the account with the member that is signed in. @throws ApiError */
export async function linkArrived(brought: Brought): Promise<void> {
  const call = { method: 'POST', path: EXCHANGE, body: exchanged(brought, '') } as const;
  const token = await untilAnswered(async () => {
    try {
      return (await session.call<{ access_token: string } | null>(call)).content?.access_token;
    } catch (error) {
      // A page that was loaded anew sends it once more, and does not know the first answer.
      if (isAnswer(error) && (await isLinked(brought))) return undefined;
      throw error;
    }
  });
  if (token === undefined) return;
  // It signs in too: one session is enough.
  const signOut = sentOf({ method: 'POST', path: ['auth', 'signout'] });
  await connectionWith(session.project, token)
    .send(signOut)
    .catch(() => undefined);
}

/** What came back is kept as long as the service has not said anything of it. */
async function untilAnswered<T>(work: () => Promise<T>): Promise<T> {
  try {
    const answer = await work();
    forgetArrival();
    return answer;
  } catch (error) {
    if (isAnswer(error)) forgetArrival();
    throw error;
  }
}

function isAnswer(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status > 0 && error.status < 500;
}

async function isLinked({ provider, linked: before }: Brought): Promise<boolean> {
  if (before === undefined) return false;
  const { content: me } = await session.call<Unit>({ path: ['auth', 'me'] });
  const now = await listIdentities(me.id);
  return now.some((identity) => identity.provider === provider && !before.includes(identity.id));
}

function exchanged({ code, verifier }: Brought, otp: string): object {
  return { code, code_verifier: verifier, ...(otp !== '' && { otp }) };
}

/** An account that a member has at a provider. */
export interface Identity extends Unit {
  readonly provider: string;
  readonly email: string | null;
  readonly inserted_at: string;
  readonly last_used_at: string | null;
}

export interface Provider extends Unit {
  readonly label: string;
  readonly issuer: string;
  readonly active: boolean;
}

/** There are few of both. */
const MOST = 100;

export async function listIdentities(member: string): Promise<readonly Identity[]> {
  const query = { filter: `eq(member,${literal(member)})`, order: ['inserted_at;desc'], cursor: '', limit: MOST };
  return (await listUnits('identity', query)).items as readonly Identity[];
}

export async function deleteIdentity(id: string): Promise<void> {
  await session.call({ method: 'DELETE', path: ['identity', 'unit', id] });
}

export async function listProviders(): Promise<readonly Provider[]> {
  const query = { order: ['label;asc'], cursor: '', limit: MOST };
  return (await listUnits('identity_provider', query)).items as readonly Provider[];
}

interface Discovery {
  readonly issuer: string;
  readonly authorization_endpoint: string;
}

/** Whether the provider can be used. @throws ApiError that says why not */
export async function testProvider({ id }: Provider): Promise<Discovery> {
  const path = ['identity_provider', 'unit', id, 'discovery'];
  return (await session.call<Discovery>({ method: 'POST', path })).content;
}

export async function deleteProvider(id: string): Promise<void> {
  await session.call({ method: 'DELETE', path: ['identity_provider', 'unit', id] });
}
