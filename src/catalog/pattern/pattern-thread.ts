/**
 * The worker thread that compiles and matches patterns. It runs one batch at a time; if a batch takes too long, the
 * thread is terminated, and the next batch starts a new one.
 */
import { Worker } from 'node:worker_threads';
import type { PatternMatch } from '../../model/check/pattern-checks.js';
import { LIMITS } from '../../shared/limits.js';

export interface PatternJob {
  readonly pattern: string;
  readonly texts: readonly string[];
}

export interface PatternAnswer {
  /** Why the pattern is invalid. */
  readonly fault?: string;
  /** Instructions of the compiled pattern. */
  readonly size?: number;
  /** Whether each text matches; empty for an invalid or too large pattern. */
  readonly matches: readonly boolean[];
}

/** Memory limits of the thread. A compiled pattern caches up to about 8 MB. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

const WORKER_SCRIPT = new URL('./pattern.worker.mjs', import.meta.url);

export class PatternThread {
  #worker: Promise<Worker> | undefined;

  /** The answers in the order of the jobs; undefined if the batch exceeded its time or memory. */
  async run(jobs: readonly PatternJob[], milliseconds: number): Promise<readonly PatternAnswer[] | undefined> {
    const worker = await (this.#worker ??= startThread());
    return new Promise((resolve) => {
      const settle = (answers: readonly PatternAnswer[] | undefined): void => {
        clearTimeout(timer);
        worker.off('message', settle).off('error', end).off('exit', end);
        resolve(answers);
      };
      const end = (): void => {
        this.#worker = undefined;
        settle(undefined);
        void worker.terminate();
      };
      const timer = setTimeout(end, milliseconds);
      worker.on('message', settle).on('error', end).on('exit', end);
      worker.postMessage(jobs);
    });
  }

  async stop(): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/** Starts a thread and waits until it is ready. It does not keep the process alive. */
function startThread(): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER_SCRIPT, {
      workerData: { largest: LIMITS.patternSize },
      resourceLimits: THREAD_MEMORY,
      execArgv: [],
    });
    worker.unref();
    // Without a listener, an error of a terminated thread would be an uncaught error of the process.
    worker.on('error', () => undefined);
    worker.once('message', () => resolve(worker)).once('error', reject);
  });
}

/** Groups consecutive texts of the same pattern, keeping their order. */
export function groupIntoJobs(matches: readonly PatternMatch[]): PatternJob[] {
  const jobs: { pattern: string; texts: string[] }[] = [];
  for (const { pattern, text } of matches) {
    const last = jobs.at(-1);
    if (last?.pattern === pattern) last.texts.push(text);
    else jobs.push({ pattern, texts: [text] });
  }
  return jobs;
}
