/**
 * Keeps objects as files in a folder. One is written under a name that no key can have, beside its place, synced and
 * renamed, so that it is there whole or not at all, also after a power failure.
 */
import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, rmdir, stat, statfs, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder } from '../../config/folder.js';
import { KindError, retryLater } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import {
  checkKey,
  checkPrefix,
  isKey,
  unavailable,
  type ByteRange,
  type FileStore,
  type StoredObject,
} from './file-store.js';

/** Begins the names of files that are being written. */
const PART = '.part-';
/** Times that a folder is made which others remove because it is empty. */
const ATTEMPTS = 10;

/** A file below the root; the key is its path from there. */
interface FoundFile {
  readonly key: string;
  readonly bytes: number;
  readonly changedAt: Date;
}

export class FolderStore implements FileStore {
  readonly #root: string;

  /** @param folder is made when something is stored */
  constructor(folder: string) {
    this.#root = resolve(folder);
  }

  async put(key: string, content: AsyncIterable<Uint8Array>, bytes = 0): Promise<void> {
    const path = this.#path(key);
    const part = join(dirname(path), `${PART}${randomBytes(12).toString('hex')}`);
    const handle = await io(() => this.#create(part));
    let written = part;
    try {
      try {
        await this.#write(handle, content, bytes);
        await io(() => handle.sync());
      } finally {
        await io(() => handle.close());
      }
      await io(() => rename(part, path));
      written = path;
      await io(() => this.#syncFolders(path));
    } catch (error) {
      await this.#remove(written).catch(() => undefined);
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const path = this.#path(key);
    const handle = await io(() => ifThere(() => open(path)));
    if (!handle) return undefined;
    let isFile = false;
    try {
      isFile = (await io(() => handle.stat())).isFile();
    } finally {
      if (!isFile) await handle.close();
    }
    return isFile ? handle.createReadStream(range && { start: range.first, end: range.last }) : undefined;
  }

  async head(key: string): Promise<number | undefined> {
    const path = this.#path(key);
    const found = await io(() => ifThere(() => stat(path)));
    return found?.isFile() === true ? found.size : undefined;
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const path of keys.map((key) => this.#path(key))) await io(() => this.#remove(path));
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const folder = checkPrefix(prefix).replace(/[^/]*$/, '');
    for await (const { key, bytes, changedAt } of this.#walk(folder, prefix)) {
      if (isKey(key)) yield { key, bytes, storedAt: changedAt };
    }
  }

  async removeUnfinished(before: Date): Promise<void> {
    for await (const { key, changedAt } of this.#walk('')) {
      if (basename(key).startsWith(PART) && changedAt < before) await io(() => this.#remove(join(this.#root, key)));
    }
  }

  #path(key: string): string {
    return join(this.#root, checkKey(key));
  }

  /** A deletion may remove the folder, which is empty, before the file is in it. */
  async #create(part: string): Promise<FileHandle> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await makeFolder(dirname(part));
        return await open(part, 'wx', 0o600);
      } catch (error) {
        if (!isMissing(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #write(handle: FileHandle, content: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
    await io(() => this.#checkRoom(bytes));
    let unchecked = 0;
    for await (const chunk of content) {
      unchecked += chunk.byteLength;
      if (unchecked > LIMITS.storePart) {
        await io(() => this.#checkRoom(chunk.byteLength));
        unchecked = 0;
      }
      await io(() => handle.writeFile(chunk));
    }
  }

  async #checkRoom(bytes: number): Promise<void> {
    const { bsize, blocks, bavail } = await statfs(this.#root);
    const kept = Math.min(LIMITS.storeFreeBytes, (blocks * bsize * LIMITS.storeFreePercent) / 100);
    if (bavail * bsize - bytes < kept) throw diskFull();
  }

  /** The folder, and those above it up to the root, because another process may have made one and not synced it. */
  async #syncFolders(path: string): Promise<void> {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const handle = await open(folder);
      await handle.sync().finally(() => handle.close());
      if (folder === this.#root) return;
    }
  }

  /** With the folders that are empty then. */
  async #remove(path: string): Promise<void> {
    await ifThere(() => rm(path, { force: true }));
    for (let folder = dirname(path); folder.startsWith(`${this.#root}${sep}`); folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch (error) {
        // One that is not empty stays.
        if (!isMissing(error)) return;
      }
    }
  }

  /**
   * The files below a folder whose keys begin with `prefix`, in the order of their keys. The names of one folder are in
   * memory.
   * @param folder its path from the root, empty or with a slash at its end
   */
  async *#walk(folder: string, prefix = ''): AsyncIterable<FoundFile> {
    try {
      const entries = await ifThere(() => readdir(join(this.#root, folder), { withFileTypes: true }));
      if (!entries) return;
      const named = entries.map((entry) => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }));
      for (const { entry, name } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const key = `${folder}${name}`;
        if (!key.startsWith(prefix)) continue;
        if (entry.isDirectory()) yield* this.#walk(key);
        if (!entry.isFile()) continue;
        const found = await ifThere(() => stat(join(this.#root, key)));
        if (found) yield { key, bytes: found.size, changedAt: found.mtime };
      }
    } catch (error) {
      throw asRefusal(error);
    }
  }
}

function diskFull(cause?: unknown): KindError {
  return retryLater('server.busy', 'The disk with the contents of files is full', 60, cause);
}

/** Runs work on files. @throws KindError in place of the system's errors */
async function io<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRefusal(error);
  }
}

function asRefusal(error: unknown): KindError {
  if (error instanceof KindError) return error;
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) ? diskFull(error) : unavailable(error);
}

async function ifThere<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Also where what should be a folder is a file. */
function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
