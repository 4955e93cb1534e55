/**
 * Sizes of pictures. Each is made once and kept beside the object of its picture, under a key with a digest of the
 * setting that it was made with, so that a size that is changed is made anew.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { hasSizes } from '../model/built-in/sized-types.js';
import { lruCache } from '../shared/maps.js';
import { refusal } from '../shared/errors.js';
import { DEFAULT_IMAGE_SIZES, parseImageSizes, type ImageSizes } from '../shared/image-sizes.js';
import { LIMITS } from '../shared/limits.js';
import { MetricSources } from '../shared/metric-sources.js';
import { SharedLoads } from '../shared/shared-loads.js';
import { byteSizeText, didYouMean, errorText, shortened } from '../shared/texts.js';
import type { ContentRow } from '../sql/file/content.sql.js';
import type { Project } from '../tenancy/project.js';
import { ImageMaker, noImage } from './image/image-maker.js';
import { AUTO, formatToMake, type ImageFormat } from './image/image-format.js';
import { FILE_STORE, Objects, sizeKey } from './objects.js';
import { asContent, type ByteRange, type FileStore } from './store/file-store.js';

/** What a request asks of a picture. */
export interface SizeAsked {
  readonly name: string;
  readonly format: ImageFormat;
}

/** A picture in a size. */
interface SizedPicture {
  readonly key: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** What has just been made. */
  readonly made?: Buffer;
}

/** Those of which is remembered that they are there, so that the store is asked once. */
const REMEMBERED = 10_000;
const SETTINGS = 1000;
/** Of a digest, which tells a setting from those that the project had before. */
const DIGITS = 8;

/** The ends of the keys that a format may have. */
const ENDS: Readonly<Record<ImageFormat, readonly string[]>> = {
  webp: ['webp'],
  jpeg: ['jpeg'],
  png: ['png'],
  'jpeg-or-png': ['auto.jpeg', 'auto.png'],
};

@Injectable()
export class Pictures {
  readonly #log = new Logger('files');
  readonly #settings = lruCache<ImageSizes>(SETTINGS);
  readonly #known = lruCache<SizedPicture>(REMEMBERED);
  readonly #finding = new SharedLoads<SizedPicture>();

  constructor(
    private readonly objects: Objects,
    private readonly maker: ImageMaker,
    @Inject(FILE_STORE) private readonly store: FileStore,
    metricSources: MetricSources,
  ) {
    metricSources.addQueue('pictures', maker.queue);
  }

  /** @throws KindError 400 for a name that the project does not have, 503 */
  async find(row: ContentRow, { id, settings }: Project, { name, format }: SizeAsked): Promise<SizedPicture> {
    const sizes = this.#sizesOf(settings.imageSizes);
    const size = sizes.get(name);
    if (!size) {
      const hint = didYouMean(name, sizes.keys()) || ` (there are ${[...sizes.keys()].join(', ')})`;
      throw refusal('query.bad_value', `size: no size '${shortened(name)}'${hint}`, { parameter: 'size' });
    }
    if (!hasSizes(row.media_type)) throw noImage();
    // It is copied before anything of it is known, while other pictures wait.
    if (Number(row.bytes) > LIMITS.imageBytes) {
      throw refusal('file.image_too_large', `The picture has more than ${byteSizeText(LIMITS.imageBytes)}`);
    }
    const setting = createHash('sha256').update(JSON.stringify(size)).digest('hex').slice(0, DIGITS);
    const keys = ENDS[format].map((end) => sizeKey(row.object, `${name}.${setting}.${end}`));
    const known = keys.flatMap((key) => this.#known.get(key) ?? [])[0];
    if (known) return known;
    return this.#finding.run(keys.join(), async () => {
      const stored = await this.#stored(keys);
      if (stored) return stored;
      const source = () => this.objects.open(row.object);
      const { bytes, mediaType } = await this.maker.make(source, size, format, keys.join(), id);
      const key = keys.find((each) => mediaTypeOf(each) === mediaType) ?? keys[0] ?? '';
      const made = { key, bytes: bytes.length, mediaType };
      await this.#keep(made, bytes);
      return { ...made, made: bytes };
    });
  }

  /** A picture that was found, from the store or as it was just made. */
  async open({ key, made }: SizedPicture, range?: ByteRange): Promise<Readable> {
    if (made) return Readable.from([range ? made.subarray(range.first, range.last + 1) : made], { objectMode: false });
    try {
      return await this.objects.open(key, range);
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }

  #sizesOf(setting: string | null | undefined): ImageSizes {
    if (setting === undefined || setting === null) return DEFAULT_IMAGE_SIZES;
    const known = this.#settings.get(setting);
    if (known) return known;
    const { sizes } = parseImageSizes(setting);
    this.#settings.set(setting, sizes);
    return sizes;
  }

  async #stored(keys: readonly string[]): Promise<SizedPicture | undefined> {
    for (const key of keys) {
      const bytes = await this.store.head(key);
      if (bytes === undefined) continue;
      const picture = { key, bytes, mediaType: mediaTypeOf(key) };
      this.#known.set(key, picture);
      return picture;
    }
    return undefined;
  }

  /** If the store fails, it is made again the next time. */
  async #keep(picture: SizedPicture, bytes: Buffer): Promise<void> {
    try {
      await this.store.put(picture.key, asContent(bytes), bytes.length);
      this.#known.set(picture.key, picture);
    } catch (error) {
      this.#log.warn(`a size of a picture is not kept: ${errorText(error)}`);
    }
  }
}

/** @throws KindError 400 */
export function sizeAsked(
  name: string | undefined,
  format: string | undefined,
  accept: string | undefined,
): SizeAsked | undefined {
  if (name === undefined) {
    if (format === undefined) return undefined;
    throw refusal('query.bad_value', 'format: is of a size, which is not named', { parameter: 'format' });
  }
  const made = formatToMake(format ?? AUTO, accept);
  if (made) return { name, format: made };
  throw refusal('query.bad_value', 'format: wants auto, webp, jpeg, png', { parameter: 'format' });
}

function mediaTypeOf(key: string): string {
  return `image/${key.slice(key.lastIndexOf('.') + 1)}`;
}
