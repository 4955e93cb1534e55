import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ImageDimensions } from '../../../src/file/content/image-dimensions.js';
import { AVIF, GIF, JPEG, PNG, turnedAvif, turnedJpeg, turnedWebp, WEBP, WEBP_LOSSLESS } from './images.js';

function dimensionsOf(type: string, bytes: Uint8Array, piece = bytes.length): readonly number[] | undefined {
  const dimensions = new ImageDimensions(`image/${type}`);
  for (let at = 0; at < bytes.length; at += piece) dimensions.add(bytes.subarray(at, at + piece));
  const { upright } = dimensions;
  return upright && [upright.width, upright.height];
}

const IMAGES: readonly (readonly [string, Buffer])[] = [
  ['png', PNG],
  ['gif', GIF],
  ['jpeg', JPEG],
  ['webp', WEBP],
  ['webp', WEBP_LOSSLESS],
  ['avif', AVIF],
  ['jpeg', turnedJpeg(3)],
  ['webp', turnedWebp(4)],
  ['avif', turnedAvif(2)],
];
const ON_THEIR_SIDE: readonly (readonly [string, Buffer])[] = [
  ...[5, 6, 7, 8].map((orientation) => ['jpeg', turnedJpeg(orientation)] as const),
  ['jpeg', turnedJpeg(6, 500_000)],
  ['webp', turnedWebp(6)],
  ['webp', turnedWebp(8, 500_000)],
  ['avif', turnedAvif(1)],
  ['avif', turnedAvif(3)],
];

describe('width and height', () => {
  test.each(IMAGES)('are read of an image: %s', (type, bytes) => {
    expect(dimensionsOf(type, bytes)).toEqual([3, 2]);
    expect(dimensionsOf(type, bytes, 1)).toEqual([3, 2]);
  });

  test.each(ON_THEIR_SIDE)('are those of the image when it is turned upright: %s', (type, bytes) => {
    expect(dimensionsOf(type, bytes, 4096)).toEqual([2, 3]);
  });

  it('are not known of other types, of parts, and of what no image has', () => {
    expect(dimensionsOf('tiff', PNG)).toBeUndefined();
    expect(dimensionsOf('png', JPEG)).toBeUndefined();
    for (const [type, bytes] of IMAGES) expect(dimensionsOf(type, bytes.subarray(0, 8))).toBeUndefined();
    for (const width of ['00000000', 'ffffffff']) {
      const png = Buffer.from(PNG);
      png.set(Buffer.from(width, 'hex'), 16);
      expect(dimensionsOf('png', png)).toBeUndefined();
    }
  });

  it('are read of any bytes without an error', () => {
    const image = fc.constantFrom(...IMAGES, ...ON_THEIR_SIDE.filter(([, { length }]) => length < 5000));
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(image, edits, fc.integer({ min: 1, max: 300 }), ([type, bytes], changed, piece) => {
        const broken = Buffer.from(bytes);
        for (const [at, byte] of changed) broken[at % broken.length] = byte;
        const [width = 1, height = 1] = dimensionsOf(type, broken, piece) ?? [];
        expect(width > 0 && height > 0 && Number.isInteger(width + height)).toBe(true);
      }),
    );
  });
});
