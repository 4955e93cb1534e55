/** Runs of some work, by key, one at a time. All who ask for one while another goes on share the one that follows it. */
export class SharedRuns {
  readonly #running = new Map<string, { readonly ended: Promise<void>; next?: Promise<void> }>();

  /** Does the work, all of it after this call. */
  run(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.#running.get(key);
    if (running) return (running.next ??= running.ended.then(() => this.#begin(key, work)));
    return this.#begin(key, work);
  }

  #begin(key: string, work: () => Promise<void>): Promise<void> {
    const started = work();
    const ended = started
      .catch(() => undefined)
      .then(() => {
        if (this.#running.get(key)?.next === undefined) this.#running.delete(key);
      });
    this.#running.set(key, { ended });
    return started;
  }
}
