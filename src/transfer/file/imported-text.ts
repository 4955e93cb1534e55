/**
 * The text of a file, part by part, as fast as it is read: decompressed and decoded, with limits on how long it keeps
 * waiting and on how large it becomes when it is decompressed.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { BodyDigest } from '../../http/body/content-digest.js';
import { sendContinue } from '../../http/body/read-body.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { WAITING_LIMITS, WaitingTime } from './waiting-time.js';

/** The stream has ended before its data has. */
class CutOffError extends Error {
  override readonly name = 'CutOffError';
}

/** Reads a stream part by part. Reading can be stopped at any time, and the stream stays open then. */
class ByteStream {
  #stopped = false;
  #settle: (() => void) | undefined;

  constructor(private readonly stream: Readable) {}

  /** Undefined at the end, and once it was stopped. @throws CutOffError, and errors of the stream */
  next(): Promise<Buffer | undefined> {
    const { stream } = this;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        stream.off('readable', attempt).off('end', attempt).off('close', attempt).off('error', attempt);
        this.#settle = undefined;
      };
      const attempt = (): void => {
        const bytes = this.#stopped ? null : (stream.read() as Buffer | null);
        if (bytes === null && !this.#stopped && !stream.readableEnded && !stream.destroyed) return;
        settle();
        if (bytes !== null) resolve(bytes);
        else if (this.#stopped || stream.readableEnded) resolve(undefined);
        else reject(stream.errored ?? new CutOffError('the stream was closed before its end'));
      };
      this.#settle = attempt;
      stream.on('readable', attempt).on('end', attempt).on('close', attempt).on('error', attempt);
      attempt();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#settle?.();
  }
}

/** Decompressed bytes up to which any ratio is accepted. */
const UNCHECKED_BYTES = 4 * 1024 * 1024;
/** Decompressed lines up to which any number of them may be in a byte. */
const UNCHECKED_LINES = 10_000;
const PART_BYTES = 64 * 1024;

export interface TextPart {
  readonly text: string;
  /** Set once, for the end. */
  readonly last: boolean;
}

/** @throws KindError 415 for an unknown coding */
function isGzip(encoding: string | undefined): boolean {
  const coding = encoding?.toLowerCase() ?? 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return true;
  if (coding === 'identity') return false;
  throw refusal('body.not_json', 'The content-encoding of an import must be gzip or none');
}

/** The body of a request. Reading it throws KindError 400, 413. */
export function requestFile(request: IncomingMessage): FileText {
  const { headers } = request;
  const [gzip, digest] = [isGzip(headers['content-encoding']), BodyDigest.of(headers)];
  sendContinue(request);
  return new FileText(request, gzip, WAITING_LIMITS, digest);
}

export class FileText implements AsyncIterable<TextPart> {
  readonly #bytes: ByteStream;
  readonly #gunzip: Gunzip | undefined;
  /** How long it has waited for the client. */
  readonly client: WaitingTime;
  #tooSlow = false;

  constructor(
    private readonly stream: Readable,
    gzip: boolean,
    limits = WAITING_LIMITS,
    private readonly digest?: BodyDigest,
  ) {
    this.client = new WaitingTime(limits);
    this.#gunzip = gzip ? inflated(stream) : undefined;
    if (gzip && digest) stream.on('data', (chunk: Buffer) => digest.add(chunk));
    this.#bytes = new ByteStream(this.#gunzip ?? stream);
  }

  /** Stops reading. The stream stays open, so that a request can be answered. */
  stop(): void {
    this.#bytes.stop();
    if (!this.#gunzip) return;
    this.stream.unpipe(this.#gunzip);
    this.#gunzip.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TextPart> {
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    let line = 1;
    const decode = (bytes?: Buffer): string => {
      try {
        return bytes ? utf8.decode(bytes, { stream: true }) : utf8.decode();
      } catch {
        throw refusal('import.malformed', `The file is not valid UTF-8, in or after line ${line}`, { line });
      }
    };
    let size = 0;
    for (let bytes = await this.#next(); bytes; bytes = await this.#next()) {
      size += bytes.length;
      if (!this.#gunzip) this.digest?.add(bytes);
      this.#checkInflation(size);
      const text = decode(bytes);
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line += 1;
      this.#checkLines(line);
      yield { text, last: false };
    }
    this.digest?.check();
    yield { text: decode(), last: true };
  }

  async #next(): Promise<Buffer | undefined> {
    const giveUp = (): void => {
      this.#tooSlow = true;
      this.stop();
    };
    let bytes: Buffer | undefined;
    try {
      bytes = await this.client.during(this.#bytes.next(), giveUp);
    } catch (error) {
      if (isDataError(error)) throw refusal('import.malformed', 'The body is not valid gzip');
      throw refusal('body.malformed', 'The body could not be read to its end');
    }
    if (this.#tooSlow) throw refusal('body.timeout', 'The body took too long to arrive');
    this.client.addBytes(bytes?.length ?? 0);
    return bytes;
  }

  #checkInflation(size: number): void {
    const received = this.#gunzip?.bytesWritten ?? size;
    if (size <= UNCHECKED_BYTES || size <= received * LIMITS.importedInflation) return;
    throw refusal('body.too_large', `A compressed file may become ${LIMITS.importedInflation} times as large at most`);
  }

  /** Each line may be a record, which takes far longer than its bytes say. */
  #checkLines(lines: number): void {
    const most = LIMITS.importedLines;
    if (!this.#gunzip || lines <= UNCHECKED_LINES || lines <= this.#gunzip.bytesWritten * most) return;
    const text = `A compressed file may have ${most} lines for each of its bytes at most: send it uncompressed`;
    throw refusal('body.too_large', text);
  }
}

function inflated(stream: Readable): Gunzip {
  const gunzip = createGunzip({ chunkSize: PART_BYTES });
  // Its errors are found when it is read.
  gunzip.on('error', () => undefined);
  stream.once('close', () => {
    if (!stream.readableEnded) gunzip.destroy();
  });
  return stream.pipe(gunzip);
}

/** The errors of zlib for invalid data have codes such as Z_DATA_ERROR. */
function isDataError(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code.startsWith('Z_');
}
