/** Files that commands write, and exports in them. */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ExportTarget } from '../../transfer/export-output.js';
import type { LineFormat } from '../../transfer/file/file-formats.js';
import { isCompressed, STANDARD_STREAM } from './transfer-options.js';
import { createWriteStream, rmSync, statSync, type Stats } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { errorText } from '../../shared/texts.js';
import { ArchiveError } from '../../transfer/project/archive.js';

/** A file that has its name when it is complete, and `.part` after it until then; or standard output. */
export class DraftFile {
  readonly stream: Writable;
  readonly isStandard: boolean;
  readonly #draft: string;

  /** @param mode who may read it; by default, what the user's settings say @throws ArchiveError if it can't be replaced by a file */
  constructor(
    private readonly file: string,
    mode?: number,
  ) {
    this.isStandard = file === STANDARD_STREAM;
    // The draft could be written, and only at the end not get its name.
    if (!this.isStandard) checkReplaceable(file);
    this.#draft = `${file}.part`;
    this.stream = this.isStandard ? process.stdout : createDraft(this.#draft, mode);
  }

  /** Call it when the stream has ended. */
  async keep(): Promise<void> {
    if (this.isStandard) return;
    await rename(this.#draft, this.file).catch((error: unknown) => {
      throw this.failure(error);
    });
  }

  failure(error: unknown): Error {
    return writeFailure(this.file, error);
  }

  async discard(): Promise<void> {
    if (!this.isStandard) await rm(this.#draft, { force: true });
  }
}

/**
 * Not one that an interrupted command has left, or that somebody else has put there: others might read it, or it might
 * lead to another file.
 */
function createDraft(path: string, mode: number | undefined): Writable {
  rmSync(path, { force: true });
  // Flushed, so that it is on the disk when it has its name.
  return createWriteStream(path, { flags: 'wx', mode, flush: true });
}

/** A device such as /dev/null would be gone after the file has taken its name. @throws ArchiveError */
function checkReplaceable(path: string): void {
  if (path === '') throw new ArchiveError('the name of the file is empty: name a file, or - for standard output');
  const found = stateOf(path);
  if (found?.isDirectory()) throw new ArchiveError(`${path} is a folder: name a file in it`);
  if (found && !found.isFile()) {
    throw new ArchiveError(`${path} is a device or a pipe: name a file, or - for standard output`);
  }
}

/** Undefined if it can't be told: the stream finds out why. */
function stateOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Characters that are collected before they are written. */
const CHUNK = 64 * 1024;

export class FileOutput implements ExportTarget {
  readonly #abort = new AbortController();
  readonly #target: Writable;
  readonly #file: DraftFile;
  readonly #written: Promise<void>;
  #text = '';
  #full: Promise<void> | undefined;
  #started = false;

  constructor(
    file: string,
    private readonly format: Pick<LineFormat, 'head' | 'lineOf'>,
    private readonly onLine: () => void,
  ) {
    this.#file = new DraftFile(file);
    const { stream: output } = this.#file;
    const compressor = isCompressed(file) ? createGzip() : undefined;
    this.#target = compressor ?? output;
    const written = compressor ? pipeline(compressor, output) : closed(output);
    this.#written = written.catch((error: unknown) => {
      throw this.#file.failure(error);
    });
    this.#written.catch((error: unknown) => this.#abort.abort(error));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get started(): boolean {
    return this.#started;
  }

  add(text: string): Promise<void> | undefined {
    this.onLine();
    this.#text += this.format.lineOf(text);
    if (this.#text.length >= CHUNK) this.#write();
    return this.#full;
  }

  async ready(): Promise<void> {
    await this.#full;
    this.signal.throwIfAborted();
  }

  async finish(): Promise<void> {
    this.#write();
    await this.#full;
    if (this.#file.isStandard) return;
    this.#target.end();
    await this.#written;
    await this.#file.keep();
  }

  destroy(): void {
    if (this.#file.isStandard) return;
    this.#target.destroy();
    void this.#file.discard();
  }

  #write(): void {
    const text = this.#started ? this.#text : this.format.head + this.#text;
    this.#started = true;
    this.#text = '';
    if (this.#target.write(text)) return;
    this.#full ??= new Promise((resolve) => {
      const settle = (): void => {
        this.#target.off('drain', settle);
        this.signal.removeEventListener('abort', settle);
        this.#full = undefined;
        resolve();
      };
      this.#target.on('drain', settle);
      this.signal.addEventListener('abort', settle);
    });
  }
}

function closed(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject).once('finish', resolve);
  });
}

/** Names the file in an error, which could be taken for one of the database. */
export function writeFailure(file: string, error: unknown): Error {
  return new Error(`${file} cannot be written: ${errorText(error)}`, { cause: error });
}
