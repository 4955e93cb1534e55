/**
 * Writes an export to its response: line by line, compressed where the client accepts it, and no faster than the client
 * reads. An export that fails after its first line breaks the connection, so that no client takes a part for the whole.
 */
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { acceptsGzip, varyOf } from '../http/answer/content-coding.js';
import type { HttpRequest, HttpResponse } from '../http/request/request.js';
import type { LineSink } from './file/cursor-lines.js';
import type { LineFormat } from './file/file-formats.js';
import { WAITING_LIMITS, WaitingTime } from './file/waiting-time.js';

/** Characters that are collected before they are written. */
const CHUNK = 64 * 1024;
/** The fastest level: others take several times as long and save little. */
export const GZIP_LEVEL = 1;

/** Receives the lines of an export. */
export interface ExportTarget extends LineSink {
  /** Aborts when nobody wants the rest. */
  readonly signal: AbortSignal;
  /** How long it has waited for its client, if one may keep it waiting. */
  readonly client?: WaitingTime;
  /** Whether anything was written, which can't be taken back. */
  readonly started: boolean;
  /** Resolves when all of it is written. */
  finish(): Promise<void>;
  /** Makes known that the file is not complete. */
  destroy(): void;
}

export class ExportOutput implements ExportTarget {
  readonly #abort = new AbortController();
  readonly client: WaitingTime;
  #target: Writable | undefined;
  #text = '';
  #full: Promise<void> | undefined;

  constructor(
    private readonly request: HttpRequest,
    private readonly response: HttpResponse,
    private readonly name: string,
    private readonly format: LineFormat,
    limits = WAITING_LIMITS,
  ) {
    this.client = new WaitingTime(limits);
    response.once('close', () => {
      if (!response.writableFinished) this.#abort.abort(new ClientGoneError());
    });
  }

  /** Aborts when the client has gone, or reads too slowly. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get started(): boolean {
    return this.#target !== undefined;
  }

  get headOnly(): boolean {
    return this.request.method === 'HEAD';
  }

  add(text: string): Promise<void> | undefined {
    this.#text += this.format.lineOf(text);
    return this.#text.length < CHUNK ? this.#full : this.#write();
  }

  /** Resolves when the client has read enough for more lines to be fetched. */
  async ready(): Promise<void> {
    await this.#full;
    this.signal.throwIfAborted();
  }

  /** Writes the rest and resolves when the client has received all of it. */
  async finish(): Promise<void> {
    await this.#write();
    const { response } = this;
    const sent = new Promise<void>((resolve) => response.once('finish', resolve).once('close', resolve));
    this.#target?.end();
    await this.client.during(sent, () => this.destroy());
  }

  /** Breaks the connection. With a reset, because some clients and proxies take a plain end for the end of the file. */
  destroy(): void {
    const { socket } = this.response;
    this.#target?.destroy();
    if (socket && !socket.destroyed) socket.resetAndDestroy();
    this.response.destroy();
  }

  #start(): Writable {
    const { request, response, format } = this;
    const gzip = acceptsGzip(request);
    response.writeHead(200, {
      'Content-Type': format.mediaType,
      'Content-Disposition': `attachment; filename="${this.name}.${format.extension}"`,
      ...(gzip && { 'Content-Encoding': 'gzip' }),
      Vary: `${varyOf(response)}, Accept-Encoding`,
    });
    this.#text = format.head + this.#text;
    if (!gzip) return response;
    const compressor = createGzip({ level: GZIP_LEVEL });
    compressor.pipe(response);
    compressor.on('error', () => this.destroy());
    return compressor;
  }

  #write(): Promise<void> | undefined {
    this.#target ??= this.#start();
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    if (this.signal.aborted || bytes.length === 0) return this.#full;
    const fits = this.#target.write(bytes);
    this.client.addBytes(bytes.length);
    if (!fits) this.#full ??= this.#drain(this.#target);
    return this.#full;
  }

  async #drain(target: Writable): Promise<void> {
    const { signal } = this;
    const drained = new Promise<void>((resolve) => {
      const settle = (): void => {
        target.off('drain', settle);
        signal.removeEventListener('abort', settle);
        resolve();
      };
      target.on('drain', settle);
      signal.addEventListener('abort', settle);
      if (signal.aborted) settle();
    });
    await this.client.during(drained, () => {
      this.#abort.abort(new ClientGoneError('the client reads too slowly'));
      this.destroy();
    });
    this.#full = undefined;
  }
}

/** The client has gone, so that there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor(text = 'the client has gone') {
    super(text);
  }
}
