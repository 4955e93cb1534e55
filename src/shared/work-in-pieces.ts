/**
 * Work in pieces: a generator that yields wherever others may have their turn. Pure code is written so where it may take
 * long; whoever calls it decides whether it is done at once or in turns.
 */
import type { Breather } from './event-loop-yield.js';
import type { Eventually } from './maybe-promise.js';

export type Pieces<T> = Generator<undefined, T, undefined>;

/** Does all of it without a pause. */
export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** Does it with a pause wherever one is due; at once, and without a turn of the event loop, where none is. */
export function inTurns<T>(work: Pieces<T>, breather: Breather): Eventually<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    if (breather.due) return paused(work, breather);
  }
}

async function paused<T>(work: Pieces<T>, breather: Breather): Promise<T> {
  for (;;) {
    await breather.pause();
    do {
      const piece = work.next();
      if (piece.done) return piece.value;
    } while (!breather.due);
  }
}
