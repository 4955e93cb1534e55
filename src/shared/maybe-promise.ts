/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Applies `next` to a value: immediately if it is no promise, so that values in memory cost no turn of the event loop.
 */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
