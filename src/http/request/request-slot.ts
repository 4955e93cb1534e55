/**
 * A value attached to a request, such as its id, as a property with a symbol key. (Entries of a WeakMap burden the
 * garbage collector: four of them took a tenth of a small request.)
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
