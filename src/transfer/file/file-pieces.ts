/** The records of a file in pieces that are written at once, each read while the one before it is written. */
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import type { FileReader, FileRecord } from './file-record.js';
import type { TextPart } from './imported-text.js';

/**
 * Records that are written at once, unless hooks take more. With a thousand records V8 copies their objects from one
 * generation to the next, and collecting them takes as long as all the rest.
 */
export const PIECE_RECORDS = 200;
/** Characters of the file that are written at once. */
const PIECE_CHARACTERS = 1024 * 1024;

interface PieceOptions {
  /** The most records of a piece. */
  readonly most: number;
  /** For whom the file is read. */
  readonly schema: string;
}

/** @throws the error that the file can't be read on for, after the records before it */
export async function* piecesOf(
  file: AsyncIterable<TextPart>,
  reader: FileReader,
  { most, schema }: PieceOptions,
): AsyncGenerator<FileRecord[]> {
  const yielder = new EventLoopYield(schema);
  const found: FileRecord[] = [];
  let characters = 0;
  try {
    for await (const { text, last } of file) {
      if (yielder.due) await yielder.pause();
      reader.read(text, last, found);
      for (; found.length >= most; characters = 0) yield found.splice(0, most);
      characters += text.length;
      if (found.length > 0 && (last || characters > PIECE_CHARACTERS)) {
        yield found.splice(0);
        characters = 0;
      }
    }
  } catch (error) {
    while (found.length > 0) yield found.splice(0, most);
    throw error;
  }
}

/** Reads a piece while the one before it is written. */
export class ReadAhead {
  #next: Promise<IteratorResult<FileRecord[], unknown>> | undefined;
  #work: (piece: FileRecord[]) => void = () => undefined;

  constructor(private readonly pieces: AsyncGenerator<FileRecord[]>) {}

  /** Resolves when the first piece is there. */
  async start(): Promise<void> {
    await this.#read();
  }

  /** Calls `work` with each piece as soon as it is read. */
  async each(work: (piece: FileRecord[]) => void): Promise<void> {
    const first = await (this.#next ?? this.#read()).catch(() => undefined);
    if (first && !first.done) work(first.value);
    this.#work = work;
  }

  /** Undefined at the end. */
  async next(): Promise<FileRecord[] | undefined> {
    const { done, value } = await (this.#next ?? this.#read());
    if (done) return undefined;
    this.#read().catch(() => undefined);
    return value;
  }

  #read(): Promise<IteratorResult<FileRecord[], unknown>> {
    return (this.#next = this.pieces.next().then((read) => {
      if (!read.done) this.#work(read.value);
      return read;
    }));
  }
}
