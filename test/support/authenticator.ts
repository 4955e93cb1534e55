/** A device with passkeys, in software: it answers as browsers do, and can be made to answer wrongly. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** What a browser passes to the device, as far as it looks at it. */
interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly pubKeyCredParams: readonly { readonly alg: number }[];
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** What differs from a right answer. */
interface Faults {
  readonly origin?: string;
  readonly domain?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly userVerified?: boolean;
  readonly userHandle?: string;
  readonly id?: string;
  readonly counter?: number;
  readonly signature?: Buffer;
  /** CBOR of the format of an attestation, and its statement. */
  readonly attestation?: { readonly format: string; readonly statement: Buffer };
}

const [USER_PRESENT, USER_VERIFIED, BACKUP_ELIGIBLE, BACKED_UP, WITH_KEY] = [0x01, 0x04, 0x08, 0x10, 0x40];
const COSE = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

export class Authenticator {
  readonly id: string;
  counter = 0;
  #userHandle = '';
  readonly #privateKey: KeyObject;
  readonly #coseKey: Buffer;

  constructor(
    private readonly origin: string,
    readonly algorithm: Algorithm = 'ES256',
    private readonly settings: {
      readonly counts?: boolean;
      readonly backedUp?: boolean;
      readonly idBytes?: number;
    } = {},
  ) {
    this.id = randomBytes(settings.idBytes ?? 32).toString('base64url');
    const { privateKey, coseKey } = keyOf(algorithm);
    this.#privateKey = privateKey;
    this.#coseKey = coseKey;
  }

  /** Answers `navigator.credentials.create`. */
  create({ challenge, rp, user }: CreationOptions, faults: Faults = {}) {
    this.#userHandle = user.id;
    const id = Buffer.from(faults.id ?? this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const data = Buffer.concat([this.#head(rp.id, faults, WITH_KEY), Buffer.alloc(16), length, id, this.#coseKey]);
    const { format, statement } = faults.attestation ?? { format: 'none', statement: Buffer.from([0xa0]) };
    const object = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text(format), text('attStmt'), statement, text('authData'), bytes(data)],
    ]);
    return {
      ...this.#names(faults),
      response: {
        clientDataJSON: this.#client('webauthn.create', challenge, faults).toString('base64url'),
        attestationObject: object.toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
    };
  }

  /** Answers `navigator.credentials.get`. */
  get({ challenge, rpId }: RequestOptions, faults: Faults = {}) {
    if (this.settings.counts) this.counter += 1;
    const data = this.#head(rpId, faults);
    const client = this.#client('webauthn.get', challenge, faults);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return {
      ...this.#names(faults),
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: (faults.signature ?? this.#sign(signed)).toString('base64url'),
        userHandle: faults.userHandle ?? this.#userHandle,
      },
    };
  }

  #names({ id = this.id }: Faults) {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, authenticatorAttachment: 'platform' };
  }

  #head(rpId: string, { domain = rpId, userVerified = true, counter = this.counter }: Faults, more = 0): Buffer {
    const backup = this.settings.backedUp ? BACKUP_ELIGIBLE | BACKED_UP : 0;
    const flags = USER_PRESENT | (userVerified ? USER_VERIFIED : 0) | backup | more;
    const end = Buffer.alloc(5);
    end.writeUInt8(flags);
    end.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash('sha256').update(domain).digest(), end]);
  }

  #client(type: string, challenge: string, faults: Faults): Buffer {
    const { origin = this.origin, crossOrigin = false } = faults;
    return Buffer.from(
      JSON.stringify({ type: faults.type ?? type, challenge: faults.challenge ?? challenge, origin, crossOrigin }),
    );
  }

  #sign(data: Buffer): Buffer {
    return sign(this.algorithm === 'EdDSA' ? null : 'sha256', data, this.#privateKey);
  }
}

/** A new pair of keys, the public one as COSE writes it. */
function keyOf(algorithm: Algorithm): { privateKey: KeyObject; coseKey: Buffer } {
  const pair =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : algorithm === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { x = '', y = '', n = '', e = '' } = pair.publicKey.export({ format: 'jwk' });
  const part = (value: string) => bytes(Buffer.from(value, 'base64url'));
  const entries: Record<Algorithm, [number, Buffer][]> = {
    ES256: [
      [1, int(2)],
      [3, int(COSE.ES256)],
      [-1, int(1)],
      [-2, part(x)],
      [-3, part(y)],
    ],
    EdDSA: [
      [1, int(1)],
      [3, int(COSE.EdDSA)],
      [-1, int(6)],
      [-2, part(x)],
    ],
    RS256: [
      [1, int(3)],
      [3, int(COSE.RS256)],
      [-1, part(n)],
      [-2, part(e)],
    ],
  };
  const chosen = entries[algorithm];
  const coseKey = Buffer.concat([head(5, chosen.length), ...chosen.flatMap(([key, value]) => [int(key), value])]);
  return { privateKey: pair.privateKey, coseKey };
}

/** CBOR (RFC 8949) of a small number. */
function int(value: number): Buffer {
  return value < 0 ? head(1, -1 - value) : head(0, value);
}

function text(value: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([head(2, value.length), value]);
}

function head(type: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(type << 5) | value]);
  if (value < 256) return Buffer.from([(type << 5) | 24, value]);
  return Buffer.from([(type << 5) | 25, value >> 8, value & 0xff]);
}
