import { describe, expect, test } from 'vitest';
import { formatToMake } from '../../../src/file/image/image-format.js';
import { DEFAULT_IMAGE_SIZES, parseImageSizes, printImageSizes } from '../../../src/shared/image-sizes.js';

describe('image_sizes', () => {
  test('names sizes, with spaces and a free side', () => {
    const { sizes, faults } = parseImageSizes('thumb:200x200:cover, card_2:640x480:contain,wide:4096x0:inside');
    expect(faults).toEqual([]);
    expect([...sizes]).toEqual([
      ['thumb', { width: 200, height: 200, mode: 'cover' }],
      ['card_2', { width: 640, height: 480, mode: 'contain' }],
      ['wide', { width: 4096, height: 0, mode: 'inside' }],
    ]);
    expect(printImageSizes(sizes)).toBe('thumb:200x200:cover,card_2:640x480:contain,wide:4096x0:inside');
  });

  test('are four where a project sets none', () => {
    const text = 'thumb:200x200:cover,small:480x480:inside,medium:960x960:inside,large:1920x1920:inside';
    expect(printImageSizes(DEFAULT_IMAGE_SIZES)).toBe(text);
    expect(parseImageSizes(text)).toEqual({ sizes: DEFAULT_IMAGE_SIZES, faults: [] });
  });

  const form = 'a size is name:widthxheight:mode, such as thumb:200x200:cover.';
  test.each([
    ['', "'': a name is a lower-case letter, then up to 39 lower-case letters, digits, _ and -."],
    ['a.b:1x1:cover', "'a.b:1x1:cover': a name is a lower-case letter, then up to 39"],
    [`${'a'.repeat(41)}:1x1:cover`, 'a name is a lower-case letter, then up to 39'],
    ['thumb', `'thumb': ${form}`],
    ['thumb:200:cover', `'thumb:200:cover': ${form}`],
    ['thumb:200x200:cover:webp', `'thumb:200x200:cover:webp': ${form}`],
    ['thumb:-1x200:cover', `'thumb:-1x200:cover': ${form}`],
    ['thumb:020x200:cover', `'thumb:020x200:cover': ${form}`],
    ['thumb:200x200:fit', "'thumb:200x200:fit': the mode is cover, contain or inside."],
    ['thumb:200x4097:inside', "'thumb:200x4097:inside': a side has at most 4096 pixels."],
    ['thumb:0x0:inside', "'thumb:0x0:inside': one side at least has a number of pixels."],
    ['thumb:0x200:cover', "'thumb:0x200:cover': 0, a free side, is for inside only."],
    ['thumb:200x0:contain', "'thumb:200x0:contain': 0, a free side, is for inside only."],
    ['thumb:1x1:cover,thumb:2x2:cover', "'thumb:2x2:cover': the name thumb is given more than once."],
  ])('refuses %j', (text, fault) => {
    expect(parseImageSizes(text).faults).toEqual([expect.stringContaining(fault)]);
  });

  test('tells all faults, and are twenty at most', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `s${n}:1x1:cover`).join(',');
    expect(parseImageSizes(many(20)).faults).toEqual([]);
    expect(parseImageSizes(many(21)).faults).toEqual(['There are at most 20 sizes.']);
    expect(parseImageSizes('thumb,small:1x1:fit').faults).toHaveLength(2);
  });
});

test.each([
  ['auto', 'image/avif,image/webp,image/apng,*/*;q=0.8', 'webp'],
  ['auto', 'text/html, IMAGE/WEBP ;q=0.5', 'webp'],
  ['auto', 'image/webp;q=0, image/png', 'jpeg-or-png'],
  ['auto', 'image/*,*/*', 'jpeg-or-png'],
  ['auto', undefined, 'jpeg-or-png'],
  ['webp', undefined, 'webp'],
  ['jpeg', 'image/webp', 'jpeg'],
  ['png', 'image/webp', 'png'],
  ['avif', 'image/avif', undefined],
  ['jpeg-or-png', undefined, undefined],
] as const)('format=%s with Accept %s makes %s', (requested, accept, made) => {
  expect(formatToMake(requested, accept)).toBe(made);
});
