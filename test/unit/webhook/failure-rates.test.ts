/** At most ten failed attempts a second to one host from one project. */
import { expect, it } from 'vitest';
import { FailureRates } from '../../../src/webhook/failure-rates.js';

it('the eleventh attempt waits where ten have failed within a second', async () => {
  const rates = new FailureRates();
  const times: number[] = [];
  const attempt = (project = 'a', host = 'h') =>
    rates.run(
      project,
      host,
      () => Promise.resolve(times.push(performance.now())),
      () => true,
    );
  for (let n = 0; n < 10; n += 1) await attempt();
  const began = performance.now();
  await Promise.all([attempt('b'), attempt('a', 'other')]);
  expect(performance.now() - began).toBeLessThan(200);
  await attempt();
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
});

it('attempts under way count once one has failed, and those that succeed do not', async () => {
  const rates = new FailureRates();
  let running = 0;
  let most = 0;
  const attempt = (fails: boolean) => () =>
    rates.run(
      'a',
      'h',
      async () => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 20));
        running -= 1;
      },
      () => fails,
    );
  await Promise.all(Array.from({ length: 30 }, attempt(false)));
  expect(most).toBe(30);
  await attempt(true)();
  most = 0;
  await Promise.all(Array.from({ length: 12 }, attempt(true)));
  expect(most).toBeLessThanOrEqual(9);
});
