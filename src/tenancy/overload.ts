/**
 * Refuses requests of a project that asks for more than the service can do, before anything is done for them: its
 * others, and those of other projects, are answered as before.
 */
import { Injectable } from '@nestjs/common';
import type { FairQueue } from '../shared/fair-queue.js';
import { HeldRefusals } from './delayed-refusals.js';

@Injectable()
export class Overload {
  #queue: FairQueue | undefined;
  readonly #held = new HeldRefusals();

  /** The queue in which requests wait for the database. */
  watch(queue: FairQueue): void {
    this.#queue = queue;
  }

  /** Undefined unless the part of the project is overloaded. The promise rejects with 503. */
  refuse(project: string, part: string): Promise<never> | undefined {
    const refusal = this.#queue?.refuseIfCongested(project, part);
    return refusal && this.#held.hold(refusal);
  }
}
