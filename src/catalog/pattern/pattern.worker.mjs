// Compiles patterns and matches texts, on a thread of its own: whoever sent them ends it where that takes too long.
import { parentPort, workerData } from 'node:worker_threads';
import { RE2JS } from 're2js';

/** Compiled patterns that are kept. */
const KEPT = 50;
/** Milliseconds of matching after which one is compiled anew: what it remembers of texts may have grown to megabytes. */
const GROWN = 200;

/** By its text: the pattern, and the milliseconds that it has matched for; the one that was used last comes last. */
const kept = new Map();

function compiled(pattern) {
  const known = kept.get(pattern) ?? { expression: RE2JS.compile(pattern), spent: 0 };
  kept.delete(pattern);
  if (known.expression.programSize() > workerData.largest) return known;
  kept.set(pattern, known);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return known;
}

/** What a pattern is, `{fault}` or `{size}`, and which of the texts have a match. Of one that is too large none has. */
function answerOf({ pattern, texts }) {
  let found;
  try {
    found = compiled(pattern);
  } catch (error) {
    return { fault: error.message, matches: [] };
  }
  const size = found.expression.programSize();
  if (size > workerData.largest) return { size, matches: [] };
  const begun = performance.now();
  const matches = texts.map((text) => found.expression.test(text));
  found.spent += performance.now() - begun;
  if (found.spent > GROWN) kept.delete(pattern);
  return { size, matches };
}

parentPort.on('message', (jobs) => parentPort.postMessage(jobs.map(answerOf)));
parentPort.postMessage('ready');
