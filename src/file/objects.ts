/** Objects of the store: they are listed, stored, read, and removed where no file has them. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type ConnectionUser, Database } from '../database/database.js';
import { WorkClaims } from '../database/registry/work-claims.js';
import { KindError } from '../shared/errors.js';
import { inParts } from '../shared/in-parts.js';
import { lruCache } from '../shared/maps.js';
import { errorText } from '../shared/texts.js';
import {
  announceObjectStatement,
  countLeftStatement,
  dueObjectsStatement,
  forgetObjectsStatement,
  lockObjectsStatement,
  type UntakenObject,
} from '../sql/file/object.sql.js';
import type { Project } from '../tenancy/project.js';
import { type ByteRange, type FileStore, unavailable } from './store/file-store.js';

export const FILE_STORE = Symbol('file store');

/** Seconds after which an object may be removed that no file has got. */
export const UNTAKEN_SECONDS = 24 * 60 * 60;
/** Objects that are removed in one transaction. */
export const REMOVED_AT_ONCE = 100;
/** Projects whose removal of objects is in the registry. */
const MAX_REMEMBERED = 10_000;

/** The work of removing the objects of a project that are due. */
export const COLLECTION = { type: 'objects', name: 'due' } as const;

/** The names of the work of removing what a restore left that was cut off: with the id of its project. */
export const RESTORE_PREFIX = 'restore ';

/** Its schema tells it from a later project with the same id. */
export type StoringProject = Pick<Project, 'id' | 'schema' | 'schemaId'>;

@Injectable()
export class Objects {
  readonly #log = new Logger('files');
  readonly #work: WorkClaims;
  readonly #planned = lruCache<true>(MAX_REMEMBERED);

  constructor(
    private readonly database: Database,
    @Inject(FILE_STORE) private readonly store: FileStore,
  ) {
    this.#work = new WorkClaims(database, COLLECTION.type);
  }

  /**
   * Stores bytes as an object that no file has. It goes after a day. @returns its key
   * @throws KindError 503 if the store does not answer, and whatever `source` throws; then nothing is kept, but what such a
   * store may have goes after a day too
   */
  async put(project: StoringProject, source: AsyncIterable<Uint8Array>, bytes: number | undefined): Promise<string> {
    const { id, schema } = project;
    const key = newKey(id);
    await this.plan(project);
    await this.database.run(announceObjectStatement(schema, key, UNTAKEN_SECONDS));
    try {
      await this.store.put(key, source, bytes);
    } catch (error) {
      // It would be waited for again.
      const isAway = error instanceof KindError && error.code === 'file.unavailable';
      if (!isAway) await this.remove({ id, schema }, [{ key, bytes: 0 }]);
      throw error;
    }
    return key;
  }

  /** @throws KindError 503 if it is not there */
  async open(key: string, range?: ByteRange): Promise<Readable> {
    const found = await this.store.get(key, range);
    if (!found) throw unavailable(new Error(`the object ${key} is missing`));
    return found;
  }

  /** Removes those of these objects that no file has. After a failure they count as left, and are removed later. */
  async remove(project: ConnectionUser, objects: readonly UntakenObject[]): Promise<void> {
    for (let from = 0; from < objects.length; from += REMOVED_AT_ONCE) {
      const some = objects.slice(from, from + REMOVED_AT_ONCE);
      const keys = some.map(({ key }) => key);
      try {
        await this.#removeLocked(project, lockObjectsStatement(project.schema, keys));
      } catch (error) {
        this.#log.warn(`an object is removed later: ${errorText(error)}`);
        const rest = objects.slice(from).filter(({ bytes }) => bytes > 0);
        if (rest.length > 0) await this.#countLeft(project, rest);
        return;
      }
    }
  }

  async #countLeft({ schema }: ConnectionUser, objects: readonly UntakenObject[]): Promise<void> {
    await this.database.run(countLeftStatement(schema, objects)).catch((error: unknown) => {
      this.#log.warn(`an object that is removed later is not counted: ${errorText(error)}`);
    });
  }

  /** Removes objects of a project whose time is over. @param signal ends it between two steps */
  async removeDue(project: ConnectionUser, signal?: AbortSignal): Promise<void> {
    const lock = dueObjectsStatement(project.schema, REMOVED_AT_ONCE);
    for (let count = REMOVED_AT_ONCE; count === REMOVED_AT_ONCE && !signal?.aborted;) {
      count = await this.#removeLocked(project, lock, true);
    }
  }

  /** From now on, services remove what is due in a project. */
  async plan({ id, schemaId }: StoringProject): Promise<void> {
    const planned = `${id} ${schemaId}`;
    if (this.#planned.has(planned)) return;
    await this.#work.wake(COLLECTION.name, [id]);
    this.#planned.set(planned, true);
  }

  /**
   * A file that wants one of the objects meanwhile waits, and does not find it. A store that does not answer holds the
   * connections of this project alone, and few of them.
   * @param withSizes whether files may have had them, so that there may be sizes of them
   */
  #removeLocked(
    project: ConnectionUser,
    lock: ReturnType<typeof lockObjectsStatement>,
    withSizes = false,
  ): Promise<number> {
    return this.database.transaction(
      async (tx) => {
        const found = await tx.run<{ id: string; used: boolean }>(lock);
        if (found.length === 0) return 0;
        const unused = found.flatMap(({ id, used }) => (used ? [] : [id]));
        await this.store.delete(withSizes ? [...(await this.#sizesOf(unused)), ...unused] : unused);
        await tx.run(
          forgetObjectsStatement(
            project.schema,
            found.map(({ id }) => id),
          ),
        );
        return found.length;
      },
      { isolation: 'read committed', project, long: true },
    );
  }

  /** They are listed, because the settings with which they were made may have changed since. */
  async #sizesOf(keys: readonly string[]): Promise<string[]> {
    const sizes = await inParts(keys, async (key) => {
      const found: string[] = [];
      for await (const size of this.store.list(sizeKey(key, ''))) found.push(size.key);
      return found;
    });
    return sizes.flat();
  }
}

/** The key of a size of the picture that is an object, which is removed with it. */
export function sizeKey(object: string, size: string): string {
  return `${object}.${size}`;
}

/** The object of which a key may be a size. */
export function objectOfSize(key: string): string {
  return key.replace(/\.[^/]*$/, '');
}

/** Never made from what a client sends. */
export function newKey(project: string): string {
  const random = randomBytes(16).toString('hex');
  return `${project}/${random.slice(0, 2)}/${random}`;
}
