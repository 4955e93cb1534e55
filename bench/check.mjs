/** Answers are checked before they are timed: each against the data, and those of all systems against each other. */
import assert from 'node:assert/strict';

const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z';
/** @type {[RegExp, string][]} */
const CHANGING = [
  [new RegExp(`"(inserted_at|updated_at)":"${TIME}"`, 'g'), '"$1":"<time>"'],
  [/"id":"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"/g, '"id":"<uuid 7>"'],
];

/** JSON without white space, which systems may set differently. @param {string} text */
function compact(text) {
  return JSON.stringify(JSON.parse(text));
}

/** An answer without the parts that differ after each write, and without white space. @param {string} text */
function withoutChanging(text) {
  return CHANGING.reduce((shown, [pattern, shape]) => shown.replace(pattern, shape), compact(text));
}

/**
 * @param {string} what
 * @param {string} text
 * @param {string} expected
 */
function mustEqual(what, text, expected) {
  if (text === expected) return;
  let at = 0;
  while (text[at] === expected[at]) at += 1;
  const near = (/** @type {string} */ whole) => whole.slice(Math.max(0, at - 80), at + 80);
  throw new Error(`${what}: …${near(text)}… is not …${near(expected)}…`);
}

/**
 * Sends the samples of a workload to every system. @throws if an answer is wrong, or two systems differ
 * @param {Pick<import('./workloads.mjs').Workload, 'id' | 'samples' | 'check' | 'writes'>} workload
 * @param {readonly { name: string, url: string, headers: Record<string, string> }[]} systems
 * @param {() => Promise<void>} prepare
 */
export async function checkAnswers({ id, samples, check, writes }, systems, prepare) {
  /** @type {string[] | undefined} */
  let expected;
  for (const { name, url, headers } of systems) {
    await prepare();
    const answers = [];
    for (const [at, { method, path, body }] of samples.entries()) {
      const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
      const text = await response.text();
      assert.equal(response.status, 200, `${id}, ${name}: ${method} ${path}: ${text.slice(0, 500)}`);
      const { content, messages } = JSON.parse(text);
      assert.deepEqual(messages, []);
      check(content, at);
      answers.push(writes ? withoutChanging(text) : compact(text));
    }
    expected ??= answers;
    for (const [at, answer] of answers.entries())
      mustEqual(`${id}, ${name} (not ${systems[0]?.name})`, answer, expected[at] ?? '');
  }
}
