/** What is used of tar-stream, which has no types of its own. */
declare module 'tar-stream' {
  import type { EventEmitter } from 'node:events';
  import type { Readable, Writable } from 'node:stream';

  interface Header {
    readonly name: string;
    readonly mode?: number;
    readonly mtime?: Date;
    readonly size?: number;
  }

  interface Pack extends EventEmitter, AsyncIterable<Buffer> {
    /** Adds a file. The callback is called when it was read, or won't be. @throws Error if it was destroyed */
    entry(header: Header, content: Buffer, taken: (error?: Error | null) => void): EventEmitter;
    /** Adds a file whose content is written piece by piece. */
    entry(header: Header & { readonly size: number }, taken: (error?: Error | null) => void): Writable;
    finalize(): void;
    destroy(error?: Error): void;
  }

  interface Entry extends Readable {
    readonly header: Header & { readonly size: number };
  }

  interface Extract extends Writable, AsyncIterable<Entry> {}

  export function pack(): Pack;
  export function extract(): Extract;
}
