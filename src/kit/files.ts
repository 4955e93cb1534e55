/** The contents of files (docs/files.md), for functions and hooks. */
import type { Readable } from 'node:stream';
import type { GivenFor, SomeOf, UnitOf } from './kinds.js';
import type { WithEtag } from './units.js';

/** Files with their contents. All else of them are units of the kind `file`: `units('file')`. */
export interface Files {
  /**
   * Makes a file. Its content is stored at once, and is removed again if the transaction is not committed.
   *
   * @throws 400, 403, 409 `project.full`, 413, 503 if too much is uploaded to the project
   */
  create(file: NewFile): Promise<WithEtag<UnitOf<'file'>>>;
  /** A file with its content. @throws 403 `file.original` if others than its owner see sizes of it alone, 404 */
  open(id: string): Promise<OpenedFile>;
  /**
   * Makes an address, whose beginning is that of the service. It opens the content without a token until its time is over;
   * `&size=thumb`, `&format=` and `&download=true` may be appended.
   *
   * @throws 403, 404
   */
  url(id: string, options?: UrlOptions): Promise<string>;
}

/** A file that is to be made: its name, its content, and values of its parameters. */
export type NewFile = SomeOf<Omit<GivenFor<'file'>, 'name' | 'content'>> & {
  readonly name: string;
  /** A stream is read to its end, piece by piece; it may read units. */
  readonly content: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** What a text is, such as `text/csv`. All else is found in the content, and must be what is said here. */
  readonly media_type?: string | undefined;
};

/** A file with its content, which is not enumerable. */
export type OpenedFile = WithEtag<UnitOf<'file'>> & {
  /** Is opened when it is read, and closed at the end of the call at the latest. */
  readonly content: Readable;
};

/** Of an address. */
export interface UrlOptions {
  /** 1 to 604,800; `file_url_seconds` of the project if omitted. */
  readonly seconds?: number;
}
