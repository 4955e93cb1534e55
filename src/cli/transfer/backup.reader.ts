/** Reads a backup, after all of it was checked. */
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract, type Entry } from 'tar-stream';
import {
  ArchiveError,
  MANIFEST,
  parseManifest,
  type ArchiveFile,
  type ArchivePart,
  type ArchiveReader,
  type Manifest,
  type OnProgress,
  compareFile,
  FileMeasure,
} from '../../transfer/project/archive.js';
import { checkBackupEnds, withoutLastEnd } from './backup-ends.js';
import { altered, pathOfPart } from './backup.format.js';
import { plainFiles } from './plain-tar.js';

/** Bytes of the largest file in a backup that is read: a text can't be longer. A part has one megabyte, and a record. */
const MOST_BYTES = 500 * 1024 * 1024;

/** Lines of the largest file that is read: a megabyte of the shortest ones is less. An array can't be much longer. */
const MOST_LINES = 1_000_000;

interface Part {
  readonly name: string;
  readonly content: Buffer;
}

export class BackupReader implements ArchiveReader {
  #parts: AsyncGenerator<Part> | undefined;
  /** A part that was read and belongs to the next file. */
  #next: Part | undefined;

  private constructor(
    private readonly file: string,
    readonly manifest: Manifest,
  ) {}

  /**
   * Reads all of it and compares it with its manifest. @param onChecked called with the bytes read of the file
   * @throws ArchiveError if it is no backup, of a newer release, cut off or altered
   */
  static async open(file: string, onChecked: OnProgress): Promise<BackupReader> {
    await checkBackupEnds(file);
    const found = new Map<string, FileMeasure>();
    let records = 0;
    let last: Part | undefined;
    for await (const part of partsOf(file, (bytes) => onChecked(bytes, records))) {
      last = part;
      const path = pathOfPart(part.name);
      if (path === undefined) continue;
      const measure = found.get(path) ?? new FileMeasure();
      found.set(path, measure);
      records += linesOf(measure, part).length;
    }
    if (last?.name !== MANIFEST) throw altered();
    const manifest = parseManifest(last.content.toString());
    for (const each of manifest.files) compareFile(each, (found.get(each.path) ?? new FileMeasure()).of(each.path));
    return new BackupReader(file, manifest);
  }

  async *read(file: ArchiveFile): AsyncGenerator<ArchivePart> {
    if (file.path === this.manifest.files[0]?.path) await this.#restart();
    const measure = new FileMeasure();
    for (let part = await this.#take(file.path); part; part = await this.#take(file.path)) {
      const lines = linesOf(measure, part);
      yield { lines, bytes: part.content.length };
    }
    compareFile(file, measure.of(file.path));
  }

  async close(): Promise<void> {
    await this.#parts?.return(undefined);
    this.#parts = undefined;
  }

  async #restart(): Promise<void> {
    await this.close();
    this.#parts = partsOf(this.file);
    this.#next = undefined;
  }

  /** The next part of a file; undefined if it has no other. */
  async #take(path: string): Promise<Part | undefined> {
    const part = this.#next ?? ((await this.#parts?.next())?.value as Part | undefined);
    const fits = part && pathOfPart(part.name) === path;
    this.#next = fits ? undefined : part;
    return fits ? part : undefined;
  }
}

function linesOf(measure: FileMeasure, { content }: Part): string[] {
  for (let at = -1, count = 0; (at = content.indexOf(0x0a, at + 1)) >= 0; count += 1) {
    if (count === MOST_LINES) throw altered();
  }
  measure.add(content);
  const lines = content.toString().split('\n');
  if (lines.pop() !== '') throw altered();
  measure.records += lines.length;
  return lines;
}

/** @param onRead called with the bytes of the file that were read so far */
async function* partsOf(file: string, onRead: (bytes: number) => void = () => undefined): AsyncGenerator<Part> {
  const source = createReadStream(file);
  const unpacked = pipeline(source, withoutLastEnd, createGunzip(), () => undefined);
  const plain = Readable.from(plainFiles(unpacked, MOST_BYTES));
  try {
    for await (const entry of entriesOf(plain)) {
      const content = await contentOf(entry);
      onRead(source.bytesRead);
      yield { name: entry.header.name, content };
    }
  } catch (error) {
    // Of the operating system, such as a file that is not there.
    throw error instanceof ArchiveError || (error as { syscall?: unknown }).syscall !== undefined ? error : altered();
  } finally {
    source.destroy();
    unpacked.destroy();
    plain.destroy();
  }
}

function entriesOf(source: Readable): AsyncIterable<Entry> {
  const archive = extract();
  source.on('error', (error) => archive.destroy(error));
  return source.pipe(archive);
}

async function contentOf(entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of entry) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
