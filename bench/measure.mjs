/** Measures systems in turn, A B A B, one at a time. */
import { cpuSecondsOfAll, cpuSecondsWithEnded } from './process-stats.mjs';

/**
 * @typedef {object} System
 * @property {string} name
 * @property {string} url
 * @property {Record<string, string>} headers
 * @property {{ pid: number }} child
 *
 * @typedef {object} Turn
 * @property {number} rate requests (or rows) per second
 * @property {number | undefined} p99 milliseconds
 * @property {number | undefined} nodeMicros CPU time of the system's processes per request
 * @property {number | undefined} postgresMicros CPU time of PostgreSQL per request
 * @property {number | undefined} loadMicros CPU time of the load generator per request
 *
 * @typedef {Turn & { name: string, ratio: number }} Figure medians; the ratio is that to the first system, in pairs
 */

/**
 * @template {System} S
 * @param {readonly S[]} systems
 * @param {number} rounds
 * @param {(system: S, first: boolean) => Promise<{ count: number, seconds: number, p99?: number | undefined, nodeSeconds?: number | undefined,
 *   postgresSeconds?: number | undefined, loadSeconds?: number | undefined }>} work
 * @returns {Promise<Figure[]>}
 */
export async function inTurn(systems, rounds, work) {
  /** @type {Turn[][]} */
  const turns = systems.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, system] of systems.entries()) {
      const { count, seconds, p99, nodeSeconds, postgresSeconds, loadSeconds } = await work(system, round === 0);
      turns[at]?.push({
        rate: count / seconds,
        p99,
        nodeMicros: micros(nodeSeconds, count),
        postgresMicros: micros(postgresSeconds, count),
        loadMicros: micros(loadSeconds, count),
      });
    }
  }
  return systems.map(({ name }, at) => ({
    name,
    rate: median(turns[at].map(({ rate }) => rate)),
    p99: medianOfKnown(turns[at].map((turn) => turn.p99)),
    nodeMicros: medianOfKnown(turns[at].map((turn) => turn.nodeMicros)),
    postgresMicros: medianOfKnown(turns[at].map((turn) => turn.postgresMicros)),
    loadMicros: medianOfKnown(turns[at].map((turn) => turn.loadMicros)),
    ratio: median(turns[at].map(({ rate }, round) => rate / turns[0][round].rate)),
  }));
}

/**
 * Runs work, and returns the CPU time that a system's processes, PostgreSQL and the load generator used during it.
 * @template T
 * @param {System} system
 * @param {import('./postgres.mjs').Postgres} postgres
 * @param {() => Promise<T>} work
 */
export async function withCpu(system, postgres, work) {
  // The load comes from children of this process that end with it, or from this process itself.
  const loadCpu = () => cpuSecondsWithEnded(process.pid);
  const used = () => Promise.all([cpuSecondsOfAll(system.child.pid), postgres.cpu(), loadCpu()]);
  const before = await used();
  const result = await work();
  const after = await used();
  const [nodeSeconds, postgresSeconds, loadSeconds] = after.map((seconds, at) => difference(seconds, before[at]));
  return { ...result, nodeSeconds, postgresSeconds, loadSeconds };
}

/** @param {number | undefined} after @param {number | undefined} before */
function difference(after, before) {
  return after === undefined || before === undefined ? undefined : after - before;
}

/** @param {number | undefined} seconds @param {number} count */
function micros(seconds, count) {
  return seconds === undefined ? undefined : (seconds * 1e6) / count;
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {readonly (number | undefined)[]} values */
function medianOfKnown(values) {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}
