/**
 * The text of an imported file, which a conflict with another transaction makes the import read again: what has arrived
 * is kept meanwhile, as far as there is place for it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { retryLater, type KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { FileText, TextPart } from './imported-text.js';
import type { WaitingTime } from './waiting-time.js';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class RepeatedText {
  readonly #arriving: AsyncIterator<TextPart>;
  /** Undefined if the text is too long to be kept. */
  #log: TextLog | undefined;
  readonly #hash = createHash('sha256');
  #digest: string | undefined;
  #readings = 0;
  #started = false;
  #ended = false;
  /** The part that is waited for, or the error that no part follows. */
  #next: Promise<TextPart | undefined> | undefined;

  constructor(
    private readonly file: FileText,
    /** Whether the hash of the text is wanted. */
    private readonly hashed = false,
    mostBytes = LIMITS.importedKept,
  ) {
    this.#arriving = file[Symbol.asyncIterator]();
    this.#log = new TextLog(mostBytes);
  }

  /** Whether all of it has arrived. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The hash of the text. Read it when all of it has arrived. */
  get hash(): string {
    return (this.#digest ??= this.#hash.digest('base64'));
  }

  /** How long it has waited for the client. */
  get client(): WaitingTime {
    return this.file.client;
  }

  /** Resolves when all of it has arrived, or so much of it, or what it fails on, which is the error of its reading. */
  async arriveAhead(characters: number): Promise<void> {
    try {
      while (!this.#ended && this.#log && this.#log.characters < characters) await (this.#next ??= this.#arrived());
    } catch {
      // What was read before it comes first.
    }
  }

  /** The whole text. A reading ends when the next one begins. @throws KindError 503 if it can't be read again */
  async *read(): AsyncGenerator<TextPart> {
    const reading = (this.#readings += 1);
    // The reading before may be waiting for a part, which is kept too.
    await this.#next?.catch(() => undefined);
    if (this.#started) yield* this.#kept();
    while (!this.#ended && reading === this.#readings) {
      const part = await (this.#next ??= this.#arrived());
      if (part && reading === this.#readings) yield part;
    }
  }

  /** Resolves when all of it has arrived, and ends the reading. @throws KindError 503 if it can't be read again */
  async arrive(): Promise<void> {
    this.#readings += 1;
    while (!this.#ended && this.#log) await (this.#next ??= this.#arrived());
    if (!this.#log) throw tooLong();
  }

  /** Resolves when all of it has arrived, without keeping it. */
  async skip(): Promise<void> {
    this.#readings += 1;
    await this.#forget();
    while (!this.#ended) await (this.#next ??= this.#arrived());
  }

  /** Stops reading; the stream stays open. */
  async close(): Promise<void> {
    this.file.stop();
    await this.#next?.catch(() => undefined);
    await this.#log?.close();
  }

  async *#kept(): AsyncGenerator<TextPart> {
    if (!this.#log) throw tooLong();
    for await (const text of this.#log.read()) yield { text, last: false };
    if (this.#ended) yield { text: '', last: true };
  }

  async #arrived(): Promise<TextPart | undefined> {
    this.#started = true;
    const next = await this.#arriving.next();
    const part = next.done ? undefined : next.value;
    if (part && this.hashed) this.#hash.update(part.text);
    if (part && this.#log && !(await this.#log.append(part.text))) await this.#forget();
    this.#ended = part?.last ?? true;
    this.#next = undefined;
    return part;
  }

  async #forget(): Promise<void> {
    await this.#log?.close();
    this.#log = undefined;
  }
}

function tooLong(): KindError {
  return retryLater('server.busy', 'Others change the same units, and the file is too long to be tried again');
}

/** Characters that are kept in memory. */
const MEMORY = 256 * 1024;
const PART_BYTES = 64 * 1024;

/** A text that is appended to and read again from its start: short ones in memory, longer ones in a temporary file. */
class TextLog {
  #memory: string[] = [];
  #characters = 0;
  #bytes = 0;
  #file: FileHandle | undefined;

  /** UTF-16 code units of all of it. */
  get characters(): number {
    return this.#characters;
  }

  /** @param mostBytes that the temporary file may have */
  constructor(private readonly mostBytes: number) {}

  /** Returns false if the text is too long, or there is no place for temporary files; then nothing can be read. */
  async append(text: string): Promise<boolean> {
    this.#characters += text.length;
    if (!this.#file && this.#characters <= MEMORY) {
      this.#memory.push(text);
      return true;
    }
    try {
      this.#file ??= await temporaryFile();
      await this.#write(this.#memory.join(''));
      this.#memory = [];
      await this.#write(text);
      return this.#bytes <= this.mostBytes;
    } catch {
      return false;
    }
  }

  async *read(): AsyncGenerator<string> {
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    const buffer = Buffer.alloc(PART_BYTES);
    for (let at = 0; this.#file && at < this.#bytes;) {
      const { bytesRead } = await this.#file.read(buffer, 0, Math.min(PART_BYTES, this.#bytes - at), at);
      if (bytesRead === 0) throw new Error('the temporary file of an import was cut off');
      at += bytesRead;
      yield utf8.decode(buffer.subarray(0, bytesRead), { stream: true });
    }
    yield* [...this.#memory];
  }

  async close(): Promise<void> {
    this.#memory = [];
    await this.#file?.close();
    this.#file = undefined;
  }

  async #write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#file?.appendFile(bytes);
    this.#bytes += bytes.length;
  }
}

/** It has no name any more once it is open, so that nothing is left behind. */
async function temporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `kind-import-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
