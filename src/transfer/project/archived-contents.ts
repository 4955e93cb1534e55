/** The contents of files in archives. Each is read and written piece by piece, so that none is in memory as a whole. */
import { COLLECTION, newKey, UNTAKEN_SECONDS } from '../../file/objects.js';
import type { FileStore } from '../../file/store/file-store.js';
import type { Database, Transaction } from '../../database/database.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import { keepObjectsStatement, settleFilesStatement } from '../../sql/file/files.sql.js';
import { announceObjectStatement } from '../../sql/file/object.sql.js';
import { readColumnStatement, writeColumnStatement, type ColumnValue } from '../../sql/list/project-rows.sql.js';
import { READ_CLOCK, wakeWorkStatement } from '../../sql/server/work.sql.js';
import type { Project } from '../../tenancy/project.js';
import { contentPath, fileOfContent, isContent, type ArchiveFile, type ArchiveWriter } from './archive.js';
import type { ArchiveReader } from './archive.reader.js';

/** Seconds for which objects are kept, and milliseconds after which that is said again. */
const [KEPT, AGAIN] = [600, 60_000];
/** Milliseconds between two statements of a transaction that waits for contents. */
const ALIVE = 10_000;
/** Keys that are written at once. */
const KEYS_AT_ONCE = 10_000;

export interface StoredContents {
  /** The id of the file. */
  readonly id: string;
  readonly object: string;
  readonly bytes: number;
}

/** Keeps the objects of a project until the end, or some minutes longer than this process lives. */
export async function keepObjects(database: Database, schema: string): Promise<{ end(): void }> {
  const statement = keepObjectsStatement(schema, KEPT);
  await database.run(statement);
  const timer = setInterval(() => void database.run(statement).catch(() => undefined), AGAIN).unref();
  return { end: () => clearInterval(timer) };
}

/** A content that is missing is left out. */
export async function writeContents(
  store: FileStore,
  contents: readonly StoredContents[],
  writer: ArchiveWriter,
): Promise<ArchiveFile[]> {
  const written: ArchiveFile[] = [];
  for (const { id, object, bytes } of contents) {
    const content = (await store.head(object)) === bytes ? await store.get(object) : undefined;
    if (content) written.push(await writer.content(contentPath(id), bytes, content as AsyncIterable<Buffer>));
  }
  return written;
}

/** Stores the contents of an archive under new keys, for the files that were stored from it. */
export class ContentImport {
  readonly #written: string[] = [];

  /** @param announcing where the project is there already: objects are removed there if its import is cut off */
  constructor(
    private readonly target: FileStore,
    private readonly announcing?: Database,
  ) {}

  async store(tx: Transaction, { id, schema }: Project, archive: ArchiveReader): Promise<void> {
    const rows = await tx.run<ColumnValue>(readColumnStatement(schema, FILE_KIND, OBJECT_FIELD));
    const keys = new Map(rows.map((row) => [row.id, newKey(id)]));
    const values = [...keys].map(([file, value]) => ({ id: file, value }));
    for (let at = 0; at < values.length; at += KEYS_AT_ONCE) {
      const some = values.slice(at, at + KEYS_AT_ONCE);
      await tx.run(writeColumnStatement(schema, FILE_KIND, OBJECT_FIELD, some));
    }
    // PostgreSQL ends a transaction that is idle for as long as a large content may take.
    const timer = setInterval(() => void tx.run(READ_CLOCK).catch(() => undefined), ALIVE).unref();
    try {
      for (const file of archive.manifest.files.filter(({ path }) => isContent(path))) {
        const key = keys.get(fileOfContent(file.path));
        if (key === undefined) continue;
        await this.announcing?.run(announceObjectStatement(schema, key, UNTAKEN_SECONDS));
        this.#written.push(key);
        await this.target.put(key, archive.readContent(file), file.bytes);
      }
    } finally {
      clearInterval(timer);
    }
    await tx.run(settleFilesStatement(schema));
    if (rows.length > 0) await tx.run(wakeWorkStatement(COLLECTION.type, COLLECTION.name, [id]));
  }

  /** Removes what was written, as far as the store answers. */
  async undo(): Promise<void> {
    if (this.#written.length > 0) await this.target.delete(this.#written).catch(() => undefined);
  }
}
