/** Loads in progress, by key. Concurrent requests for the same key share one load. */
export class SharedLoads<T> {
  readonly #running = new Map<string, Promise<T>>();

  /**
   * Returns the load of the key that is in progress, or starts one. `isCurrent` becomes false if the key is forgotten
   * during the load: its result may be outdated then, and must not be cached.
   */
  run(key: string, load: (isCurrent: () => boolean) => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const isCurrent = (): boolean => this.#running.get(key) === started;
    const started: Promise<T> = load(isCurrent).finally(() => {
      if (isCurrent()) this.#running.delete(key);
    });
    this.#running.set(key, started);
    return started;
  }

  /** The next `run` starts a new load, even if one is in progress. */
  forget(key: string): void {
    this.#running.delete(key);
  }

  clear(): void {
    this.#running.clear();
  }
}
