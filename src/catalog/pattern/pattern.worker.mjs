// Compiles patterns and matches texts on a worker thread. The main thread terminates it if that takes too long.
import { parentPort, workerData } from 'node:worker_threads';
import { RE2JS } from 're2js';

/** Maximum of cached compile patterns. */
const MAX_CACHED = 50;
/**
 * Milliseconds of matching after which a pattern is compile again, because its internal cache may have grown to
 * megabytes.
 */
const MAX_MATCHING_TIME = 200;

/** Compiled patterns with their milliseconds of matching, least recently used first. */
const cache = new Map();

function compile(pattern) {
  const entry = cache.get(pattern) ?? { expression: RE2JS.compile(pattern), spent: 0 };
  cache.delete(pattern);
  if (entry.expression.programSize() > workerData.largest) return entry;
  cache.set(pattern, entry);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value);
  return entry;
}

/** The fault or size of a pattern, and whether each text matches (empty for an invalid or too large pattern). */
function runJob({ pattern, texts }) {
  let entry;
  try {
    entry = compile(pattern);
  } catch (error) {
    return { fault: error.message, matches: [] };
  }
  const size = entry.expression.programSize();
  if (size > workerData.largest) return { size, matches: [] };
  const begun = performance.now();
  const matches = texts.map((text) => entry.expression.test(text));
  entry.spent += performance.now() - begun;
  if (entry.spent > MAX_MATCHING_TIME) cache.delete(pattern);
  return { size, matches };
}

parentPort.on('message', (jobs) => parentPort.postMessage(jobs.map(runJob)));
parentPort.postMessage('ready');
