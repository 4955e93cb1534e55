/** Width and height of an image, read from its bytes as they come. Nothing is decoded and nothing is kept. */
import { Parser as AvifParser } from 'probe-image-size/lib/formats/avif.js';
import { Parser as GifParser } from 'probe-image-size/lib/formats/gif.js';
import { Parser as JpegParser } from 'probe-image-size/lib/formats/jpeg.js';
import { Parser as PngParser } from 'probe-image-size/lib/formats/png.js';
import { Parser as WebpParser } from 'probe-image-size/lib/formats/webp.js';

interface Dimensions {
  readonly width: number;
  readonly height: number;
}

const PARSERS = new Map([
  ['image/avif', AvifParser],
  ['image/gif', GifParser],
  ['image/jpeg', JpegParser],
  ['image/png', PngParser],
  ['image/webp', WebpParser],
]);

/** What a header may say at most, and an integer of the database can be. */
const LARGEST = 2 ** 31 - 1;
/** From this EXIF orientation on, the image lies on its side. */
const FIRST_ON_ITS_SIDE = 5;

export class ImageDimensions {
  readonly #parser: JpegParser | undefined;

  constructor(mediaType: string) {
    const Parser = PARSERS.get(mediaType);
    this.#parser = Parser && new Parser();
  }

  add(bytes: Uint8Array): void {
    if (this.#parser?.getStatus() === 0) this.#parser.push(bytes);
  }

  /** As the image is shown upright; undefined if the bytes do not say it, or are of no image. */
  get upright(): Dimensions | undefined {
    const measured = this.#parser?.getResult();
    if (!measured) return undefined;
    const { width, height, orientation = 1 } = measured;
    if (!isDimension(width) || !isDimension(height)) return undefined;
    return orientation >= FIRST_ON_ITS_SIDE ? { width: height, height: width } : { width, height };
  }
}

function isDimension(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= LARGEST;
}
