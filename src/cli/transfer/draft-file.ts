/** A file that has its name when it is complete, and `.part` after it until then; or standard output. */
import { createWriteStream, rmSync, statSync, type Stats } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { errorText } from '../../shared/error-text.js';
import { ArchiveError } from '../../transfer/project/archive.js';
import { STANDARD_STREAM } from './transfer-options.js';

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

  /** Names the file in an error of its stream, which could be taken for one of the database. */
  failure(error: unknown): Error {
    const reason = errorText(error);
    return new Error(`${this.file} cannot be written: ${reason}`, { cause: error });
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
