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

export type FileType = 'yaml' | 'json';

export interface ReadText {
  /** Undefined if there are faults. */
  readonly value?: Json;
  readonly faults: readonly TextFault[];
}

/** The lines of the innermost keys of paths that are there; undefined where they take too long to find. */
type LinesOf = (paths: readonly string[]) => Promise<readonly number[] | undefined>;

const SCRIPT = new URL('./yaml.worker.mjs', import.meta.url);
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 };

/**
 * The thread has the text until it was used: most files are well, and nobody asks for their lines.
 * @param text of a size that was checked before
 */
export async function readText<T>(
  text: string,
  type: FileType,
  use: (read: ReadText, linesOf: LinesOf) => Promise<T>,
): Promise<T> {
  const worker = new Worker(SCRIPT, {
    workerData: { text, type, mostFaults: LIMITS.faults },
    resourceLimits: MEMORY,
    execArgv: [],
  });
  const ended = new Promise<undefined>((resolve) => {
    worker.once('error', () => resolve(undefined)).once('exit', () => resolve(undefined));
  });
  try {
    // Where others take all processors, its start alone takes most of a second.
    const read = await answerOf<ReadText>(worker, ended, (listen) => worker.once('message', listen));
    const tooLong = `takes longer than ${LIMITS.modelFileSeconds} seconds to read, or too much memory`;
    return await use(read ?? { faults: [{ line: 1, path: '', text: tooLong }] }, (paths) =>
      answerOf(worker, ended, (listen) => {
        worker.postMessage(paths);
        listen();
      }),
    );
  } finally {
    await worker.terminate();
  }
}

/** What it says next, in time. @param begin calls when time begins */
async function answerOf<T>(
  worker: Worker,
  ended: Promise<undefined>,
  begin: (listen: () => void) => void,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const answer = new Promise<T | undefined>((resolve) => {
    begin(() => {
      timer = setTimeout(resolve, LIMITS.modelFileSeconds * 1000, undefined);
      worker.once('message', resolve);
    });
  });
  return Promise.race([answer, ended]).finally(() => clearTimeout(timer));
}
