/**
 * Sign-in with identity providers (docs/auth.md): the page is left for that of the provider, which leads back to it. What
 * it needs then is kept in the storage of the tab.
 */
import { BASE, send } from './client.js';
import { session, type MissingStep } from './session.js';
import type { Unit } from './types.js';
import { listUnits, literal } from './units.js';

/** What the person wants: to sign in, or to link the account of the provider with the member that is signed in. */
export type Purpose = 'sign_in' | 'link';

interface Kept {
  readonly state: string;
  readonly verifier: string;
  readonly project: string;
  readonly purpose: Purpose;
  /** The page of the console that goes on. */
  readonly hash: string;
}

/** What the provider has led back with. */
export type Arrival = Brought | Failed;

export interface Brought extends Pick<Kept, 'project' | 'purpose' | 'verifier'> {
  readonly code: string;
}

interface Failed extends Pick<Kept, 'purpose'> {
  readonly error: string;
}

const KEPT_KEY = 'kind.console.provider';
const NAMES = ['code', 'error', 'state'] as const;
const RANDOM_BYTES = 32;

let arrived = readArrival();

/** It stays until `endArrival`: React may draw a page more than once before it shows it. */
export function arrivalFor(purpose: Purpose): Arrival | undefined {
  return arrived?.purpose === purpose ? arrived : undefined;
}

/** Each is handled once. */
export function endArrival(): void {
  arrived = undefined;
}

/** Whether somebody comes from a provider to sign in, so that no former session goes on. */
export function isSigningIn(): boolean {
  return arrived?.purpose === 'sign_in';
}

/** What is in the address is taken out of it: it is of use once, and a reload would send it again. */
function readArrival(): Arrival | undefined {
  const address = new URL(location.href);
  const [code, error, state] = NAMES.map((name) => address.searchParams.get(name));
  if (state === null || state === undefined) return undefined;
  const kept = JSON.parse(sessionStorage.getItem(KEPT_KEY) ?? 'null') as Kept | null;
  sessionStorage.removeItem(KEPT_KEY);
  for (const name of NAMES) address.searchParams.delete(name);
  address.hash = kept?.hash ?? '';
  history.replaceState(null, '', address);
  // Any page can link to the console.
  if (kept?.state !== state) return undefined;
  const { project, purpose, verifier } = kept;
  session.project = project;
  return code ? { project, purpose, verifier, code } : { purpose, error: error ?? '' };
}

/** Over plain http browsers make no digests, and the way back has no session. */
export function canLeave(): boolean {
  return isSecureContext;
}

/** Leaves the page. */
export async function signInAt(project: string, provider: string): Promise<void> {
  await leave(provider, { project, purpose: 'sign_in' });
}

/** Leaves the page to link an account there. @throws ApiError, OfflineError */
export async function linkAt(provider: string): Promise<void> {
  const path = ['auth', 'identity', 'link'];
  const { content } = await session.call<{ ticket: string }>({ method: 'POST', path, body: { provider } });
  await leave(provider, { project: session.project, purpose: 'link' }, content.ticket);
}

async function leave(provider: string, about: Pick<Kept, 'project' | 'purpose'>, ticket?: string): Promise<void> {
  const [state, verifier] = [randomText(), randomText()];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const address = new URL(startPath(about.project, provider), BASE);
  address.search = new URLSearchParams({
    redirect_to: new URL('.', location.href.replace(/[?#].*$/, '')).href,
    code_challenge: base64url(new Uint8Array(digest)),
    state,
  }).toString();
  if (ticket !== undefined) address.searchParams.set('link', ticket);
  const kept: Kept = { ...about, state, verifier, hash: location.hash };
  sessionStorage.setItem(KEPT_KEY, JSON.stringify(kept));
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

/** @param otp what was given for the second step; empty for nothing @throws ApiError, OfflineError */
export function signInByProvider({ project, ...given }: Brought, otp: string): Promise<MissingStep | undefined> {
  return session.signIn(project, EXCHANGE, exchanged(given, otp));
}

/** Links the account with the member that is signed in. @throws ApiError, OfflineError */
export async function linkArrived(brought: Brought): Promise<void> {
  const call = { method: 'POST', path: EXCHANGE, body: exchanged(brought, '') } as const;
  const { content } = await session.call<{ access_token: string } | null>(call);
  // It signs in too: one session is enough.
  const headers = { 'kind-project-key': session.project, authorization: `Bearer ${content?.access_token ?? ''}` };
  if (content) await send({ method: 'POST', path: ['auth', 'signout'] }, headers);
}

function exchanged({ code, verifier }: Pick<Brought, 'code' | 'verifier'>, otp: string): object {
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

/** Whether the provider can be used. @throws ApiError that says why not, OfflineError */
export async function testProvider({ id }: Provider): Promise<Discovery> {
  const path = ['identity_provider', 'unit', id, 'discovery'];
  return (await session.call<Discovery>({ method: 'POST', path })).content;
}

export async function deleteProvider(id: string): Promise<void> {
  await session.call({ method: 'DELETE', path: ['identity_provider', 'unit', id] });
}
