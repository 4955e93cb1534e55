/**
 * How long parsing a large body holds the event loop: in pieces, and at once. `node bench/json-pieces.mjs`,
 * after `npm run build`. In turns, medians. Figures are in docs/adr/0016-machineries.md.
 */
import { join } from 'node:path';
import { median } from './measure.mjs';

const dist = join(import.meta.dirname, '../dist');
/** @type {typeof import('../src/http/body/json-pieces.js')} */
const { parseInPieces } = await import(join(dist, 'http/body/json-pieces.js'));
/** @type {typeof import('../src/http/body/json-text.js')} */
const { parseJson } = await import(join(dist, 'http/body/json-text.js'));
/** @type {typeof import('../src/shared/work-in-pieces.js')} */
const { runYielding } = await import(join(dist, 'shared/work-in-pieces.js'));
/** @type {typeof import('../src/shared/event-loop-yield.js')} */
const { EventLoopYield } = await import(join(dist, 'shared/event-loop-yield.js'));

const ROUNDS = 15;
const BODIES = {
  '1,000 units of 15 kB': Array.from({ length: 1000 }, (_, at) => ({
    name: `unit ${at}`,
    text: 'a text of 20 bytes. '.repeat(750),
  })),
  '100,000 small values': Array.from({ length: 1000 }, (_, at) =>
    Array.from({ length: 100 }, (__, n) => ({ at, n, text: 'é"' })),
  ),
};
const WAYS = {
  'in pieces': (/** @type {Buffer} */ bytes) => runYielding(parseInPieces(bytes), new EventLoopYield('a')),
  'at once': (/** @type {Buffer} */ bytes) => parseJson(bytes.toString()),
};

for (const [name, value] of Object.entries(BODIES)) {
  const bytes = Buffer.from(JSON.stringify(value));
  /** @type {Record<string, { longest: number, all: number }[]>} */
  const measured = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [way, parse] of Object.entries(WAYS)) (measured[way] ??= []).push(await measure(() => parse(bytes)));
  }
  for (const [way, times] of Object.entries(measured)) {
    const [longest, all] = /** @type {const} */ (['longest', 'all']).map((key) =>
      median(times.map((each) => each[key])),
    );
    console.log(
      `${name} (${(bytes.length / 1e6).toFixed(1)} MB), ${way}: the loop stands still for ${longest?.toFixed(0)} ms, done after ${all?.toFixed(0)} ms`,
    );
  }
}

/** @param {() => unknown} work */
async function measure(work) {
  let [last, longest] = [performance.now(), 0];
  let isRunning = true;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await new Promise((resolve) => setImmediate(resolve));
  const start = performance.now();
  await work();
  const all = performance.now() - start;
  await new Promise((resolve) => setImmediate(resolve));
  isRunning = false;
  return { longest, all };
}
