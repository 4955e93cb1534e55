/**
 * Writes a backup: one file, a tar archive that is compressed with gzip (docs/backup.md). As tar
 * tells the length of a file before its content, the lines of a kind are many files, each of about a megabyte.
 */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import {
  MANIFEST,
  type ArchiveFileWriter,
  type ArchiveWriter,
  type Manifest,
  FileMeasure,
} from '../../transfer/project/archive.js';
import { withEnds } from './backup-ends.js';
import { headerOf, partName } from './backup.format.js';
import { DraftFile } from './file-output.js';

/** Characters of a part, which its last line may exceed. */
const PART = 1024 * 1024;
/** Only its owner may read it. */
const MODE = 0o600;
/** The fastest level: others take several times as long and save little. */
const GZIP_LEVEL = 1;

export class BackupWriter implements ArchiveWriter {
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
    this.#written = pipeline(
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

  open(path: string): Promise<ArchiveFileWriter> {
    return Promise.resolve(new BackupFileWriter(this, path));
  }

  async finish(manifest: Manifest): Promise<void> {
    await this.put(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
    this.#pack.finalize();
    await this.#written;
    await this.#file.keep();
  }

  async discard(): Promise<void> {
    this.#pack.destroy(new Error('the backup was given up'));
    await this.#written.catch(() => undefined);
    await this.#file.discard();
  }

  /** Resolves when there is room for another one. @throws Error if the file can't be written */
  async put(name: string, text: string): Promise<void> {
    this.throwIfFailed();
    await new Promise<void>((resolve) => {
      const entry = this.#pack.entry({ name, mode: MODE, mtime: this.#time }, Buffer.from(text), () => resolve());
      entry.on('error', () => undefined);
    });
    this.throwIfFailed();
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure;
  }
}

class BackupFileWriter implements ArchiveFileWriter {
  readonly #measure = new FileMeasure();
  #text = '';
  #parts = 0;
  #full: Promise<void> | undefined;

  constructor(
    private readonly backup: BackupWriter,
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
    this.backup.throwIfFailed();
  }

  async close() {
    if (this.#text !== '') this.#flush();
    await this.ready();
    return this.#measure.of(this.path);
  }

  #flush(): void {
    const text = this.#text;
    this.#text = '';
    this.#parts += 1;
    this.#measure.add(text);
    // Errors are found by `ready`.
    const written = this.backup.put(partName(this.path, this.#parts), text).catch(() => undefined);
    const all = Promise.all([this.#full, written]).then(() => {
      if (this.#full === all) this.#full = undefined;
    });
    this.#full = all;
  }
}
