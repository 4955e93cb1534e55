/**
 * Lets others have their turn on the event loop where work that waits for nothing goes on and on. Of all such work one
 * piece goes on in each turn of the loop, key by key, so that eight of them hold it no longer than one.
 */

/** Those who wait to go on, by key; the one that was served last comes last. */
const waiting = new Map<string, (() => void)[]>();

function goOn(): void {
  const [next] = waiting;
  if (!next) return;
  const [key, [called, ...others]] = next;
  waiting.delete(key);
  if (others.length > 0) waiting.set(key, others);
  if (waiting.size > 0) setImmediate(goOn);
  called?.();
}

function turnOf(key: string): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.size === 0) setImmediate(goOn);
    const line = waiting.get(key);
    if (line) line.push(resolve);
    else waiting.set(key, [resolve]);
  });
}

export class EventLoopYield {
  #since = performance.now();

  /**
   * @param key whose work it is: the schema of a project
   * @param stretch milliseconds of work at a time
   */
  constructor(
    private readonly key = '',
    private readonly stretch = 10,
  ) {}

  /** Whether it is time for `pause`. */
  get due(): boolean {
    return performance.now() - this.#since > this.stretch;
  }

  async pause(): Promise<void> {
    await turnOf(this.key);
    this.#since = performance.now();
  }
}
