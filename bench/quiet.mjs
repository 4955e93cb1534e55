/** Waits until other programs leave the processors idle. */
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const BUSY = 0.1;
const SAMPLE_MS = 400;

/** @returns {{ busy: number, all: number }} milliseconds of all processors so far */
function processorTime() {
  const sum = { busy: 0, all: 0 };
  for (const { times } of os.cpus()) {
    const all = Object.values(times).reduce((total, part) => total + part, 0);
    sum.all += all;
    sum.busy += all - times.idle;
  }
  return sum;
}

/** Waits until the machine is quiet, for at most the given number of seconds. @param {number} seconds */
export async function waitUntilQuiet(seconds) {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const before = processorTime();
    await delay(SAMPLE_MS);
    const after = processorTime();
    if ((after.busy - before.busy) / (after.all - before.all) < BUSY) return;
  }
}
