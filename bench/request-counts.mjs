/** How many requests each process of a system has answered: the processes write the numbers to files of a folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const MODULE = join(import.meta.dirname, 'count-requests.mjs');

/** Flags of Node for a process that writes its number; its workers inherit them. @param {string | undefined} folder */
export function flagsToCount(folder) {
  return folder === undefined ? [] : [`--import=${MODULE}`];
}

/** The number of requests by process id. @param {string} folder @returns {Promise<Map<string, number>>} */
export async function requestCounts(folder) {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return new Map(names.map((name, at) => [name, Number(texts[at])]));
}

/**
 * The requests of each process between two readings, largest first. Processes without requests are left out.
 * @param {Map<string, number>} before
 * @param {Map<string, number>} after
 */
export function countedBetween(before, after) {
  const counts = [...after].map(([pid, count]) => count - (before.get(pid) ?? 0));
  return counts.filter((count) => count > 0).sort((a, b) => b - a);
}
