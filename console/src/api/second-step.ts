/** The second step of the member that is signed in (docs/auth.md). All functions throw `ApiError`. */
import { session } from './session.js';

export interface SecondStep {
  /** Whether there is one. */
  readonly password: boolean;
  /** Whether an authenticator app is set up. */
  readonly totp: boolean;
  /** How many there are for the present domain. */
  readonly passkeys: number;
  /** How many are left. */
  readonly recovery_codes: number;
}

export interface NewApp {
  /** In base32. */
  readonly secret: string;
  /** `otpauth://…` */
  readonly uri: string;
}

interface RecoveryCodes {
  readonly recovery_codes: readonly string[];
}

export async function getSecondStep(): Promise<SecondStep> {
  return (await session.call<SecondStep>({ path: ['auth', 'second_step'] })).content;
}

/** It is asked for once its first code was given. */
export async function beginApp(): Promise<NewApp> {
  return (await session.call<NewApp>({ method: 'POST', path: ['auth', 'totp'], body: {} })).content;
}

/** Answers the recovery codes, which are told this one time. */
export async function confirmApp(code: string): Promise<readonly string[]> {
  const call = { method: 'POST', path: ['auth', 'totp', 'confirm'], body: { code } } as const;
  return (await session.call<RecoveryCodes>(call)).content.recovery_codes;
}

export async function removeApp(): Promise<void> {
  await session.call({ method: 'DELETE', path: ['auth', 'totp'] });
}

/** In place of the former ones. */
export async function renewRecoveryCodes(): Promise<readonly string[]> {
  const call = { method: 'POST', path: ['auth', 'recovery_codes'], body: {} } as const;
  return (await session.call<RecoveryCodes>(call)).content.recovery_codes;
}

/** Proves who the member is, by what it has set up. */
export async function prove(proof: { readonly password: string } | { readonly otp: string }): Promise<void> {
  await session.call({ method: 'POST', path: ['auth', 'confirm'], body: proof });
}
