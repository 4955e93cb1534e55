/**
 * Secrets that the service has to read again, such as those that sign webhooks: encrypted with AES-256-GCM, each for its
 * place alone, so that one that is copied elsewhere in the database cannot be read there.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { derivedKey } from './derived-key.js';

/** Where a secret is, from the project inwards. */
type Place = readonly string[];

/** The keys of a configuration. */
interface StoredKeys {
  readonly secretsKey?: string;
  readonly oldSecretsKeys: readonly string[];
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Before what a key from the environment is, if it is a former `JWT_SECRET`. */
const JWT_PREFIX = /^jwt:/;

export class SecretBox {
  readonly #key: Buffer;
  /** All that open what is stored, the current one first. */
  readonly #keys: readonly Buffer[];

  /** @param old keys that open and never close */
  constructor(
    private readonly key: string,
    private readonly old: readonly string[] = [],
  ) {
    this.#key = derivedKey(key, 'stored secrets');
    const former = old.map((each) => derivedKey(each.replace(JWT_PREFIX, ''), 'stored secrets'));
    this.#keys = [this.#key, ...former];
  }

  /** The box of a service. @param secret the key that signs tokens, which stands in where there is none of its own */
  static of({ secretsKey, oldSecretsKeys }: StoredKeys, secret: string): SecretBox {
    return new SecretBox(secretsKey ?? secret, oldSecretsKeys);
  }

  /** One that further keys open too, written as former ones are. */
  alsoOpenedBy(keys: readonly string[]): SecretBox {
    return keys.length === 0 ? this : new SecretBox(this.key, [...this.old, ...keys]);
  }

  /** Returns text. */
  seal(secret: string, place: Place): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(bytesOf(place));
    return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined if it was sealed with another key, or for another place. */
  open(sealed: string, place: Place): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const text = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    for (const key of this.#keys) {
      try {
        const decipher = createDecipheriv(CIPHER, key, nonce)
          .setAAD(bytesOf(place))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(text), decipher.final()]).toString();
      } catch {
        // Not this key.
      }
    }
    return undefined;
  }
}

function bytesOf(place: Place): Buffer {
  return Buffer.from(JSON.stringify(place));
}
