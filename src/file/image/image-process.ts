/**
 * A process that makes sizes of pictures, one at a time, in a temporary folder of its own. It gets nothing of the
 * environment, where the secrets of the service are.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../shared/limits.js';
import type { SizeOfImage } from '../../shared/image-sizes.js';
import type { ImageFormat } from './image-format.js';

const SCRIPT = fileURLToPath(new URL('./image.child.mjs', import.meta.url));

/** Settings of glibc: large pieces of memory go back to the system when they are freed, 80 MB in place of 270. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' };

/** Milliseconds for the process to start. */
const START_TIMEOUT = 10_000;

export interface MadeImage {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** Why there is no picture. `ended`: the process has ended by itself, or was killed by somebody else. */
export type NotMade = 'damaged' | 'pixels' | 'memory' | 'time' | 'ended';

/** What the process says. */
type Answer =
  { readonly ready: boolean } | { readonly made: string } | { readonly refused: 'damaged' | 'pixels' | 'memory' };

export class ImageProcess {
  /** Whether it has found the library that it needs. */
  ready = false;
  readonly #child: ChildProcess;
  readonly #folder: string;
  /** When it has ended and its folder is removed. */
  readonly #ended: Promise<void>;
  /** Aborted when it has ended, so that nothing more is read for it. */
  readonly #gone = new AbortController();
  #settle: ((answer: Answer | 'ended') => void) | undefined;

  private constructor(folder: string, library: string) {
    this.#folder = folder;
    const settings = [folder, library, String(LIMITS.imageMemory)];
    this.#child = fork(SCRIPT, settings, { execArgv: [], stdio: 'ignore', env: ENVIRONMENT });
    this.#child.on('message', (answer: Answer) => this.#settle?.(answer));
    this.#ended = new Promise<void>((resolve) => this.#child.on('error', () => resolve()).on('exit', () => resolve()))
      .then(() => {
        this.#gone.abort();
        this.#settle?.('ended');
        return rm(folder, { recursive: true, force: true });
      })
      .catch(() => undefined);
    // It does not keep this process running.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** @param library the package to load, or its path. @returns undefined if the process does not start */
  static async start(library: string): Promise<ImageProcess | undefined> {
    const started = new ImageProcess(await mkdtemp(join(tmpdir(), 'kind-image-')), library);
    const answer = await started.#answer(START_TIMEOUT);
    if (typeof answer === 'string') {
      await started.end();
      return undefined;
    }
    started.ready = 'ready' in answer && answer.ready;
    return started;
  }

  get alive(): boolean {
    return !this.#gone.signal.aborted;
  }

  /** @throws whatever the source does */
  async make(source: Readable, size: SizeOfImage, format: ImageFormat): Promise<MadeImage | NotMade> {
    try {
      return await this.#make(source, size, format);
    } catch (error) {
      // Its folder is removed when it ends.
      if (!this.alive) return 'ended';
      throw error;
    }
  }

  async #make(source: Readable, size: SizeOfImage, format: ImageFormat): Promise<MadeImage | NotMade> {
    const { signal } = this.#gone;
    await pipeline(source, createWriteStream(join(this.#folder, 'source'), { mode: 0o600 }), { signal });
    const job = { size: bounded(size), format, pixels: LIMITS.imagePixels };
    const answer = await this.#answer(LIMITS.imageSeconds * 1000, job);
    if (typeof answer === 'string') return answer;
    if ('refused' in answer) return answer.refused;
    if (!('made' in answer)) return 'ended';
    return { bytes: await readFile(join(this.#folder, 'result')), mediaType: answer.made };
  }

  async end(): Promise<void> {
    this.#gone.abort();
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Its next answer: to the job, or to its start. */
  async #answer(milliseconds: number, job?: object): Promise<Answer | 'ended' | 'time'> {
    if (!this.alive) return 'ended';
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Answer | 'ended' | 'time'>((resolve) => {
        this.#settle = resolve;
        timer = setTimeout(() => resolve('time'), milliseconds);
        if (job) this.#child.send(job, (error) => error && resolve('ended'));
      });
    } finally {
      clearTimeout(timer);
      this.#settle = undefined;
    }
  }
}

/** A free side is as long as a side may be. */
function bounded({ width, height, mode }: SizeOfImage): SizeOfImage {
  return { width: width || LIMITS.imageSide, height: height || LIMITS.imageSide, mode };
}
