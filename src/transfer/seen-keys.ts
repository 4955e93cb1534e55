/**
 * The keys of a file so far, as fingerprints of 64 bits, so that five million of them take 64 MB. Two different keys
 * have the same one by chance less than once in a million files of that size. Pure.
 */
import { createHash } from 'node:crypto';

const FIRST_SLOTS = 1024;
/** The part of the slots that may be in use. */
const MOST_USED = 0.7;

export class SeenKeys {
  /** Two words for each slot; both are 0 in an empty one. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #used = 0;

  /** Adds a key. Returns whether it is there already. */
  add(key: string): boolean {
    if (this.#used + 1 > (this.#slots.length / 2) * MOST_USED) this.#grow();
    const digest = createHash('sha1').update(key).digest();
    const [high, low] = [digest.readUInt32LE(0), digest.readUInt32LE(4) || 1];
    return place(this.#slots, high, low) ? ((this.#used += 1), false) : true;
  }

  #grow(): void {
    const before = this.#slots;
    const slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      const [high = 0, low = 0] = [before[at], before[at + 1]];
      if (low !== 0) place(slots, high, low);
    }
    this.#slots = slots;
  }
}

/** Returns false if the fingerprint is there already. */
function place(slots: Uint32Array, high: number, low: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = high & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    if (slots[at + 1] === 0) {
      slots[at] = high;
      slots[at + 1] = low;
      return true;
    }
    if (slots[at] === high && slots[at + 1] === low) return false;
  }
}
