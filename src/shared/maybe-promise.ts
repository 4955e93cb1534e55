/** What is there already, or will be. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, so that what is in memory costs no turn of the event loop. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
