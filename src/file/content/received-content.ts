/**
 * The bytes of an upload on their way to the store. What is to be known of them is found while they pass, once and with
 * little memory; whatever is wrong with them is thrown to who reads them, so that nothing is kept.
 */
import { createHash } from 'node:crypto';
import { refusal } from '../../shared/errors.js';
import { byteSizeText } from '../../shared/texts.js';
import { ImageDimensions } from './image-dimensions.js';
import { type Claims, findMediaType, type FoundType, TYPE_BYTES, UNKNOWN_TYPE } from './media-type.js';
import { TextCheck } from './text-check.js';

export interface ContentFacts {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly mediaType: string;
  /** Of an image as it is shown upright, in pixels. */
  readonly width: number | null;
  readonly height: number | null;
}

export interface Expectations extends Claims {
  /** Bytes at most. */
  readonly limit: number;
}

export class ReceivedContent implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #expected: Expectations;
  readonly #sha256 = createHash('sha256');
  readonly #head = Buffer.alloc(TYPE_BYTES);
  readonly #text = new TextCheck();
  #bytes = 0;
  #type: FoundType | undefined;
  #dimensions: ImageDimensions | undefined;
  #facts: ContentFacts | undefined;

  constructor(source: AsyncIterable<Uint8Array>, expected: Expectations) {
    this.#source = source;
    this.#expected = expected;
  }

  /**
   * The same bytes; can be read once.
   * @throws KindError 413 beyond the limit; 400 if the type is not what was said
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.#source) {
      await this.#take(chunk);
      yield chunk;
    }
    await this.#end();
  }

  /** What the content is, when it was read to its end. */
  get facts(): ContentFacts {
    if (!this.#facts) throw new Error('the content was not read to its end');
    return this.#facts;
  }

  async #take(chunk: Uint8Array): Promise<void> {
    const { limit } = this.#expected;
    const before = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > limit) throw refusal('body.too_large', `A file has at most ${byteSizeText(limit)} here`);
    this.#sha256.update(chunk);
    if (!this.#type || this.#type.ifText) this.#text.add(chunk);
    if (this.#type) {
      this.#dimensions?.add(chunk);
      return;
    }
    const taken = chunk.subarray(0, TYPE_BYTES - before);
    this.#head.set(taken, before);
    if (this.#bytes < TYPE_BYTES) return;
    await this.#findType();
    this.#dimensions?.add(chunk.subarray(taken.length));
  }

  async #findType(): Promise<void> {
    const head = this.#head.subarray(0, this.#bytes);
    this.#type = await findMediaType(head, this.#expected);
    this.#dimensions = new ImageDimensions(this.#type.mediaType);
    this.#dimensions.add(head);
  }

  async #end(): Promise<void> {
    if (!this.#type) await this.#findType();
    const { mediaType = UNKNOWN_TYPE, ifText = false } = this.#type ?? {};
    const { width = null, height = null } = this.#dimensions?.upright ?? {};
    this.#facts = {
      bytes: this.#bytes,
      sha256: this.#sha256.digest('hex'),
      mediaType: ifText && !this.#text.isText ? UNKNOWN_TYPE : mediaType,
      width,
      height,
    };
  }
}
