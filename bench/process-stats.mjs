/** Statistics of a process on Linux. On other systems these functions return undefined, and the report omits them. */
import { readdir, readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;
/** The place of the stolen time in a line of /proc/stat. */
const STEAL = 8;

/** @param {number} pid */
async function statOf(pid) {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name in parentheses, may have spaces.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Seconds, summed over the processors, in which other virtual machines of the same host had them. */
export async function stolenSeconds() {
  try {
    const [all] = (await readFile('/proc/stat', 'utf8')).split('\n');
    return Number(all?.split(/ +/)[STEAL]) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** CPU seconds, user and system, of all threads. @param {number} pid */
export async function cpuSeconds(pid) {
  const stat = await statOf(pid);
  return stat && ownTicks(stat) / TICKS_PER_SECOND;
}

/** CPU seconds of a process and of the processes that it started. @param {number} pid */
export async function cpuSecondsOfAll(pid) {
  for (;;) {
    const before = await statOf(pid);
    const children = await Promise.all((await childrenOf(pid)).map(cpuSeconds));
    const stat = await statOf(pid);
    if (!before || !stat) return undefined;
    // A child that has ended in the meantime may be missing in both.
    if (endedTicks(stat) !== endedTicks(before)) continue;
    const own = (ownTicks(stat) + endedTicks(stat)) / TICKS_PER_SECOND;
    return children.reduce((sum = 0, each = 0) => sum + each, own);
  }
}

/** CPU seconds of a process and of its children that have ended. @param {number} pid */
export async function cpuSecondsWithEnded(pid) {
  const stat = await statOf(pid);
  return stat && (ownTicks(stat) + endedTicks(stat)) / TICKS_PER_SECOND;
}

/** @param {readonly string[]} stat */
function ownTicks(stat) {
  return Number(stat[11]) + Number(stat[12]);
}

/** Of children that have ended. @param {readonly string[]} stat */
function endedTicks(stat) {
  return Number(stat[13]) + Number(stat[14]);
}

/** @param {number} pid @returns {Promise<number[]>} */
async function childrenOf(pid) {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, at) => parents[at] === pid);
}

/** @param {number} pid */
export async function parentOf(pid) {
  const stat = await statOf(pid);
  return stat && Number(stat[1]);
}

/** Resident memory in MB. @param {number} pid */
export async function residentMegabytes(pid) {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
