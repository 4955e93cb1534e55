/** What signed addresses of files are made of: their path, their end, and the keys that sign them. */
import { createHmac } from 'node:crypto';
import { derivedKey } from './derived-key.js';

/** Seconds. Addresses of the same quarter of an hour are the same, so that browsers need not load again. */
const QUARTER = 900;

/** When an address ends that is made now and lasts for so many seconds, or a little longer. In seconds since 1970. */
export function roundedExpiry(seconds: number, now = Date.now()): number {
  return Math.ceil((now / 1000 + seconds) / QUARTER) * QUARTER;
}

/** What stands in the address of a file before its id. */
export function filesPath(project: string): string {
  return `/api/lib/project/${encodeURIComponent(project)}/file/`;
}

export class AddressKeys {
  readonly #key: Buffer;

  /** @param secret the secret of the service */
  constructor(secret: string) {
    this.#key = derivedKey(secret, 'file urls');
  }

  /** The key for addresses of one project that end at one time: it makes no others where it becomes known. */
  of(project: string, expires: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([project, expires]))
      .digest();
  }
}
