/** Writes an archive as entries, wherever they go: each file in parts of about a megabyte, and the manifest at the end. */
import { FileMeasure, type ArchiveFile, type ArchiveFileWriter, type ArchiveWriter, type Manifest } from './archive.js';

/** Characters of a part, which its last line may exceed. */
const PART = 1024 * 1024;

/** Each method but `begin` resolves when there is room for more. @throws Error if it can't be written */
export interface EntrySink {
  begin?(time: string): void;
  /** Begins a file. */
  open?(path: string): Promise<void>;
  /** @param part the number of the part, from 1 */
  put(path: string, part: number, text: string): Promise<void>;
  /** Writes the content of a file, which is not opened. */
  content(path: string, bytes: number, content: AsyncIterable<Buffer>): Promise<void>;
  /** Ends the file that was opened. */
  close?(): Promise<void>;
  /** Writes the manifest, and ends the archive. */
  finish(manifest: string): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

export class EntryWriter implements ArchiveWriter {
  constructor(private readonly sink: EntrySink) {}

  begin(time: string): void {
    this.sink.begin?.(time);
  }

  async open(path: string): Promise<ArchiveFileWriter> {
    await this.sink.open?.(path);
    return new FileWriter(this.sink, path);
  }

  async content(path: string, bytes: number, content: AsyncIterable<Buffer>): Promise<ArchiveFile> {
    const measure = new FileMeasure();
    await this.sink.content(path, bytes, measured(content, measure));
    return measure.of(path);
  }

  finish(manifest: Manifest): Promise<void> {
    return this.sink.finish(`${JSON.stringify(manifest, null, 2)}\n`);
  }

  discard(): Promise<void> {
    return this.sink.discard();
  }
}

async function* measured(content: AsyncIterable<Buffer>, measure: FileMeasure): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    measure.add(piece);
    yield piece;
  }
}

class FileWriter implements ArchiveFileWriter {
  readonly #measure = new FileMeasure();
  #text = '';
  #parts = 0;
  /** Set while a part is written. */
  #full: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly sink: EntrySink,
    private readonly path: string,
  ) {}

  add(text: string): Promise<void> | undefined {
    this.#measure.records += 1;
    this.#text += `${text}\n`;
    if (this.#text.length >= PART) this.#flush();
    return this.#full;
  }

  async ready(): Promise<void> {
    await this.#full;
    if (this.#failure) throw this.#failure.error;
  }

  async close(): Promise<ArchiveFile> {
    if (this.#text !== '') this.#flush();
    await this.ready();
    await this.sink.close?.();
    return this.#measure.of(this.path);
  }

  #flush(): void {
    const text = this.#text;
    const number = (this.#parts += 1);
    this.#text = '';
    this.#measure.add(text);
    const written = this.#put(this.#full, number, text).then(() => {
      if (this.#full === written) this.#full = undefined;
    });
    this.#full = written;
  }

  /** Errors are found by `ready`. */
  async #put(before: Promise<void> | undefined, number: number, text: string): Promise<void> {
    await before;
    try {
      if (!this.#failure) await this.sink.put(this.path, number, text);
    } catch (error) {
      this.#failure = { error };
    }
  }
}
