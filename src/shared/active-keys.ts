/** The projects that have requests under way, or had some a moment ago, so that heavy work of one gives way to the others. */

export class ActiveKeys {
  readonly #counts = new Map<string, number>();
  /** The key whose last work ended last, and the one before it. */
  #last = { key: '', ended: -Infinity };
  #before = { key: '', ended: -Infinity };

  enter(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  leave(key: string): void {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) {
      this.#counts.set(key, count - 1);
      return;
    }
    this.#counts.delete(key);
    if (this.#last.key !== key) [this.#last, this.#before] = [this.#before, this.#last];
    this.#last.key = key;
    this.#last.ended = performance.now();
  }

  /** Whether others than this one are active, or were so many milliseconds ago. */
  hasOthers(key: string, ago = 0): boolean {
    if (this.#counts.size > (this.#counts.has(key) ? 1 : 0)) return true;
    if (ago === 0) return false;
    const { ended } = this.#last.key === key ? this.#before : this.#last;
    return performance.now() - ended < ago;
  }
}

/** By the schema of the project. */
export const activeProjects = new ActiveKeys();
