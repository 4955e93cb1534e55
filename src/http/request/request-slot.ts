/**
 * A value that hangs on a request, such as its id: a property under a key that nobody else has. (A WeakMap would do, but
 * each entry costs the garbage collector; four of them took a tenth of a small request.)
 */
export class RequestSlot<T> {
  readonly #key: symbol;

  constructor(name: string) {
    this.#key = Symbol(name);
  }

  get(request: object): T | undefined {
    return (request as Record<symbol, T | undefined>)[this.#key];
  }

  set(request: object, value: T): void {
    (request as Record<symbol, T>)[this.#key] = value;
  }
}
