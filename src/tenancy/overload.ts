/**
 * Refuses requests of a project that asks for more than the service can do, before anything is done for them: its
 * others, and those of other projects, are answered as before.
 *
 * Refusals are sent later, and only some of them in a second. A client that sends its request again at once, whatever
 * `Retry-After` says, would otherwise take the processor time from those that are answered: a refusal costs a quarter of a
 * small answer or more. docs/adr/0016-machineries.md has what it is worth.
 */
import { Injectable } from '@nestjs/common';
import type { FairQueue } from '../shared/fair-queue.js';

/** Milliseconds for which a refusal is held back at least. */
const SHORTEST = 800;
/** Milliseconds. If the event loop is busy, there are fewer, and so fewer refusals are sent. */
const TICK = 50;
/** Refusals that are sent in each: so many, or this part of those that are held if that is more. */
const PER_TICK = 15;
const PART_PER_TICK = 1 / 100;

interface Held {
  readonly dueAt: number;
  readonly send: () => void;
}

@Injectable()
export class Overload {
  #queue: FairQueue | undefined;
  /** Oldest first. */
  readonly #held: Held[] = [];
  #ticks: NodeJS.Timeout | undefined;

  /** The queue in which requests wait for the database. */
  watch(queue: FairQueue): void {
    this.#queue = queue;
  }

  /** Undefined unless the part of the project is overloaded. The promise rejects with 503, later. */
  refuse(project: string, part: string): Promise<never> | undefined {
    const refusal = this.#queue?.refuseIfCongested(project, part);
    return refusal && this.#later(refusal);
  }

  #later(refusal: Error): Promise<never> {
    return new Promise((_, reject) => {
      this.#held.push({ dueAt: performance.now() + SHORTEST, send: () => reject(refusal) });
      this.#ticks ??= setInterval(() => this.#tick(), TICK).unref();
    });
  }

  #tick(): void {
    const now = performance.now();
    const most = Math.max(PER_TICK, Math.ceil(this.#held.length * PART_PER_TICK));
    const due = this.#held.slice(0, most).filter(({ dueAt }) => dueAt <= now);
    for (const { send } of this.#held.splice(0, due.length)) send();
    if (this.#held.length > 0) return;
    clearInterval(this.#ticks);
    this.#ticks = undefined;
  }
}
