/** What is there already, or will be. */
export type Eventually<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, so that what is in memory costs no turn of the event loop. */
export function andThen<T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
