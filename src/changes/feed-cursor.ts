/**
 * Positions in the feed of a project, as texts that only the service can read: encrypted, for every process, with the
 * project as what is authenticated besides.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { derivedKey } from '../shared/derived-key.js';
import { type KindError, refusal } from '../shared/errors.js';

/** A position after a change. */
export interface FeedPosition {
  /** Of the feed; another one for each beginning. */
  readonly epoch: string;
  readonly seq: bigint;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^[A-Za-z0-9_-]{20,200}$/;

export class FeedCursors {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = derivedKey(secret, 'cursors of changes');
  }

  write(project: string, { epoch, seq }: FeedPosition): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(project));
    const text = cipher.update(`${epoch} ${seq}`);
    return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** @throws KindError 400 for what is no cursor, 410 for one that this project's feed did not give */
  read(project: string, text: string): FeedPosition {
    if (!FORM.test(text)) {
      const wants = 'since: wants a cursor that an answer gave, or nothing for the oldest changes that are kept';
      throw refusal('query.bad_value', wants, { parameter: 'since' });
    }
    const bytes = Buffer.from(text, 'base64url');
    const [nonce, sealed, tag] = [
      bytes.subarray(0, NONCE_BYTES),
      bytes.subarray(NONCE_BYTES, -TAG_BYTES),
      bytes.subarray(-TAG_BYTES),
    ];
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(project)).setAuthTag(tag);
      const [epoch = '', seq = ''] = Buffer.concat([decipher.update(sealed), decipher.final()])
        .toString()
        .split(' ');
      return { epoch, seq: BigInt(seq) };
    } catch {
      throw mustResync();
    }
  }
}

/** A reader that has missed changes, or whose position is of another feed, begins again. */
export function mustResync(): KindError {
  const text = 'since: the changes from there on are not kept; read the lists again, and begin without since';
  return refusal('changes.resync', text, { parameter: 'since' });
}
