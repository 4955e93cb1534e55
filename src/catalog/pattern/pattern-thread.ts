/**
 * The thread on which patterns are compiled and matched. It has one piece of work at a time, which is ended together with
 * the thread where it takes too long; the next one gets another thread. Without work there is none.
 */
import { Worker } from 'node:worker_threads';
import type { PatternMatch } from '../../model/check/pattern-checks.js';
import { LIMITS } from '../../shared/limits.js';

export interface PatternJob {
  readonly pattern: string;
  readonly texts: readonly string[];
}

export interface PatternAnswer {
  /** Why it is no pattern. */
  readonly fault?: string;
  /** Instructions. */
  readonly size?: number;
  /** Whether each of the texts has a match; empty for what is no pattern, or too large a one. */
  readonly matches: readonly boolean[];
}

/** Bounds of the thread's memory. A pattern remembers up to some 8 MB of what it has seen. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

const SOURCE = new URL('./pattern.worker.mjs', import.meta.url);

export class PatternThread {
  #worker: Promise<Worker> | undefined;

  /** The answers, job by job; undefined where it took longer than so many milliseconds, or more memory than there is. */
  async run(jobs: readonly PatternJob[], milliseconds: number): Promise<readonly PatternAnswer[] | undefined> {
    const worker = await (this.#worker ??= started());
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

/** A thread that has loaded what it needs. It keeps no process from its end. */
function started(): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(SOURCE, {
      workerData: { largest: LIMITS.patternSize },
      resourceLimits: MEMORY,
      execArgv: [],
    });
    worker.unref();
    // Without a listener, the last words of one that is ended would be an error of the process.
    worker.on('error', () => undefined);
    worker.once('message', () => resolve(worker)).once('error', reject);
  });
}

/** The texts in their order, those of one pattern that follow each other together. */
export function groupIntoJobs(matches: readonly PatternMatch[]): PatternJob[] {
  const jobs: { pattern: string; texts: string[] }[] = [];
  for (const { pattern, text } of matches) {
    const last = jobs.at(-1);
    if (last?.pattern === pattern) last.texts.push(text);
    else jobs.push({ pattern, texts: [text] });
  }
  return jobs;
}
