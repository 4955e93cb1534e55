/**
 * Reads an archive from its entries, wherever they are: first all of it, to compare it with its manifest, then file by
 * file.
 */
import { getOrInsert } from '../../shared/maps.js';
import {
  altered,
  compareFile,
  FileMeasure,
  isContent,
  MANIFEST,
  parseManifest,
  type ArchiveFile,
  type Manifest,
  type OnProgress,
} from './archive.js';

/** Lines of the largest entry that is read: a megabyte of the shortest ones is less. An array can't be much longer. */
const MOST_LINES = 1_000_000;

/** A part of a file, a piece of a content, or the manifest. */
export interface ArchiveEntry {
  readonly path: string;
  readonly content: Buffer;
}

export interface EntrySource {
  /**
   * The parts of each file, in the order of the manifest, and the manifest as the last one.
   * @param onRead called with the bytes that were read so far
   */
  entries(onRead?: (bytes: number) => void): AsyncGenerator<ArchiveEntry>;
}

interface ArchivePart {
  readonly lines: readonly string[];
  readonly bytes: number;
}

export class ArchiveReader {
  #entries: AsyncGenerator<ArchiveEntry> | undefined;
  /** A part that was read and belongs to the next file. */
  #next: ArchiveEntry | undefined;
  /** The position of the file that is read. */
  #at = Infinity;
  readonly #positions: ReadonlyMap<string, number>;

  private constructor(
    private readonly source: EntrySource,
    readonly manifest: Manifest,
  ) {
    this.#positions = new Map(manifest.files.map(({ path }, at) => [path, at]));
  }

  /**
   * Reads all of it and compares it with its manifest.
   * @throws ArchiveError if it is no archive, of a newer release, cut off or altered
   */
  static async open(source: EntrySource, onChecked: OnProgress): Promise<ArchiveReader> {
    const found = new Map<string, FileLines>();
    const contents = new Map<string, FileMeasure>();
    let records = 0;
    let last: ArchiveEntry | undefined;
    for await (const entry of source.entries((bytes) => onChecked(bytes, records))) {
      last = entry;
      if (isContent(entry.path)) getOrInsert(contents, entry.path, () => new FileMeasure()).add(entry.content);
      if (!entry.path.endsWith('.ndjson')) continue;
      records += getOrInsert(found, entry.path, () => new FileLines()).add(entry.content).length;
    }
    if (last?.path !== MANIFEST) throw altered();
    const manifest = parseManifest(last.content.toString());
    for (const each of manifest.files) {
      if (isContent(each.path)) compareFile(each, (contents.get(each.path) ?? new FileMeasure()).of(each.path));
      else (found.get(each.path) ?? new FileLines()).compare(each);
    }
    return new ArchiveReader(source, manifest);
  }

  /**
   * The lines of a file, some at a time. Entries before it are passed over; for a file that was passed, all begins again.
   * @throws ArchiveError at the end if it is not the file that was written
   */
  async *read(file: ArchiveFile): AsyncGenerator<ArchivePart> {
    await this.#begin(file);
    const read = new FileLines();
    for (let part = await this.#take(file.path); part; part = await this.#take(file.path)) {
      yield { lines: read.add(part.content), bytes: part.content.length };
    }
    read.compare(file);
  }

  /** The content of a file, likewise. */
  async *readContent(file: ArchiveFile): AsyncGenerator<Buffer> {
    await this.#begin(file);
    const read = new FileMeasure();
    for (let part = await this.#take(file.path); part; part = await this.#take(file.path)) {
      read.add(part.content);
      yield part.content;
    }
    compareFile(file, read.of(file.path));
  }

  async #begin(file: ArchiveFile): Promise<void> {
    const at = this.#positions.get(file.path) ?? -1;
    if (at <= this.#at) await this.#restart();
    this.#at = at;
  }

  async close(): Promise<void> {
    await this.#entries?.return(undefined);
    this.#entries = undefined;
  }

  async #restart(): Promise<void> {
    await this.close();
    this.#entries = this.source.entries();
    this.#next = undefined;
  }

  /** The next part of a file; undefined if it has no other. */
  async #take(path: string): Promise<ArchiveEntry | undefined> {
    for (;;) {
      const entry = this.#next ?? ((await this.#entries?.next())?.value as ArchiveEntry | undefined);
      this.#next = undefined;
      if (!entry || entry.path === path) return entry;
      if ((this.#positions.get(entry.path) ?? -1) < this.#at) continue;
      this.#next = entry;
      return undefined;
    }
  }
}

/** The lines of a file while it is read. */
class FileLines {
  readonly #measure = new FileMeasure();
  /** Whether a part did not end with its last line. */
  #isCut = false;

  add(content: Buffer): string[] {
    for (let at = -1, count = 0; (at = content.indexOf(0x0a, at + 1)) >= 0; count += 1) {
      if (count === MOST_LINES) throw altered();
    }
    this.#measure.add(content);
    const lines = content.toString().split('\n');
    this.#isCut ||= lines.pop() !== '';
    this.#measure.records += lines.length;
    return lines;
  }

  compare(file: ArchiveFile): void {
    compareFile(file, this.#measure.of(file.path));
    if (this.#isCut) throw altered();
  }
}
