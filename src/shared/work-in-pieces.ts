/**
 * Work in pieces: a generator that yields wherever others may have their turn. Pure code is written so where it may take
 * long; whoever calls it decides whether it is done at once or in turns.
 */
import type { EventLoopYield } from './event-loop-yield.js';
import type { MaybePromise } from './maybe-promise.js';

export type WorkInPieces<T> = Generator<undefined, T, undefined>;

/** Does all of it without a pause. */
export function runSync<T>(work: WorkInPieces<T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** Does it with a pause wherever one is due; at once, and without a turn of the event loop, where none is. */
export function runYielding<T>(work: WorkInPieces<T>, yielder: EventLoopYield): MaybePromise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    if (yielder.due) return paused(work, yielder);
  }
}

async function paused<T>(work: WorkInPieces<T>, yielder: EventLoopYield): Promise<T> {
  for (;;) {
    await yielder.pause();
    do {
      const piece = work.next();
      if (piece.done) return piece.value;
    } while (!yielder.due);
  }
}
