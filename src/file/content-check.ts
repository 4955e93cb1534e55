/**
 * Compares the contents that a project's files have with the objects of the store. Both come in the order of their keys,
 * a page at a time, so that memory does not grow with their number. The project may be in use meanwhile: what differs is
 * looked at once more.
 */
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { inParts } from '../shared/in-parts.js';
import {
  type CheckedFileRow,
  filesByObjectStatement,
  filesOfObjectsStatement,
  knownObjectsStatement,
  listUnusedStatement,
} from '../sql/file/check.sql.js';
import type { Project } from '../tenancy/project.js';
import { FILE_STORE, objectOfSize, Objects, sizeKey } from './objects.js';
import type { FileStore, StoredObject } from './store/file-store.js';

/** Files, and differences, that are looked at together. */
const PAGE = 1000;
/** Findings of one sort that are named; the others are only counted. */
const MOST_NAMED = 10_000;

/** A file without its content. */
interface MissingContent {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** The bytes of the object that is in its place; null if there is none. */
  readonly stored: number | null;
}

export class Findings<T> {
  count = 0;
  readonly named: T[] = [];

  add(found: readonly T[]): void {
    this.count += found.length;
    this.named.push(...found.slice(0, MOST_NAMED - this.named.length));
  }
}

export class CheckReport {
  files = 0;
  bytes = 0;
  readonly missing = new Findings<MissingContent>();
  /** Keys of objects that no file has, and that are not listed to be removed. */
  readonly unowned = new Findings<string>();
}

type Checked = Pick<Project, 'id' | 'schema' | 'schemaId'>;

/** @param repair lists objects that no file has, so that they are removed after a day */
interface CheckOptions {
  readonly repair: boolean;
  readonly onFiles: (files: number) => void;
}

@Injectable()
export class ContentCheck {
  constructor(
    private readonly database: Database,
    private readonly objects: Objects,
    @Inject(FILE_STORE) private readonly store: FileStore,
  ) {}

  /** @throws KindError 503 if the store does not answer */
  async run(project: Checked, { repair, onFiles }: CheckOptions): Promise<CheckReport> {
    const report = new CheckReport();
    const settle = async (found: readonly Difference[]): Promise<void> => {
      report.missing.add(await this.#missing(project, found));
      const unowned = await this.#unowned(project, found);
      report.unowned.add(unowned);
      if (repair && unowned.length > 0) await this.#repair(project, unowned);
      onFiles(report.files);
    };
    let found: Difference[] = [];
    for await (const difference of differences(this.#files(project, report), this.store.list(`${project.id}/`))) {
      found.push(difference);
      if (found.length < PAGE) continue;
      await settle(found);
      found = [];
    }
    await settle(found);
    return report;
  }

  /** All files, which are counted. */
  async *#files({ schema }: Checked, report: CheckReport): AsyncIterable<CheckedFileRow> {
    let rows: CheckedFileRow[];
    let after = '';
    do {
      rows = await this.database.run<CheckedFileRow>(filesByObjectStatement(schema, after, PAGE));
      for (const row of rows) {
        report.files += 1;
        report.bytes += row.bytes;
        yield row;
      }
      after = rows.at(-1)?.object ?? after;
    } while (rows.length === PAGE);
  }

  /** Those that are still files with that object, which is still not there. */
  async #missing({ schema }: Checked, found: readonly Difference[]): Promise<MissingContent[]> {
    const keys = found.flatMap(({ file }) => file ?? []);
    if (keys.length === 0) return [];
    const rows = await this.database.run<CheckedFileRow>(filesOfObjectsStatement(schema, keys));
    const checked = await inParts(rows, async ({ id, name, bytes, object }) => {
      const stored = (await this.store.head(object)) ?? null;
      return stored === bytes ? [] : [{ id, name, bytes, stored }];
    });
    return checked.flat();
  }

  /** Those that are still there, and of which nobody knows. */
  async #unowned({ schema }: Checked, found: readonly Difference[]): Promise<string[]> {
    const keys = found.flatMap(({ object }) => object ?? []);
    if (keys.length === 0) return [];
    const rows = await this.database.run<{ object: string }>(knownObjectsStatement(schema, keys));
    const known = new Set(rows.map(({ object }) => object));
    const unknown = keys.filter((key) => !known.has(key));
    return (await inParts(unknown, async (key) => ((await this.#isThere(key)) ? [key] : []))).flat();
  }

  /** Whether there is an object, or a size of it. */
  async #isThere(key: string): Promise<boolean> {
    if ((await this.store.head(key)) !== undefined) return true;
    for await (const _size of this.store.list(sizeKey(key, ''))) return true;
    return false;
  }

  async #repair(project: Checked, keys: readonly string[]): Promise<void> {
    await this.database.run(listUnusedStatement(project.schema, keys));
    await this.objects.plan(project);
  }
}

/** The object of a file that is not in the store as the file says, or one in the store that no file has. */
type Difference =
  { readonly file: string; readonly object?: never } | { readonly object: string; readonly file?: never };

/**
 * What the files have and the store has not, and the other way round. A size belongs to its picture.
 * @param files and `objects` are in the order of their keys
 */
async function* differences(
  files: AsyncIterable<Pick<CheckedFileRow, 'object' | 'bytes'>>,
  objects: AsyncIterable<Pick<StoredObject, 'key' | 'bytes'>>,
): AsyncGenerator<Difference> {
  const rest = files[Symbol.asyncIterator]();
  const next = async () => ((await rest.next()) as IteratorResult<CheckedFileRow, undefined>).value;
  let file = await next();
  // The last object of a file, and the last one without.
  let [owned, unowned, previous] = ['', '', ''];
  for await (const { key, bytes } of objects) {
    if (key <= previous) throw new Error('the store does not list its objects in the order of their keys');
    previous = key;
    for (; file && file.object < key; file = await next()) {
      owned = file.object;
      yield { file: owned };
    }
    if (file?.object === key) {
      owned = key;
      if (file.bytes !== bytes) yield { file: key };
      file = await next();
      continue;
    }
    const object = objectOfSize(key);
    if (object === owned || object === unowned) continue;
    unowned = object;
    yield { object };
  }
  for (; file; file = await next()) yield { file: file.object };
}
