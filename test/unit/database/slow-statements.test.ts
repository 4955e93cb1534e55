/** Slow statements of a project run one at a time while other projects are active, the others at once. */
import { beforeEach, expect, it, vi } from 'vitest';
import { SlowStatements } from '../../../src/database/statement/slow-statements.js';
import { atEnd } from '../../support/at-end.js';

let isShared = true;
let statements: SlowStatements;
/** The ends of the statements that run, first begun first. */
let running: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  atEnd(() => vi.useRealTimers());
  isShared = true;
  running = [];
  statements = new SlowStatements(1, { hasOthers: () => isShared });
});

function run(text: string, schema = 'noisy'): Promise<void> {
  return statements.run(schema, text, (measure) =>
    measure(() => new Promise<void>((resolve) => running.push(resolve))),
  );
}

/** Ends the statement that has run longest, and lets what waits for it begin. */
async function endOne(): Promise<void> {
  running.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
}

/** Runs a statement some times, one after the other, which take so many milliseconds each. */
async function teach(text: string, milliseconds: number): Promise<void> {
  for (let at = 0; at < 10; at += 1) {
    const done = run(text);
    await vi.advanceTimersByTimeAsync(milliseconds);
    await endOne();
    await done;
  }
}

it('runs slow statements of a project one at a time', async () => {
  await teach('slow', 20);
  const all = [run('slow'), run('slow'), run('slow')];
  for (let left = 3; left > 0; left -= 1) {
    await vi.advanceTimersByTimeAsync(20);
    expect(running).toHaveLength(1);
    await endOne();
  }
  await Promise.all(all);
  expect(statements.queue.counts).toMatchObject({ running: 0, waiting: 0 });
});

it('does not hold back fast statements, other projects, or a project that is alone', async () => {
  await teach('slow', 20);
  await teach('fast', 1);
  const slow = [run('slow'), run('slow'), run('slow', 'other')];
  const fast = [run('fast'), run('fast')];
  await vi.advanceTimersByTimeAsync(0);
  expect(running).toHaveLength(4);
  isShared = false;
  const alone = run('slow');
  expect(running).toHaveLength(5);
  while (running.length > 0) await endOne();
  await Promise.all([...slow, ...fast, alone]);
});

it('does not take many fast statements at the same time for slow ones', async () => {
  for (let at = 0; at < 10; at += 1) {
    const all = Array.from({ length: 8 }, () => run('fast'));
    for (let left = 8; left > 0; left -= 1) {
      await vi.advanceTimersByTimeAsync(2);
      await endOne();
    }
    await Promise.all(all);
  }
  const all = [run('fast'), run('fast')];
  expect(running).toHaveLength(2);
  while (running.length > 0) await endOne();
  await Promise.all(all);
});

it('lets the next one begin after a second, as the one before may wait for a lock', async () => {
  await teach('slow', 20);
  const all = [run('slow'), run('slow')];
  await vi.advanceTimersByTimeAsync(999);
  expect(running).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(running).toHaveLength(2);
  while (running.length > 0) await endOne();
  await Promise.all(all);
});

it('goes on after a statement that fails', async () => {
  await teach('slow', 20);
  const failed = statements.run('noisy', 'slow', (measure) => measure(() => Promise.reject(new Error('refused'))));
  const next = run('slow');
  await expect(failed).rejects.toThrow('refused');
  await vi.advanceTimersByTimeAsync(0);
  expect(running).toHaveLength(1);
  await endOne();
  await next;
});
