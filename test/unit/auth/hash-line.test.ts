/** The line of passwords that wait to be hashed: bounded in length and time, and fair. With gates, no sleeps. */
import { describe, expect, it, vi } from 'vitest';
import { HashLine } from '../../../src/auth/hash-line.js';

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Lets everything run that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a line of hashes', () => {
  it('runs so many at once, and the others one after another', async () => {
    const line = new HashLine({ atOnce: 2, waiting: 10, patience: 1000 });
    let [running, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, (running += 1));
      await settle();
      running -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => line.run('a', work)));
    expect(most).toBe(2);
  });

  it('refuses with 503 whom it has no place for, and takes others again later', async () => {
    const line = new HashLine({ atOnce: 1, waiting: 2, patience: 1000 });
    const { opened, open } = gate();
    const taken = [1, 2, 3].map(() => line.run('a', () => opened));
    await expect(line.run('b', () => opened)).rejects.toMatchObject({
      status: 503,
      retryAfter: 2,
      code: 'server.busy',
    });
    open();
    await Promise.all(taken);
    await line.run('b', async () => undefined);
  });

  it('refuses whoever has waited too long', async () => {
    vi.useFakeTimers();
    try {
      const line = new HashLine({ atOnce: 1, waiting: 2, patience: 1000 });
      const { opened, open } = gate();
      const first = line.run('a', () => opened);
      const late = expect(line.run('a', () => opened)).rejects.toMatchObject({ status: 503 });
      await vi.advanceTimersByTimeAsync(1001);
      await late;
      open();
      await first;
      expect(await line.run('a', async () => 'again')).toBe('again');
    } finally {
      vi.useRealTimers();
    }
  });

  it('serves the keys in turn', async () => {
    const line = new HashLine({ atOnce: 1, waiting: 10, patience: 1000 });
    const { opened, open } = gate();
    const order: string[] = [];
    const first = line.run('x', () => opened);
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) =>
      line.run(name.slice(0, 1), async () => void order.push(name)),
    );
    open();
    await Promise.all([first, ...all]);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('goes on after work that fails', async () => {
    const line = new HashLine({ atOnce: 1, waiting: 1, patience: 1000 });
    await expect(line.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await line.run('a', async () => 'yes')).toBe('yes');
  });
});
