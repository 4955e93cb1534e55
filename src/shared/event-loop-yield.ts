/**
 * Yields to the event loop during long synchronous work. In each turn of the loop, only one piece of all such work
 * runs; keys are served round robin, so that eight long computations block the loop no longer than one.
 */

/** The paused computations by key, least recently served first. */
const pausedWork = new Map<string, (() => void)[]>();

function resumeNext(): void {
  const [next] = pausedWork;
  if (!next) return;
  const [key, [resume, ...others]] = next;
  pausedWork.delete(key);
  if (others.length > 0) pausedWork.set(key, others);
  if (pausedWork.size > 0) setImmediate(resumeNext);
  resume?.();
}

function waitForTurn(key: string): Promise<void> {
  return new Promise((resolve) => {
    if (pausedWork.size === 0) setImmediate(resumeNext);
    const queue = pausedWork.get(key);
    if (queue) queue.push(resolve);
    else pausedWork.set(key, [resolve]);
  });
}

export class EventLoopYield {
  #since = performance.now();

  /**
   * @param key the schema of the project that the work belongs to
   * @param stretch milliseconds of work between two pauses
   */
  constructor(
    private readonly key = '',
    private readonly stretch = 10,
  ) {}

  /** Whether `pause` should be called now. */
  get due(): boolean {
    return performance.now() - this.#since > this.stretch;
  }

  async pause(): Promise<void> {
    await waitForTurn(this.key);
    this.#since = performance.now();
  }
}
