/** Long computations: one piece of all of them in each turn of the event loop. */
import { expect, it } from 'vitest';
import { EventLoopYield } from '../../../src/shared/event-loop-yield.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('of many paused tasks one continues in each turn of the event loop', async () => {
  const log: string[] = [];
  const work = async (name: string) => {
    const yielder = new EventLoopYield(name);
    for (let piece = 1; piece <= 3; piece += 1) {
      await yielder.pause();
      log.push(name);
    }
  };
  let over = false;
  const all = Promise.all(['a', 'b', 'c'].map(work)).then(() => (over = true));
  while (!over) {
    const before = log.length;
    await turn();
    expect(log.length - before).toBeLessThanOrEqual(1);
  }
  await all;
  expect(log).toHaveLength(9);
});

it('all tasks of one key have one place among the others', async () => {
  const log: string[] = [];
  const pieces = (key: string, count: number) =>
    Array.from({ length: count }, () => new EventLoopYield(key).pause().then(() => log.push(key)));
  await Promise.all([...pieces('many', 10), ...pieces('one', 2)]);
  expect(log.slice(0, 4)).toEqual(['many', 'one', 'many', 'one']);
  expect(log).toHaveLength(12);
});

it('is due only after a stretch of work', async () => {
  const yielder = new EventLoopYield('', 20);
  expect(yielder.due).toBe(false);
  const begun = performance.now();
  while (performance.now() - begun < 25);
  expect(yielder.due).toBe(true);
  await yielder.pause();
  expect(yielder.due).toBe(false);
});
