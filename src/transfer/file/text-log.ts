/** A text that is appended to and read again from its start: short ones in memory, longer ones in a temporary file. */
import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Characters that are kept in memory. */
const MEMORY = 256 * 1024;
const PART_BYTES = 64 * 1024;

export class TextLog {
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
