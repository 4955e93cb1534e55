/** Ids of new units. */
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Random bytes for the next ids. `uuid` draws those of each id by a call of the operating system, which takes 5 µs. */
const randomBytes = new Uint8Array(256 * 16);
let used = randomBytes.length;

/** Of the last id. */
let milliseconds = 0;
let sequence = 0;

/** A UUID of version 7, greater than all before in this process, also within a millisecond and if the clock is set back. */
export function newId(): string {
  if (used === randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  const random = randomBytes.subarray(used, (used += 16));
  const now = Date.now();
  if (now > milliseconds) {
    milliseconds = now;
    sequence = firstSequence(random);
  } else sequence += 1;
  return v7({ random, msecs: milliseconds, seq: sequence });
}

/** Up to 2^31 of the 2^32 numbers that an id can have, so that there are enough for a millisecond. */
function firstSequence(random: Uint8Array): number {
  return new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1;
}
