/**
 * Limits how long a transfer waits for its client, which holds a transaction meanwhile: some seconds in all, and one more
 * per `bodyBytesPerSecond` transferred, which can't be saved up.
 */
import { LIMITS } from '../../shared/limits.js';

interface WaitingLimits {
  /** Milliseconds that are always allowed. */
  readonly wait: number;
  readonly bytesPerSecond: number;
}

export const WAITING_LIMITS: WaitingLimits = {
  wait: LIMITS.transferWaitSeconds * 1000,
  bytesPerSecond: LIMITS.bodyBytesPerSecond,
};

export class WaitingTime {
  /** Milliseconds of ended waits, less those that transferred bytes have made up for. */
  #waited = 0;
  #current: { readonly since: number; readonly giveUp: () => void } | undefined;

  constructor(private readonly limits: WaitingLimits = WAITING_LIMITS) {}

  addBytes(bytes: number): void {
    this.#waited = Math.max(0, this.#waited - (bytes / this.limits.bytesPerSecond) * 1000);
  }

  /** Waits for the client. If that takes too long in all, calls `giveUp`; `event` must settle then. */
  async during<T>(event: Promise<T>, giveUp: () => void): Promise<T> {
    const since = performance.now();
    const timer = setTimeout(giveUp, Math.max(0, this.limits.wait - this.#waited));
    this.#current = { since, giveUp };
    try {
      return await event;
    } finally {
      clearTimeout(timer);
      this.#current = undefined;
      this.#waited += performance.now() - since;
    }
  }

  /** Gives up a wait if it takes longer than so many milliseconds in all. Returns whether it did. */
  endAfter(milliseconds: number): boolean {
    if (!this.#current) return false;
    const { since, giveUp } = this.#current;
    if (this.#waited + performance.now() - since < milliseconds) return false;
    giveUp();
    return true;
  }
}
