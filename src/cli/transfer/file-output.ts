/** Writes an export to a file or to standard output. */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ExportTarget, LineFormat } from '../../transfer/export.output.js';
import { DraftFile } from './draft-file.js';
import { isCompressed } from './transfer-options.js';

/** Characters that are collected before they are written. */
const CHUNK = 64 * 1024;

interface FileOutputOptions {
  readonly onLine: () => void;
  /** Called with each part of the text before it is written. */
  readonly onText?: (text: string) => void;
  /** Who may read a new file; by default, what the user's settings say. */
  readonly mode?: number;
}

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
    private readonly options: FileOutputOptions,
  ) {
    this.#file = new DraftFile(file, options.mode);
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
    this.options.onLine();
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
    this.options.onText?.(text);
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
