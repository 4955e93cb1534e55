/**
 * Yields to the event loop during long synchronous work. In each turn of the loop, only one piece of all such work
 * runs; keys are served round robin, so that eight long computations block the loop no longer than one. While other
 * projects have requests under way, the loop is left to them after each piece for as long as the piece took: their
 * requests need several turns each, and would wait for a piece in every one of them.
 */
import { activeProjects } from './active-keys.js';

/** Milliseconds of work between two pauses. */
const STRETCH = 5;
/** Milliseconds that the loop is left to others at most. */
const MAX_REST = 20;

/** The paused computations by key, least recently served first. */
const pausedWork = new Map<string, (() => void)[]>();
/** When the loop has been left to others for long enough. */
let restedAt = 0;
let isScheduled = false;

function scheduleNext(): void {
  const [next] = pausedWork.keys();
  if (isScheduled || next === undefined) return;
  isScheduled = true;
  const rest = activeProjects.hasOthers(next) ? restedAt - performance.now() : 0;
  // Timers are not more exact than that.
  if (rest >= 1) setTimeout(resumeNext, rest);
  else setImmediate(resumeNext);
}

function resumeNext(): void {
  isScheduled = false;
  const [next] = pausedWork;
  if (!next) return;
  const [key, [resume, ...others]] = next;
  // The piece that was resumed last has ended only now.
  if (activeProjects.hasOthers(key) && restedAt - performance.now() >= 1) return scheduleNext();
  pausedWork.delete(key);
  if (others.length > 0) pausedWork.set(key, others);
  resume?.();
  scheduleNext();
}

/** After a piece of work that took so many milliseconds. */
function leaveToOthers(milliseconds: number): void {
  restedAt = performance.now() + Math.min(milliseconds, MAX_REST);
}

function waitForTurn(key: string): Promise<void> {
  return new Promise((resolve) => {
    const queue = pausedWork.get(key);
    if (queue) queue.push(resolve);
    else pausedWork.set(key, [resolve]);
    scheduleNext();
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
    private readonly stretch = STRETCH,
  ) {}

  /** Whether `pause` should be called now. */
  get due(): boolean {
    return performance.now() - this.#since > this.stretch;
  }

  async pause(): Promise<void> {
    leaveToOthers(performance.now() - this.#since);
    await waitForTurn(this.key);
    this.#since = performance.now();
  }
}
