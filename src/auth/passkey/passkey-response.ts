/**
 * What devices with passkeys answer (WebAuthn Level 3): it is checked that it was made for this challenge, by a page or an
 * app of the project, for its domain, by a device that has asked for a fingerprint or a PIN, and with the key.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { errorText } from '../../shared/texts.js';

/** ES256, EdDSA and RS256, as COSE numbers them. */
export const ALGORITHMS = [-7, -8, -257];
const MOST_ID_BYTES = 1023;

/** What an answer must be for. */
interface Expected {
  readonly challenge: string;
  readonly domain: string;
  readonly origins: readonly string[];
}

/** A passkey that a device has made. Texts are base64url. */
export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly transports: readonly string[];
  readonly domain: string;
}

/** What a device says of the use of a passkey. */
interface PasskeyUse {
  readonly counter: number;
  readonly backedUp: boolean;
}

/** Why an answer is refused, for those who develop a page. */
export class RefusedResponse {
  constructor(readonly reason: string) {}
}

/** Imported with the first use: most projects have no need of it. */
export function library(): Promise<typeof import('@simplewebauthn/server')> {
  return import('@simplewebauthn/server');
}

/** @param response any JSON object */
export function readNewPasskey(response: object, expected: Expected): Promise<NewPasskey | RefusedResponse> {
  const given = response as RegistrationResponseJSON;
  return orRefused(given, async ({ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }) => {
    // No statement of who has made the device is asked for, so that certificates in one are not even read.
    const object = decodeAttestationObject(isoBase64URL.toBuffer(given.response.attestationObject));
    const ofItsOwn = object.get('fmt') === 'packed' && !object.get('attStmt').get('x5c');
    if (object.get('fmt') !== 'none' && !ofItsOwn) return refused('it has an attestation that was not asked for');
    const checks = { response: given, ...checksOf(expected), supportedAlgorithmIDs: ALGORITHMS };
    const { registrationInfo: made } = await verifyRegistrationResponse(checks);
    if (!made) return refused('its attestation is wrong');
    const { id, publicKey, counter, transports } = made.credential;
    if (bytesOf(id).length > MOST_ID_BYTES) return refused('its id is too long');
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      backedUp: made.credentialBackedUp,
      transports: knownTransports(transports),
      domain: expected.domain,
    };
  });
}

/** What is stored of a passkey that an answer is checked with; base64url. */
interface StoredPasskey {
  readonly publicKey: string;
  /** Of its member. */
  readonly handle: string;
}

/** @param response any JSON object */
export function readPasskeyUse(
  response: object,
  expected: Expected,
  { publicKey, handle }: StoredPasskey,
): Promise<PasskeyUse | RefusedResponse> {
  const given = response as AuthenticationResponseJSON;
  return orRefused(given, async ({ verifyAuthenticationResponse }) => {
    const { verified, authenticationInfo: use } = await verifyAuthenticationResponse({
      response: given,
      ...checksOf(expected),
      // The statement that stores the use compares the counter.
      credential: { id: given.id, publicKey: new Uint8Array(bytesOf(publicKey)), counter: 0 },
    });
    if (!verified) return refused('its signature is wrong');
    if (!bytesOf(given.response.userHandle ?? '').equals(bytesOf(handle))) return refused('its user handle is another');
    return { counter: use.newCounter, backedUp: use.credentialBackedUp };
  });
}

function checksOf({ challenge, domain, origins }: Expected) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    expectedRPID: domain,
    requireUserVerification: true,
  };
}

type Library = typeof import('@simplewebauthn/server');
type Helpers = typeof import('@simplewebauthn/server/helpers');

/** The library throws for whatever is wrong or missing. */
async function orRefused<T>(
  { response }: RegistrationResponseJSON | AuthenticationResponseJSON,
  read: (library: Library, helpers: Helpers) => Promise<T | RefusedResponse>,
): Promise<T | RefusedResponse> {
  const [loaded, helpers] = await Promise.all([library(), import('@simplewebauthn/server/helpers')]);
  try {
    const { crossOrigin } = helpers.decodeClientDataJSON(response.clientDataJSON);
    // Whoever embeds a page of the project could make its user touch what he does not see.
    return crossOrigin ? refused('its page is in a frame of another origin') : await read(loaded, helpers);
  } catch (error) {
    return refused(errorText(error));
  }
}

function refused(reason: string): RefusedResponse {
  return new RefusedResponse(reason);
}

function bytesOf(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url');
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Whatever a page says of them is told to other pages of the member. */
function knownTransports(given: unknown): string[] {
  return Array.isArray(given) ? TRANSPORTS.filter((each) => given.includes(each)) : [];
}
