/** What is used of probe-image-size: its parsers of single formats, which read pieces and have no types. */
declare module 'probe-image-size/lib/formats/*' {
  interface Measured {
    readonly width: number;
    readonly height: number;
    /** That of EXIF, from 1 to 8. */
    readonly orientation?: number;
  }

  export class Parser {
    /** Takes the next bytes. */
    push(bytes: Uint8Array): void;
    /** 0 while more bytes are needed. */
    getStatus(): number;
    getResult(): Measured | undefined;
  }
}
