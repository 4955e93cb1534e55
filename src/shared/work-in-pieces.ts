/**
 * Long pure computations are generators that yield between pieces. The caller runs them synchronously or with pauses
 * for the event loop.
 */
import type { EventLoopYield } from './event-loop-yield.js';
import type { MaybePromise } from './maybe-promise.js';

export type WorkInPieces<T> = Generator<undefined, T, undefined>;

/** Runs all pieces synchronously. */
export function runSync<T>(work: WorkInPieces<T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** Runs the pieces with a pause whenever one is due; returns the result itself, not a promise, if none was. */
export function runYielding<T>(work: WorkInPieces<T>, yielder: EventLoopYield): MaybePromise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    if (yielder.due) return runWithPauses(work, yielder);
  }
}

async function runWithPauses<T>(work: WorkInPieces<T>, yielder: EventLoopYield): Promise<T> {
  for (;;) {
    await yielder.pause();
    do {
      const piece = work.next();
      if (piece.done) return piece.value;
    } while (!yielder.due);
  }
}
