/**
 * Holds refusals back, and lets only some of them go in a second. A client that sends its request again at once,
 * whatever `Retry-After` says, would otherwise take the processor time from those that are answered: a refusal costs a
 * quarter of a small answer or more.
 */

/** Milliseconds for which a refusal is held back at least. */
const SHORTEST = 800;
/** Refusals that are let go in a second: so many, or this part of those that are held if that is more. */
const PER_SECOND = 300;
const PART_PER_SECOND = 1 / 5;
/** Refusals that are held back at the same time; beyond it, the oldest is let go for each new one. */
const MOST = 5000;
/** Milliseconds. One timer for all, not one for each. */
const TICK = 50;

interface Held {
  readonly since: number;
  readonly letGo: () => void;
}

export class HeldRefusals {
  /** Oldest first, from `#first` on. */
  #held: Held[] = [];
  #first = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Rejects with the refusal, later. */
  hold(refusal: Error): Promise<never> {
    return new Promise((_, reject) => {
      this.#held.push({ since: performance.now(), letGo: () => reject(refusal) });
      if (this.#size > MOST) this.#letGo(1);
      this.#timer ??= setInterval(() => this.#tick(), TICK).unref();
    });
  }

  get #size(): number {
    return this.#held.length - this.#first;
  }

  #tick(): void {
    const allowed = Math.ceil((Math.max(PER_SECOND, this.#size * PART_PER_SECOND) * TICK) / 1000);
    const latest = performance.now() - SHORTEST;
    let due = 0;
    while (due < allowed && (this.#held[this.#first + due]?.since ?? Infinity) <= latest) due += 1;
    this.#letGo(due);
    if (this.#size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #letGo(count: number): void {
    const end = this.#first + count;
    for (; this.#first < end; this.#first += 1) this.#held[this.#first]?.letGo();
    if (this.#first <= this.#held.length / 2) return;
    this.#held = this.#held.slice(this.#first);
    this.#first = 0;
  }
}
