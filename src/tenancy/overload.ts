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

/** Milliseconds after which a refusal is sent at the earliest. */
const SHORTEST = 800;
/** Milliseconds between two refusals; or if that is less, this time divided by the number of those that are held. */
const GAP = 1000 / 300;
const TIME_OF_ALL = 5000;

@Injectable()
export class Overload {
  #queue: FairQueue | undefined;
  #held = 0;
  /** When the last of the held refusals is sent. */
  #lastAt = -Infinity;

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
    const now = performance.now();
    this.#held += 1;
    this.#lastAt = Math.max(now + SHORTEST, this.#lastAt + Math.min(GAP, TIME_OF_ALL / this.#held));
    return new Promise((_, reject) => {
      setTimeout(() => {
        this.#held -= 1;
        reject(refusal);
      }, this.#lastAt - now).unref();
    });
  }
}
