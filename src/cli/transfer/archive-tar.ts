/**
 * An archive as one file: a tar that is compressed with gzip (docs/backup.md). As tar tells the length of a file before
 * its content, the lines of a kind are many files, each of about a megabyte.
 */
import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { pipeline as piped } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, pack, type Entry } from 'tar-stream';
import { GZIP_LEVEL } from '../../transfer/export-output.js';
import { altered, ArchiveError, isContent, MANIFEST } from '../../transfer/project/archive.js';
import type { ArchiveEntry, EntrySource } from '../../transfer/project/archive.reader.js';
import type { EntrySink } from '../../transfer/project/archive.writer.js';
import { checkBackupEnds, headerOf, withEnds, withoutLastEnd } from './backup-ends.js';
import { DraftFile } from './file-output.js';

/** Bytes of the largest file in a backup that is read: a text can't be longer. A part has one megabyte, and a record. */
const MOST_BYTES = 500 * 1024 * 1024;
/** Only its owner may read it. */
const MODE = 0o600;

/** The name of one part of a file: `kinds/book/000001.ndjson`. */
function partName(path: string, number: number): string {
  return path.replace(/\.ndjson$/, `/${String(number).padStart(6, '0')}.ndjson`);
}

/** The file that a part belongs to; any other name as it is. */
function pathOfPart(name: string): string {
  const [, path] = /^(.+)\/\d{6,}\.ndjson$/.exec(name) ?? [];
  return path === undefined ? name : `${path}.ndjson`;
}

export class TarSource implements EntrySource {
  constructor(private readonly file: string) {}

  async *entries(onRead: (bytes: number) => void = () => undefined): AsyncGenerator<ArchiveEntry> {
    await checkBackupEnds(this.file);
    const source = createReadStream(this.file);
    const unpacked = pipeline(source, withoutLastEnd, createGunzip(), () => undefined);
    const plain = Readable.from(plainFiles(unpacked, MOST_BYTES));
    try {
      for await (const entry of entriesOf(plain)) {
        const path = pathOfPart(entry.header.name);
        if (isContent(path)) {
          for await (const piece of entry) {
            onRead(source.bytesRead);
            yield { path, content: piece as Buffer };
          }
          continue;
        }
        const content = await contentOf(entry);
        onRead(source.bytesRead);
        yield { path, content };
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

const BLOCK = 512;
/** Where the header of a file has its size, in octal digits, and its type. */
const SIZE = { at: 124, end: 136 };
const TYPE = 156;
const NAME_BYTES = 100;
const PLAIN = new Set([0, '0'.charCodeAt(0)]);

/**
 * Lets a tar file through that has only what a backup has: plain files of bounded size. What else tar knows, such as
 * headers that give the next entry another size or name, is never needed, and could take any memory.
 * @throws ArchiveError for anything else
 */
async function* plainFiles(source: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  let header = Buffer.alloc(0);
  /** Bytes of the current file that are still to come. */
  let left = 0;
  for await (const piece of source) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + (left || BLOCK - header.length));
      at += part.length;
      if (left > 0) {
        left -= part.length;
        continue;
      }
      header = Buffer.concat([header, part]);
      if (header.length < BLOCK) continue;
      left = Math.ceil(sizeIn(header, mostBytes) / BLOCK) * BLOCK;
      header = Buffer.alloc(0);
    }
    yield piece;
  }
}

function sizeIn(header: Buffer, most: number): number {
  // The end of the archive.
  if (header.every((byte) => byte === 0)) return 0;
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(header.toString('latin1', SIZE.at, SIZE.end)) ?? [];
  const size = digits === undefined ? NaN : parseInt(digits, 8);
  // The content of a file is never in memory as a whole.
  const limit = isContent(header.toString('latin1', 0, NAME_BYTES)) ? Infinity : most;
  if (!PLAIN.has(header[TYPE] ?? -1) || !(size <= limit)) throw altered();
  return size;
}

export class TarSink implements EntrySink {
  readonly #pack = pack();
  /** Of every file in it. The clock of this host may be wrong. */
  #time = new Date();
  readonly #file: DraftFile;
  readonly #written: Promise<void>;
  #failure: Error | undefined;

  /** @param file its path; `-` is standard output */
  constructor(file: string, project: string) {
    this.#file = new DraftFile(file, MODE);
    const parts = this.#pack;
    // `#written` has it.
    parts.on('error', () => undefined);
    this.#written = piped(
      async function* () {
        yield* parts;
      },
      createGzip({ level: GZIP_LEVEL }),
      (packed: AsyncIterable<Buffer>) => withEnds(headerOf(project), packed),
      this.#file.stream,
    ).catch((error: unknown) => {
      this.#failure = this.#file.failure(error);
      parts.destroy();
      throw this.#failure;
    });
    this.#written.catch(() => undefined);
  }

  begin(time: string): void {
    this.#time = new Date(time);
  }

  async content(path: string, bytes: number, content: AsyncIterable<Buffer>): Promise<void> {
    this.#throwIfFailed();
    let ended: (error?: Error | null) => void = () => undefined;
    const written = new Promise<void>((resolve, reject) => {
      ended = (error) => (error ? reject(error) : resolve());
    });
    written.catch(() => undefined);
    const header = { name: path, mode: MODE, mtime: this.#time, size: bytes };
    const entry = this.#pack.entry(header, (error) => ended(error));
    for await (const piece of content) {
      if (!entry.write(piece)) await Promise.race([once(entry, 'drain'), written]);
    }
    entry.end();
    await written;
    this.#throwIfFailed();
  }

  put(path: string, part: number, text: string): Promise<void> {
    return this.#put(partName(path, part), text);
  }

  async #put(name: string, text: string): Promise<void> {
    this.#throwIfFailed();
    await new Promise<void>((resolve) => {
      const entry = this.#pack.entry({ name, mode: MODE, mtime: this.#time }, Buffer.from(text), () => resolve());
      entry.on('error', () => undefined);
    });
    this.#throwIfFailed();
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure;
  }

  async finish(manifest: string): Promise<void> {
    await this.#put(MANIFEST, manifest);
    this.#pack.finalize();
    await this.#written;
    await this.#file.keep();
  }

  async discard(): Promise<void> {
    this.#pack.destroy(new Error('the backup was given up'));
    await this.#written.catch(() => undefined);
    await this.#file.discard();
  }
}
