/**
 * Long pure computations are generators that yield between pieces. The caller runs them synchronously or with pauses
 * for the event loop.
 */

export type WorkInPieces<T> = Generator<undefined, T, undefined>;

/** Tells when long work should pause: `EventLoopYield` in the service. The console uses this file without it. */
export interface Pauses {
  readonly due: boolean;
  pause(): Promise<void>;
}

/** Runs all pieces synchronously. */
export function runSync<T>(work: WorkInPieces<T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** Runs the pieces with a pause whenever one is due; returns the result itself, not a promise, if none was. */
export function runYielding<T>(work: WorkInPieces<T>, pauses: Pauses): MaybePromise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    if (pauses.due) return runWithPauses(work, pauses);
  }
}

async function runWithPauses<T>(work: WorkInPieces<T>, pauses: Pauses): Promise<T> {
  for (;;) {
    await pauses.pause();
    do {
      const piece = work.next();
      if (piece.done) return piece.value;
    } while (!pauses.due);
  }
}

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Applies `next` to a value: immediately if it is no promise, so that values in memory cost no turn of the event loop.
 */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
