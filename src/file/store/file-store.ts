/**
 * Where the contents of files are kept: objects of bytes under keys, in a folder (`folder.store.ts`) or in a bucket
 * (`s3.store.ts`). It knows nothing of units and projects.
 */
import type { Readable } from 'node:stream';
import { retryLater, type KindError } from '../../shared/errors.js';

/** An object is written once and never changed. A key is no folder of another one: not both `a` and `a/b`. */
export interface FileStore {
  /**
   * Stores an object whole or not at all; which of both may not be known after a 503.
   * @param bytes its length, where it is known, so that a disk without so much room refuses at once
   * @throws KindError 503 `file.unavailable` or `server.busy`, and whatever `content` throws
   */
  put(key: string, content: AsyncIterable<Uint8Array>, bytes?: number): Promise<void>;
  /**
   * Undefined where there is none. Who gets it reads it or destroys it.
   * @param range inclusive, as in HTTP; its first byte is one that the object has
   */
  get(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Its length in bytes; undefined where there is none. */
  head(key: string): Promise<number | undefined>;
  /** Those that are not there are passed over. */
  delete(keys: readonly string[]): Promise<void>;
  /**
   * The objects whose keys begin with `prefix`, in the order of their keys as bytes; of those that come or go meanwhile
   * some. What has no key of ours is left out.
   */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Removes what is left of objects whose writing began before then and was cut off, as by `kill -9`. */
  removeUnfinished(before: Date): Promise<void>;
}

/** Both are positions of bytes, from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly storedAt: Date;
}

/** Names that mean the same in a file system and in an address, and that begin with no dot. */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}){0,9}$/;

export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** @throws TypeError for what would be a fault of the service: keys are its own */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError('a key of an object has a character or a name that it must not have');
  return key;
}

/** The same for the beginning of a key. */
export function checkPrefix(prefix: string): string {
  if (prefix !== '') checkKey(`${prefix}x`);
  return prefix;
}

/** Bytes that are in memory, to be stored. */
export async function* asContent(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** @param cause is logged, and must not have credentials */
export function unavailable(cause: unknown): KindError {
  return retryLater('file.unavailable', 'Where the contents of files are kept does not answer', 5, cause);
}
