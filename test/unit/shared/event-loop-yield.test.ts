/** Long computations: one piece of all of them in each turn of the event loop, and time for others in between. */
import { expect, it } from 'vitest';
import { ActiveKeys, activeProjects } from '../../../src/shared/active-keys.js';
import { EventLoopYield } from '../../../src/shared/event-loop-yield.js';
import { atEnd } from '../../support/at-end.js';

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

function compute(milliseconds: number): void {
  const begun = performance.now();
  while (performance.now() - begun < milliseconds);
}

/** Makes a project active until the end of the test. */
function activate(project: string): void {
  activeProjects.enter(project);
  atEnd(() => activeProjects.leave(project));
}

/** How long a pause after so many milliseconds of work takes. */
async function pauseAfter(milliseconds: number, key: string): Promise<number> {
  const yielder = new EventLoopYield(key);
  compute(milliseconds);
  const begun = performance.now();
  await yielder.pause();
  return performance.now() - begun;
}

it('leaves the loop to other active projects for as long as a piece took, within bounds', async () => {
  activate('quiet');
  expect(await pauseAfter(12, 'noisy')).toBeGreaterThan(10);
  const long = await pauseAfter(60, 'noisy');
  expect(long).toBeGreaterThan(18);
});

it('goes on in the next turn if no other project is active', async () => {
  activate('noisy');
  const yielder = new EventLoopYield('noisy');
  compute(12);
  let turns = 0;
  let paused = true;
  const pause = yielder.pause().then(() => (paused = false));
  for (; paused; turns += 1) await turn();
  await pause;
  expect(turns).toBeLessThanOrEqual(2);
});

it('knows which projects have requests under way', () => {
  const keys = new ActiveKeys();
  expect(keys.hasOthers('a')).toBe(false);
  keys.enter('a');
  keys.enter('a');
  expect([keys.hasOthers('a'), keys.hasOthers('b')]).toEqual([false, true]);
  keys.leave('a');
  expect(keys.hasOthers('b')).toBe(true);
  keys.leave('a');
  expect(keys.hasOthers('b')).toBe(false);
});
