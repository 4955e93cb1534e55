/** The ways in of a project, for who has no session yet (docs/auth.md). All functions throw `ApiError`. */
import { connectionWith, replyOf, sentOf, type Call } from './client.js';
import { session, type MissingStep } from './session.js';

export interface Ways {
  readonly mail_code: boolean;
  readonly passkey: boolean;
  readonly providers: readonly { readonly id: string; readonly label: string }[];
}

/** What was given for the second step; empty for nothing. */
interface WithStep {
  readonly otp: string;
}

export async function getWays(project: string): Promise<Ways> {
  return asStranger(project, { path: ['auth', 'ways'] });
}

interface Password extends WithStep {
  readonly username: string;
  readonly password: string;
}

export function signInByPassword(project: string, proof: Password): Promise<MissingStep | undefined> {
  return session.signIn(project, ['auth', 'signin'], withStep(proof));
}

/** Mails a code to sign in with, if a member has this address. */
export async function mailCode(project: string, email: string): Promise<void> {
  await asStranger(project, { method: 'POST', path: ['auth', 'code'], body: { email } });
}

interface MailedCode extends WithStep {
  readonly email: string;
  readonly code: string;
}

export function signInByCode(project: string, proof: MailedCode): Promise<MissingStep | undefined> {
  return session.signIn(project, ['auth', 'code', 'signin'], withStep(proof));
}

/** Mails a link to set a new password, if a member has this address. */
export async function recoverPassword(project: string, email: string): Promise<void> {
  await asStranger(project, { method: 'POST', path: ['auth', 'recover_password'], body: { email } });
}

/** The content that a call is answered without a session. */
export async function asStranger<T>(project: string, call: Call): Promise<T> {
  return (await replyOf<T>(await connectionWith(project).send(sentOf(call)))).content;
}

function withStep({ otp, ...proof }: WithStep): object {
  return otp === '' ? proof : { ...proof, otp };
}
