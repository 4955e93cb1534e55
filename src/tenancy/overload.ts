/**
 * Refuses requests of a project that asks for more than the service can do, before anything is done for them: its
 * others, and those of other projects, are answered as before.
 */
import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { FairQueue } from '../shared/fair-queue.js';

/**
 * Milliseconds for which a refusal is held back: a client that sends its request again at once, whatever `Retry-After`
 * says, would otherwise take the processor time from those that are answered.
 */
const HELD_BACK = 800;
/** Refusals that are held back at the same time; further ones are answered at once. */
const MAX_HELD = 5000;

/** The name of the part of a project's work that reads a group. */
export function groupPart(group: string): string {
  return `group ${group}`;
}

@Injectable()
export class Overload {
  #queue: FairQueue | undefined;
  #held = 0;

  /** The queue in which requests wait for the database. */
  watch(queue: FairQueue): void {
    this.#queue = queue;
  }

  /** Undefined unless the part of the project is overloaded. The promise rejects with 503. */
  refuse(project: string, part: string): Promise<never> | undefined {
    const refusal = this.#queue?.refuseIfCongested(project, part);
    return refusal && this.#holdBack(refusal);
  }

  async #holdBack(refusal: Error): Promise<never> {
    if (this.#held >= MAX_HELD) throw refusal;
    this.#held += 1;
    await delay(HELD_BACK, undefined, { ref: false });
    this.#held -= 1;
    throw refusal;
  }
}
