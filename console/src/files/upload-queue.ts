/** Uploads that are under way, some at once. They go on while other pages are open. */
import type { FileUnit } from '../api/files.js';
import { discardUpload, uploadFile } from '../api/files.js';
import type { Begun } from '../api/sending.js';

export interface UploadJob {
  readonly key: number;
  readonly content: File;
  readonly state: 'waiting' | 'sending' | 'stored' | 'failed' | 'stopped';
  /** From 0 to 1. */
  readonly sent: number;
  /** What was refused, in words. */
  readonly fault?: string | undefined;
  /** Once it is stored. */
  readonly file?: FileUnit;
}

/** A project has eight at a time. */
const AT_ONCE = 3;

let lastKey = 0;

export class UploadQueue {
  #jobs: readonly UploadJob[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #running = new Map<number, AbortController>();
  readonly #begun = new Map<number, Begun>();

  get jobs(): readonly UploadJob[] {
    return this.#jobs;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(contents: readonly File[]): void {
    const added = contents.map((content) => ({ key: (lastKey += 1), content, state: 'waiting', sent: 0 }) as const);
    this.#show([...this.#jobs, ...added]);
  }

  /** What is stored stays. */
  stop(key: number): void {
    this.#running.get(key)?.abort();
    this.#change(key, { state: 'stopped' });
  }

  retry(key: number): void {
    this.#change(key, { state: 'waiting', fault: undefined });
  }

  /** Takes those out of the list that have come to their end. */
  clear(): void {
    for (const { key } of this.#jobs.filter((job) => !isOpen(job))) {
      void discardUpload(this.#begun.get(key) ?? {});
      this.#begun.delete(key);
    }
    this.#show(this.#jobs.filter(isOpen));
  }

  /** Ends all that is under way. */
  stopAll(): void {
    for (const { key } of this.#jobs.filter(isOpen)) this.stop(key);
  }

  #change(key: number, change: Partial<UploadJob>): void {
    this.#show(this.#jobs.map((job) => (job.key === key ? { ...job, ...change } : job)));
  }

  #show(jobs: readonly UploadJob[]): void {
    this.#jobs = jobs;
    const free = AT_ONCE - this.#running.size;
    const next = jobs.filter(({ key, state }) => state === 'waiting' && !this.#running.has(key)).slice(0, free);
    for (const job of next) void this.#send(job);
    for (const listener of this.#listeners) listener();
  }

  async #send({ key, content }: UploadJob): Promise<void> {
    const stopper = new AbortController();
    const { signal } = stopper;
    this.#running.set(key, stopper);
    const begun = this.#begun.get(key) ?? {};
    this.#begun.set(key, begun);
    this.#jobs = this.#jobs.map((job) => (job.key === key ? { ...job, state: 'sending' } : job));
    const onProgress = (sent: number) => !signal.aborted && this.#change(key, { sent });
    const end = await uploadFile(content, begun, { onProgress, signal }).then(
      (file) => ({ state: 'stored', sent: 1, file }) as const,
      (error: Error) => ({ state: 'failed', fault: error.message }) as const,
    );
    this.#running.delete(key);
    // What was stopped is shown already, and may wait for its next try.
    this.#change(key, signal.aborted ? {} : end);
  }
}

export function isOpen({ state }: UploadJob): boolean {
  return state === 'waiting' || state === 'sending';
}

/** Of the list of files, whichever page is open. */
export const uploads = new UploadQueue();

/** Leaving the console would end them. */
addEventListener('beforeunload', (event) => {
  if (uploads.jobs.some(isOpen)) event.preventDefault();
});
