/** The projects that have requests under way, so that long work of one gives way to the others. */

export class ActiveKeys {
  readonly #counts = new Map<string, number>();

  enter(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  leave(key: string): void {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
  }

  /** Whether others than this one are active. */
  hasOthers(key: string): boolean {
    return this.#counts.size > (this.#counts.has(key) ? 1 : 0);
  }
}

/** By the schema of the project. */
export const activeProjects = new ActiveKeys();
