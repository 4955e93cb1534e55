/**
 * The store of this database and of no other. It is marked when something is stored for the first time, and the mark is
 * compared before a process uses the store. Until then it is as if it were empty, so that services without files need no
 * common one.
 */
import { ConfigError } from '../config/config.js';
import type { Database } from '../database/database.js';
import { LOCK_STORE, NOTE_MARKED, READ_STORE, type StoreRow } from '../sql/server/file-store.sql.js';
import { unavailable, type ByteRange, type FileStore, type StoredObject } from './store/file-store.js';
import type { Readable } from 'node:stream';
import { claimStore } from './store/store-marker.js';

export class OwnStore implements FileStore {
  /** Whether the mark was compared. */
  #isOwn = false;
  /** The first marks wait for one, so that they hold one connection. */
  #marking: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly store: FileStore,
  ) {}

  /** @throws ConfigError with one line if the store is another one; KindError 503 if it does not answer */
  async check(): Promise<void> {
    if (this.#isOwn) return;
    const [row] = await this.database.run<StoreRow>(READ_STORE);
    if (!row?.marked) return;
    await claimStore(this.store, row.database, true);
    this.#isOwn = true;
  }

  async put(key: string, content: AsyncIterable<Uint8Array>, bytes?: number): Promise<void> {
    if (!(await this.#isUsed())) await asRefusal(() => this.#markOnce());
    return this.store.put(key, content, bytes);
  }

  async get(key: string, range?: ByteRange): Promise<Readable | undefined> {
    return (await this.#isUsed()) ? this.store.get(key, range) : undefined;
  }

  async head(key: string): Promise<number | undefined> {
    return (await this.#isUsed()) ? this.store.head(key) : undefined;
  }

  async delete(keys: readonly string[]): Promise<void> {
    if (await this.#isUsed()) await this.store.delete(keys);
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    if (await this.#isUsed()) yield* this.store.list(prefix);
  }

  async removeUnfinished(before: Date): Promise<void> {
    if (await this.#isUsed()) await this.store.removeUnfinished(before);
  }

  /** Whether something was stored. @throws KindError 503 if the store is another one, or does not answer */
  async #isUsed(): Promise<boolean> {
    await asRefusal(() => this.check());
    return this.#isOwn;
  }

  #markOnce(): Promise<void> {
    return (this.#marking ??= this.#mark().finally(() => (this.#marking = undefined)));
  }

  /** One service at a time, so that the next one, with a folder of another host, finds that the first has marked its own. */
  async #mark(): Promise<void> {
    await this.database.transaction(
      async (tx) => {
        const [row] = await tx.run<StoreRow>(LOCK_STORE);
        if (!row) throw new Error('the registry does not know the store of files');
        await claimStore(this.store, row.database, row.marked);
        await tx.run(NOTE_MARKED);
      },
      { isolation: 'read committed' },
    );
    this.#isOwn = true;
  }
}

/** While it serves, a service with another store answers as if that did not answer. */
async function asRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof ConfigError ? unavailable(error) : error;
  }
}
