/**
 * Addresses of contents that need no header, as for pictures in pages and mails. A signature opens one content of one
 * file until it ends. It is judged before the file is looked up, so it tells nothing about files. Lists make the same
 * addresses in PostgreSQL (`sql/list/file-address.sql.ts`).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { refusal } from '../../shared/errors.js';
import { AddressKeys, filesPath } from '../../shared/file-address.js';

/** What a signature opens: `o` the original and its sizes, `s` the sizes alone. */
type SignedClass = 'o' | 's';

/** The file of an address. `epoch`: a number of the project; when it is raised, all signatures before end. */
interface AddressedFile {
  readonly project: string;
  readonly epoch: number;
  readonly id: string;
}

interface SignedFile extends AddressedFile {
  readonly name: string;
  /** The key of its object in the store, which ends with 32 hexadecimal digits. */
  readonly object: string;
}

/** What an address opens, if the file still has that content: the first digits of its object. */
interface Opened {
  readonly opens: SignedClass;
  readonly object: string;
}

/** The query of a signed address, as it came. */
interface SignedQuery {
  readonly expires: string;
  readonly signature: string;
}

const KEY_DIGITS = 32;
const OBJECT_DIGITS = 8;
const SIGNATURE = /^([os])\.([0-9a-f]{8})\.([\w-]{43})$/;
const EXPIRES = /^[1-9]\d{0,11}$/;

export class FileUrls {
  readonly #keys: AddressKeys;

  /** @param secret the secret of the service */
  constructor(secret: string) {
    this.#keys = new AddressKeys(secret);
  }

  /** The path and query of an address. @param expires seconds since 1970 */
  make(file: SignedFile, opens: SignedClass, expires: number): string {
    const object = objectDigits(file.object);
    const signature = `${opens}.${object}.${this.#mac(file, { opens, object }, String(expires))}`;
    return `${pathOf(file)}?expires=${expires}&signature=${signature}`;
  }

  /** What the address opens. @param now milliseconds since 1970 @throws KindError 403 if its signature is not good, or its time is over */
  open(file: AddressedFile, query: SignedQuery, now = Date.now()): Opened {
    const opened = this.#signed(file, query);
    if (!opened) throw refusal('file.bad_signature', 'The signature is not the one of this address');
    if (isOver(query, now)) throw expired();
    return opened;
  }

  #signed(file: AddressedFile, { expires, signature }: SignedQuery): Opened | undefined {
    const [, opens, object = '', mac = ''] = SIGNATURE.exec(signature) ?? [];
    if ((opens !== 'o' && opens !== 's') || !EXPIRES.test(expires)) return undefined;
    const opened = { opens, object } as const;
    return timingSafeEqual(Buffer.from(mac), Buffer.from(this.#mac(file, opened, expires))) ? opened : undefined;
  }

  #mac({ project, epoch, id }: AddressedFile, { opens, object }: Opened, expires: string): string {
    const signed = [epoch, id, opens, object].join(' ');
    return createHmac('sha256', this.#keys.of(project, expires)).update(signed).digest('base64url');
  }
}

/**
 * @param found the content that the file has, if it is there
 * @throws KindError 403 if that is not the one for which the address was made
 */
export function requireContent<Content extends { readonly object: string }>(
  opened: Opened,
  found: Content | undefined,
): Content {
  if (!found || opened.object !== objectDigits(found.object)) throw expired();
  return found;
}

function expired(): Error {
  return refusal('file.expired', 'The address has expired, or its content was replaced or deleted');
}

function isOver({ expires }: SignedQuery, now: number): boolean {
  return Number(expires) * 1000 <= now;
}

function objectDigits(object: string): string {
  return object.slice(-KEY_DIGITS).slice(0, OBJECT_DIGITS);
}

function pathOf({ project, id, name }: SignedFile): string {
  return `${filesPath(project)}${encodeURIComponent(id)}/${encodeURIComponent(name)}`;
}
