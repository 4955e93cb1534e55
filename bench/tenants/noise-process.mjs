/**
 * Sends noise from a process of its own with a low priority: clients of a real service have processors of their own, so that
 * what a client costs is not to be taken from the service.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { makeNoise, sendBareNoise } from './noise.mjs';

/**
 * @typedef {{ bare: Parameters<typeof sendBareNoise> extends [...infer Rest, AbortSignal] ? Rest : never }
 *   | { service: Parameters<typeof makeNoise> extends [...infer Rest, AbortSignal] ? Rest : never }} Noise
 *   the parameters of `sendBareNoise` or `makeNoise`
 */

/**
 * Begins with it. The returned function ends it, and returns the numbers of answers.
 * @param {Noise} noise
 * @returns {() => Promise<Record<string, number>>}
 */
export function beginNoise(noise) {
  const child = fork(import.meta.filename, ['send']);
  child.send(noise);
  return async () => {
    child.send('end');
    const [answers] = await once(child, 'message');
    await once(child, 'exit');
    return answers;
  };
}

if (process.argv[2] === 'send') {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const end = new AbortController();
  process.on('message', (message) => {
    if (message === 'end') return end.abort();
    const noise = /** @type {Noise} */ (message);
    const sending =
      'bare' in noise ? sendBareNoise(...noise.bare, end.signal) : makeNoise(...noise.service, end.signal);
    sending.then((answers) => process.send?.(answers, () => process.disconnect()));
  });
}
