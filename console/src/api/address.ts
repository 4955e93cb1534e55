/** The e-mail address of the member that is signed in (docs/auth.md). All functions throw `ApiError`. */
import { session } from './session.js';

/** Mails a code to the address, unless it is proved. */
export async function mailProof(): Promise<void> {
  await session.call({ method: 'POST', path: ['auth', 'verify_email', 'mail'], body: {} });
}

/** Mails a code to another address, which becomes that of the member when it is proved. */
export async function changeAddress(email: string): Promise<void> {
  await session.call({ method: 'POST', path: ['auth', 'email'], body: { email } });
}

/** @param code of the last mail, to the present address or to another one */
export async function proveAddress(code: string): Promise<void> {
  await session.call({ method: 'POST', path: ['auth', 'verify_email'], body: { code } });
}
