/**
 * Makes pictures in other sizes, in processes of its own (`image-process.ts`) that end when there has been nothing to do
 * for some time. It keeps nothing of what it makes.
 */
import { LRUCache } from 'lru-cache';
import type { Readable } from 'node:stream';
import { refusal, retryLater, type KindError } from '../../shared/errors.js';
import { FairQueue } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';
import { ImageProcess, type MadeImage, type NotMade } from './image-process.js';
import type { SizeOfImage } from '../../shared/image-sizes.js';
import type { ImageFormat } from './image-format.js';

interface ImageMakerOptions {
  /** The package that changes pictures, or its path. It is optional: without it nothing is made. */
  readonly library?: string;
  /** Milliseconds without work after which a process ends. */
  readonly idleTime?: number;
}

/** Refusals that are remembered, and milliseconds for which: on a busy machine, a picture may have taken too long. */
const REMEMBERED = { max: 1000, ttl: 600_000 };

/** Milliseconds that a picture waits for its turn at most. */
const WAIT_TIMEOUT = 30_000;

const REFUSALS: Readonly<Record<NotMade, () => KindError>> = {
  damaged: noImage,
  // It has ended the second process too.
  ended: noImage,
  pixels: () => tooLarge(`The picture has more than ${LIMITS.imagePixels / 1_000_000} megapixels`),
  time: () => tooLarge(`The picture takes more than ${LIMITS.imageSeconds} seconds to change`),
  memory: () => tooLarge(`The picture takes more than ${LIMITS.imageMemory / 1024 ** 2} MB of memory to change`),
};

export class ImageMaker {
  readonly #library: string;
  readonly #idleTime: number;
  readonly #processes = new Set<ImageProcess>();
  /** Those without work, with the timers that end them. */
  readonly #idle = new Map<ImageProcess, NodeJS.Timeout>();
  readonly #refused = new LRUCache<string, KindError>(REMEMBERED);
  readonly queue = new FairQueue({
    concurrency: LIMITS.imagesAtOnce,
    maxWaiting: LIMITS.imagesWaiting,
    maxWaitingPerKey: LIMITS.imagesWaitingPerProject,
    timeout: WAIT_TIMEOUT,
    refusal: () => retryLater('server.busy', 'Too many pictures wait to be made in other sizes', 2),
  });
  #stopped = false;

  constructor({ library = 'sharp', idleTime = 60_000 }: ImageMakerOptions = {}) {
    this.#library = library;
    this.#idleTime = idleTime;
  }

  /**
   * @param source opens the content of the picture, a second time if the first process ends by itself
   * @param key the object, the size and the format: what was refused is remembered
   * @param project for a fair share of the processes
   * @throws KindError 400 `file.no_image`, `file.image_too_large`, 503, and whatever the source throws
   */
  async make(
    source: () => Promise<Readable>,
    size: SizeOfImage,
    format: ImageFormat,
    key: string,
    project: string,
  ): Promise<MadeImage> {
    const refused = this.#refused.get(key);
    if (refused) throw refused;
    return this.queue.run(project, async () => {
      const made = await this.#make(source, size, format);
      if (typeof made !== 'string') return made;
      const error = REFUSALS[made]();
      this.#refused.set(key, error);
      throw error;
    });
  }

  /** Ends all processes; Nest calls it when the service stops. */
  async onApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#processes].map((process) => this.#end(process)));
  }

  /** A picture may have ended its process, or somebody else has: only a second process tells. */
  async #make(source: () => Promise<Readable>, size: SizeOfImage, format: ImageFormat): Promise<MadeImage | NotMade> {
    const first = await this.#makeOnce(source, size, format);
    return first === 'ended' ? this.#makeOnce(source, size, format) : first;
  }

  async #makeOnce(source: () => Promise<Readable>, size: SizeOfImage, format: ImageFormat) {
    const process = await this.#take();
    try {
      if (!process.ready) throw refusal('file.no_images', 'This service makes no sizes: it has no package `sharp`');
      const made = await process.make(await source(), size, format);
      if (made === 'time' || made === 'memory') await this.#end(process);
      if (made === 'ended') this.#checkRunning();
      return made;
    } finally {
      this.#release(process);
    }
  }

  /** A process without work, or a new one. @throws KindError 503 */
  async #take(): Promise<ImageProcess> {
    this.#checkRunning();
    for (const [process, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(process);
      if (process.alive) return process;
      this.#processes.delete(process);
    }
    const started = await ImageProcess.start(this.#library);
    if (!started) throw retryLater('server.busy', 'The process that changes pictures does not start', 5);
    this.#processes.add(started);
    // The service may have stopped meanwhile.
    if (this.#stopped) await this.#end(started);
    this.#checkRunning();
    return started;
  }

  #release(process: ImageProcess): void {
    if (!process.alive) {
      this.#processes.delete(process);
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.delete(process);
      void this.#end(process);
    }, this.#idleTime);
    this.#idle.set(process, timer.unref());
  }

  #end(process: ImageProcess): Promise<void> {
    this.#processes.delete(process);
    return process.end();
  }

  #checkRunning(): void {
    if (this.#stopped) throw retryLater('server.stopping', 'The service is shutting down');
  }
}

export function noImage(): KindError {
  return refusal(
    'file.no_image',
    'The file is damaged, or no picture of those that are made in other sizes: jpeg, png, webp, gif, avif',
  );
}

function tooLarge(text: string): KindError {
  return refusal('file.image_too_large', text);
}
