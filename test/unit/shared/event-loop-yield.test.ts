/** Long computations: one piece of all of them in each turn of the event loop, and time for others in between. */
import { expect, it, vi } from 'vitest';
import { ActiveKeys, activeProjects } from '../../../src/shared/active-keys.js';
import { EventLoopYield, UndividedWork } from '../../../src/shared/event-loop-yield.js';
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
  const clock = ownClock();
  const yielder = new EventLoopYield('by stretches', { alone: 20, shared: 5 });
  expect(yielder.due).toBe(false);
  clock.pass(21);
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

let ahead = 0;

/** A clock that only the test moves. For it, no project was active a moment ago. */
function ownClock(): { pass(milliseconds: number): void } {
  ahead += 1000;
  let now = performance.now() + ahead;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  atEnd(() => clock.mockRestore());
  return { pass: (milliseconds) => void (now += milliseconds) };
}

it('goes on in the next turn if no other project is active', async () => {
  const clock = ownClock();
  activate('noisy');
  const yielder = new EventLoopYield('noisy');
  clock.pass(12);
  let turns = 0;
  let paused = true;
  const pause = yielder.pause().then(() => (paused = false));
  for (; paused; turns += 1) await turn();
  await pause;
  expect(turns).toBeLessThanOrEqual(2);
});

it('measures the work of a project over several turns of the loop', async () => {
  const clock = ownClock();
  const stretch = { alone: 10, shared: 10 };
  for (let piece = 0; piece < 3; piece += 1) {
    expect(new EventLoopYield('in parts', stretch).due).toBe(false);
    clock.pass(4);
    await turn();
  }
  const yielder = new EventLoopYield('in parts', stretch);
  expect(yielder.due).toBe(true);
  expect(new EventLoopYield('another', stretch).due).toBe(false);
  await yielder.pause();
  expect(yielder.due).toBe(false);
});

it('undivided work of a project that has worked much begins once in each turn', async () => {
  const clock = ownClock();
  const log: string[] = [];
  const call = async () => {
    const waiting = new UndividedWork('computing').turn();
    if (waiting) await waiting;
    clock.pass(3);
    log.push('computed');
  };
  let over = false;
  const all = Promise.all(Array.from({ length: 4 }, call)).then(() => (over = true));
  while (!over) {
    const before = log.length;
    await turn();
    expect(log.length - before).toBeLessThanOrEqual(1);
  }
  await all;
  expect(log).toHaveLength(4);
});

it('undivided work of a project that works little begins at once', () => {
  ownClock();
  expect(new UndividedWork('little').turn()).toBeUndefined();
  expect(new UndividedWork('little').turn()).toBeUndefined();
});

it('knows which projects had requests under way a moment ago', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  atEnd(() => vi.useRealTimers());
  const keys = new ActiveKeys();
  for (const key of ['a', 'b', 'b']) {
    keys.enter(key);
    keys.leave(key);
  }
  const active = () => ['a', 'b', 'c'].filter((key) => keys.hasOthers(key, 100));
  expect(active()).toEqual(['a', 'b', 'c']);
  expect(keys.hasOthers('c')).toBe(false);
  vi.advanceTimersByTime(60);
  keys.enter('b');
  keys.leave('b');
  vi.advanceTimersByTime(60);
  expect(active()).toEqual(['a', 'c']);
  vi.advanceTimersByTime(60);
  expect(active()).toEqual([]);
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
