/** Statistics of a process on Linux. On other systems these functions return undefined, and the report omits them. */
import { readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

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

/** CPU seconds, user and system, of all threads. @param {number} pid */
export async function cpuSeconds(pid) {
  const stat = await statOf(pid);
  return stat && (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND;
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
