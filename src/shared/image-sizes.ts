/** The sizes in which pictures are served: the setting `image_sizes` of a project, such as `thumb:200x200:cover`. */
import { LIMITS } from './limits.js';
import { shortened } from './texts.js';

const MODES = ['cover', 'contain', 'inside'] as const;

/** In pixels; 0 is a free side, for `inside` only. */
export interface SizeOfImage {
  readonly width: number;
  readonly height: number;
  readonly mode: (typeof MODES)[number];
}

export type ImageSizes = ReadonlyMap<string, SizeOfImage>;

/** The sizes of projects that set none. */
export const DEFAULT_IMAGE_SIZES: ImageSizes = new Map<string, SizeOfImage>([
  ['thumb', { width: 200, height: 200, mode: 'cover' }],
  ['small', { width: 480, height: 480, mode: 'inside' }],
  ['medium', { width: 960, height: 960, mode: 'inside' }],
  ['large', { width: 1920, height: 1920, mode: 'inside' }],
]);

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const NAME_HINT = 'a lower-case letter, then up to 39 lower-case letters, digits, _ and -';
const MEASURES = /^(0|[1-9]\d{0,4})x(0|[1-9]\d{0,4})$/;

interface ParsedSizes {
  readonly sizes: ImageSizes;
  /** What is wrong with the text, each as a sentence; empty if the sizes can be used. */
  readonly faults: readonly string[];
}

export function parseImageSizes(text: string): ParsedSizes {
  const sizes = new Map<string, SizeOfImage>();
  const faults: string[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const [name = '', measures = '', mode = '', ...rest] = part.split(':');
    const size = rest.length === 0 ? sizeOf(measures, mode) : FORM;
    if (!NAME.test(name)) faults.push(`'${shortened(part)}': a name is ${NAME_HINT}.`);
    else if (typeof size === 'string') faults.push(`'${shortened(part)}': ${size}`);
    else if (sizes.has(name)) faults.push(`'${shortened(part)}': the name ${name} is given more than once.`);
    else sizes.set(name, size);
  }
  if (sizes.size > LIMITS.imageSizes) faults.push(`There are at most ${LIMITS.imageSizes} sizes.`);
  return { sizes, faults };
}

const FORM = 'a size is name:widthxheight:mode, such as thumb:200x200:cover.';

/** The size, or what is wrong with it. */
function sizeOf(measures: string, written: string): SizeOfImage | string {
  const [, width, height] = MEASURES.exec(measures) ?? [];
  if (width === undefined || height === undefined) return FORM;
  const mode = MODES.find((each) => each === written);
  if (!mode) return `the mode is ${MODES.slice(0, -1).join(', ')} or ${MODES.at(-1)}.`;
  const size = { width: Number(width), height: Number(height), mode };
  if (Math.max(size.width, size.height) > LIMITS.imageSide) return `a side has at most ${LIMITS.imageSide} pixels.`;
  if (size.width === 0 && size.height === 0) return 'one side at least has a number of pixels.';
  if (mode !== 'inside' && Math.min(size.width, size.height) === 0) return `0, a free side, is for inside only.`;
  return size;
}

/** The text that `parseImageSizes` reads. */
export function printImageSizes(sizes: ImageSizes): string {
  return [...sizes].map(([name, { width, height, mode }]) => `${name}:${width}x${height}:${mode}`).join(',');
}
