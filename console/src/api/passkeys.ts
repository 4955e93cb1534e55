/**
 * Passkeys: signing in and proving who one is with them, and those of a member (docs/auth.md). All functions throw
 * `ApiError`, and `PasskeyError` where a passkey is refused.
 */
import { ApiError } from './errors.js';
import { session, type MissingStep } from './session.js';
import { asStranger } from './ways.js';
import type { Unit } from './types.js';
import { listUnits, literal, updateUnit } from './units.js';

export interface Passkey extends Unit {
  readonly label: string;
  /** Whether the key is kept elsewhere too, as by the account of a phone. */
  readonly backed_up: boolean;
  readonly inserted_at: string;
  readonly last_used_at: string | null;
}

/** `cancelled`: nobody has touched the device. `other_page`: they are of another domain. `unknown`: to the service. */
type Refusal = 'cancelled' | 'there_already' | 'other_page' | 'unknown' | 'other';

export class PasskeyError extends Error {
  constructor(
    readonly refusal: Refusal,
    text: string,
  ) {
    super(text);
    this.name = 'PasskeyError';
  }
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'there_already',
  SecurityError: 'other_page',
};

interface Asked<Options> {
  readonly challenge_id: string;
  readonly options: Options;
}

/** What a device has answered to a challenge. */
interface Answered {
  readonly challenge_id: string;
  readonly response: unknown;
}

/** Browsers have passkeys for pages of https and localhost only. */
export function knowsPasskeys(): boolean {
  return 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Another second step is never missing after a passkey. */
export async function signInByPasskey(project: string): Promise<MissingStep | undefined> {
  const answer = await answerOf(project);
  try {
    return await session.signIn(project, ['auth', 'passkey', 'signin'], answer);
  } catch (error) {
    if (error instanceof ApiError && error.has('signin.failed')) throw new PasskeyError('unknown', error.message);
    throw error;
  }
}

/** Proves who the member that is signed in is. */
export async function proveByPasskey(): Promise<void> {
  await session.call({ method: 'POST', path: ['auth', 'confirm'], body: await answerOf(session.project) });
}

async function answerOf(project: string): Promise<Answered> {
  const path = ['auth', 'passkey', 'signin', 'options'];
  const asked = await asStranger<Asked<PublicKeyCredentialRequestOptionsJSON>>(project, {
    method: 'POST',
    path,
    body: {},
  });
  return answered(asked, (options) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return navigator.credentials.get({ publicKey });
  });
}

/** The device makes one and keeps it. @param label a name for it */
export async function enrolPasskey(label: string): Promise<void> {
  const path = ['auth', 'passkey'];
  type Options = Asked<PublicKeyCredentialCreationOptionsJSON>;
  const { content } = await session.call<Options>({ method: 'POST', path: [...path, 'options'], body: {} });
  const made = await answered(content, (options) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return navigator.credentials.create({ publicKey });
  });
  await session.call({ method: 'POST', path, body: { ...made, label } });
}

async function answered<Options>(
  { challenge_id, options }: Asked<Options>,
  ask: (options: Options) => Promise<Credential | null>,
): Promise<Answered> {
  try {
    const credential = (await ask(options)) as PublicKeyCredential | null;
    return { challenge_id, response: credential?.toJSON() };
  } catch (error) {
    const { name, message } = error as Error;
    throw new PasskeyError(REFUSALS[name] ?? 'other', message);
  }
}

/** A member has few. */
const MOST = 100;

export async function listPasskeys(member: string): Promise<readonly Passkey[]> {
  const query = { filter: `eq(member,${literal(member)})`, order: ['inserted_at;desc'], cursor: '', limit: MOST };
  return (await listUnits('passkey', query)).items as readonly Passkey[];
}

export async function renamePasskey(id: string, label: string): Promise<void> {
  await updateUnit('passkey', id, { label });
}

export async function deletePasskey(id: string): Promise<void> {
  await session.call({ method: 'DELETE', path: ['passkey', 'unit', id] });
}
