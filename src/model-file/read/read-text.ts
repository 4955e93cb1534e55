/** Reads the text of a model file in a thread of its own, which is ended if it reads for too long. */
import { Worker } from 'node:worker_threads';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';

/** What is wrong at a place of the file. */
interface TextFault {
  readonly line: number;
  /** Of the value at fault: `kinds.article.label`. */
  readonly path: string;
  readonly text: string;
}

export interface ReadText {
  /** Undefined if there are faults. */
  readonly value?: Json;
  /** The lines of all keys, by their paths. */
  readonly lines: Readonly<Record<string, number>>;
  readonly faults: readonly TextFault[];
}

const SCRIPT = new URL('./yaml.worker.mjs', import.meta.url);
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 };

/** @param text of a size that was checked before */
export async function readText(text: string): Promise<ReadText> {
  const worker = new Worker(SCRIPT, {
    workerData: { text, mostFaults: LIMITS.faults },
    resourceLimits: MEMORY,
    execArgv: [],
  });
  try {
    return await new Promise((resolve) => {
      const tooLong = `takes longer than ${LIMITS.modelFileSeconds} seconds to read, or too much memory`;
      let timer: NodeJS.Timeout | undefined;
      const end = (): void => resolve({ lines: {}, faults: [{ line: 1, path: '', text: tooLong }] });
      // Where others take all processors, its start alone takes most of a second.
      worker.once('message', () => {
        timer = setTimeout(end, LIMITS.modelFileSeconds * 1000);
        worker.once('message', resolve);
      });
      worker.once('error', end).once('exit', () => {
        clearTimeout(timer);
        end();
      });
    });
  } finally {
    await worker.terminate();
  }
}
