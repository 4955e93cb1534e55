/**
 * Limits how long a transfer waits for its client, which holds a transaction meanwhile: some seconds in all, and one more
 * per `bodyBytesPerSecond` transferred.
 */
import { LIMITS } from '../../shared/limits.js';

export interface WaitingLimits {
  /** Milliseconds that are always allowed. */
  readonly wait: number;
  readonly bytesPerSecond: number;
}

export const WAITING_LIMITS: WaitingLimits = {
  wait: LIMITS.transferWaitSeconds * 1000,
  bytesPerSecond: LIMITS.bodyBytesPerSecond,
};

export class WaitingTime {
  #waited = 0;
  #bytes = 0;

  constructor(private readonly limits: WaitingLimits = WAITING_LIMITS) {}

  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Waits for the client. If that takes too long in all, calls `giveUp`; `event` must settle then. */
  async during<T>(event: Promise<T>, giveUp: () => void): Promise<T> {
    const since = performance.now();
    const left = this.limits.wait + (this.#bytes / this.limits.bytesPerSecond) * 1000 - this.#waited;
    const timer = setTimeout(giveUp, Math.max(0, left));
    try {
      return await event;
    } finally {
      clearTimeout(timer);
      this.#waited += performance.now() - since;
    }
  }
}
