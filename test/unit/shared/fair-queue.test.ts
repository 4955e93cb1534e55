/** Queues: limits on length and time, and fairness among keys. With gates, no sleeps. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryLater } from '../../../src/shared/errors.js';
import { FairQueue, type FairQueueOptions } from '../../../src/shared/fair-queue.js';

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

function createQueue(options: Omit<FairQueueOptions, 'refusal'>): FairQueue {
  return new FairQueue({ timeout: 1000, refusal: () => retryLater('server.busy', 'later', 2), ...options });
}

/** Lets all work run that can continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('work of all keys', () => {
  it('runs a limited number at once, and the others one after another', async () => {
    const queue = createQueue({ concurrency: 2, maxWaiting: 10 });
    let [running, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, (running += 1));
      await settle();
      running -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => queue.run('a', work)));
    expect(most).toBe(2);
  });

  it('rejects with 503 when full, and accepts again later', async () => {
    const queue = createQueue({ concurrency: 1, maxWaiting: 2 });
    const { opened, open } = gate();
    const taken = [1, 2, 3].map(() => queue.run('a', () => opened));
    await expect(queue.run('b', () => opened)).rejects.toMatchObject({
      status: 503,
      retryAfter: 2,
      code: 'server.busy',
    });
    open();
    await Promise.all(taken);
    await queue.run('b', async () => undefined);
  });

  it('rejects work that has waited too long', async () => {
    vi.useFakeTimers();
    try {
      const queue = createQueue({ concurrency: 1, maxWaiting: 2 });
      const { opened, open } = gate();
      const first = queue.run('a', () => opened);
      const late = expect(queue.run('a', () => opened)).rejects.toMatchObject({ status: 503 });
      await vi.advanceTimersByTimeAsync(1001);
      await late;
      open();
      await first;
      expect(await queue.run('a', async () => 'again')).toBe('again');
    } finally {
      vi.useRealTimers();
    }
  });

  it('serves the keys in turn', async () => {
    const queue = createQueue({ concurrency: 1, maxWaiting: 10 });
    const { opened, open } = gate();
    const order: string[] = [];
    const first = queue.run('x', () => opened);
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) =>
      queue.run(name.slice(0, 1), async () => void order.push(name)),
    );
    open();
    await Promise.all([first, ...all]);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('continues after failed work', async () => {
    const queue = createQueue({ concurrency: 1, maxWaiting: 1 });
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run('a', async () => 'yes')).toBe('yes');
  });
});

describe('work of one key', () => {
  it('has a limit that is independent of the others', async () => {
    const queue = createQueue({ perKey: 2 });
    const { opened, open } = gate();
    const started: string[] = [];
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map((name) =>
      queue.run(name.slice(0, 1), () => {
        started.push(name);
        return opened;
      }),
    );
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
    open();
    await Promise.all(all);
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'b3']);
  });

  it('waits in a queue of its own, and does not block the others', async () => {
    const queue = createQueue({ perKey: 1, concurrency: 2, maxWaitingPerKey: 2 });
    const gates = new Map(['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => [name, gate()]));
    const started: string[] = [];
    const run = (name: string) =>
      queue.run(name.slice(0, 1), () => {
        started.push(name);
        return gates.get(name)?.opened ?? Promise.resolve();
      });
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map(run);
    await expect(run('a4')).rejects.toMatchObject({ code: 'server.busy' });
    await settle();
    expect(started).toEqual(['a1', 'b1']);
    gates.get('b1')?.open();
    await settle();
    // Of `a` one runs already.
    expect(started).toEqual(['a1', 'b1', 'c1']);
    gates.get('a1')?.open();
    await settle();
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
    for (const { open } of gates.values()) open();
    await Promise.all(all);
    expect(started.at(-1)).toBe('a3');
  });
});

describe('parts of a key', () => {
  const named = () => {
    const queue = createQueue({ concurrency: 10, keyShare: 0.8, partShare: 0.75, maxWaitingPerKey: 8 });
    const { opened, open } = gate();
    const started: string[] = [];
    const run = (key: string, part: string) => {
      const work = async () => {
        started.push(part);
        await opened;
      };
      return queue.run(key, work, part);
    };
    const all: Promise<void>[] = [];
    const start = async (key: string, part: string, count: number) => {
      for (let at = 0; at < count; at += 1) all.push(run(key, part));
      await settle();
    };
    return { start, run, started: () => started.splice(0).join(''), end: () => (open(), Promise.all(all)) };
  };

  it('leave places for each other', async () => {
    const { start, started, end } = named();
    await start('one', 'a', 10);
    expect(started()).toBe('aaaaaa');
    await start('one', 'b', 2);
    expect(started()).toBe('b');
    await start('one', 'c', 1);
    expect(started()).toBe('c');
    await start('two', 'a', 1);
    expect(started()).toBe('a');
    await end();
    expect(started()).toBe('baaaa');
  });

  it('leave room in the queue for each other', async () => {
    const { start, run, started, end } = named();
    await start('one', 'a', 12);
    await expect(run('one', 'a')).rejects.toMatchObject({ code: 'server.busy' });
    await start('one', 'b', 2);
    expect(started()).toBe('aaaaaab');
    await end();
  });
});

describe('a share', () => {
  /** Work of several keys that runs until a test ends it; the first letter of its name is the key. */
  function startBlockingWork(options: Omit<FairQueueOptions, 'refusal'>) {
    const queue = createQueue(options);
    const gates = new Map<string, ReturnType<typeof gate>>();
    const running = new Set<string>();
    const all: Promise<void>[] = [];
    return {
      running: () =>
        [...running]
          .map((name) => name[0])
          .sort()
          .join(''),
      start: async (key: string, count: number) => {
        for (let at = 0; at < count; at += 1) {
          const name = `${key}${gates.size}`;
          const { opened, open } = gate();
          gates.set(name, { opened, open });
          all.push(
            queue.run(key, async () => {
              running.add(name);
              await opened;
              running.delete(name);
            }),
          );
        }
        await settle();
      },
      end: async (key: string) => {
        gates.get([...running].find((name) => name.startsWith(key)) ?? '')?.open();
        await settle();
      },
      endAll: async () => {
        for (const { open } of gates.values()) open();
        await Promise.all(all);
      },
    };
  }

  it('is a part of what the others leave, so that something remains for the next', async () => {
    const { start, running, endAll } = startBlockingWork({ concurrency: 8, keyShare: 0.8 });
    await start('a', 20);
    expect(running()).toBe('aaaaaa');
    await start('b', 20);
    expect(running()).toBe('aaaaaab');
    await start('c', 1);
    expect(running()).toBe('aaaaaabc');
    await endAll();
  });

  it('evens out, and the next place goes to a key without one', async () => {
    const { start, running, end, endAll } = startBlockingWork({ concurrency: 8, keyShare: 0.8 });
    await start('a', 20);
    await start('b', 20);
    for (let turn = 0; turn < 6; turn += 1) await end('a');
    expect(running()).toBe('aaabbbb');
    await start('c', 1);
    await start('d', 1);
    expect(running()).toBe('aaabbbbc');
    await end('b');
    expect(running()).toBe('aaabbbcd');
    await end('c');
    await end('d');
    await end('b');
    expect(running()).toBe('aaaabbb');
    await endAll();
  });

  it('leaves no usable place idle', async () => {
    const { start, running, end, endAll } = startBlockingWork({ concurrency: 10, keyShare: 0.8 });
    await start('a', 20);
    await start('b', 1);
    await end('b');
    await end('a');
    expect(running()).toBe('aaaaaaaa');
    await endAll();
  });
});

describe('a place that is reserved separately', () => {
  it('counts like work, and goes to the next in the queue when it is released', async () => {
    const queue = createQueue({ perKey: 1, maxWaiting: 10 });
    const leave = queue.tryAcquire('a');
    expect(queue.tryAcquire('a')).toBeUndefined();
    queue.tryAcquire('b')?.();
    const order: string[] = [];
    const work = queue.run('a', async () => void order.push('work'));
    const entered = queue.acquire('a').then((next) => (order.push('place'), next));
    await settle();
    expect(order).toEqual([]);
    leave?.();
    const next = await entered;
    await work;
    expect(order).toEqual(['work', 'place']);
    expect(queue.tryAcquire('a')).toBeUndefined();
    next();
    expect(queue.tryAcquire('a')).toBeDefined();
  });
});

describe('congestion', () => {
  const congestion = { milliseconds: 500, waiting: 2 };

  /** A queue of one place, whose work takes as long as it is told. */
  function slowQueue() {
    const queue = createQueue({ concurrency: 1, timeout: 60_000, congestion });
    const send = (key: string, milliseconds: number, part?: string) =>
      queue.run(key, () => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)), part);
    return { queue, send };
  }

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is when what is next has waited long, and ends with the wait', async () => {
    const { queue, send } = slowQueue();
    const sent = Array.from({ length: 20 }, () => send('a', 300, 'city'));
    expect(queue.refuseIfCongested('a', 'city')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(3000);
    expect(queue.refuseIfCongested('a', 'city')).toMatchObject({ status: 503, code: 'server.busy' });
    expect(queue.counts.refused).toBe(1);
    expect(queue.refuseIfCongested('a', 'other')).toBeUndefined();
    expect(queue.refuseIfCongested('b', 'city')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2500);
    expect(queue.counts.waiting).toBe(1);
    expect(queue.refuseIfCongested('a', 'city')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    await Promise.all(sent);
  });

  it('is noticed when a burst has waited that long', async () => {
    const { queue, send } = slowQueue();
    const sent = Array.from({ length: 100 }, () => send('a', 50, 'city'));
    await vi.advanceTimersByTimeAsync(490);
    expect(queue.refuseIfCongested('a', 'city')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(20);
    expect(queue.refuseIfCongested('a', 'city')).toMatchObject({ status: 503, code: 'server.busy' });
    await vi.advanceTimersByTimeAsync(5000);
    await Promise.all(sent);
  });

  it('is not when nothing is started, as behind a lock', async () => {
    const { queue, send } = slowQueue();
    const sent = [send('a', 5000, 'city'), ...Array.from({ length: 9 }, () => send('a', 1, 'city'))];
    await vi.advanceTimersByTimeAsync(4900);
    expect(queue.refuseIfCongested('a', 'city')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    await Promise.all(sent);
  });
});

describe('a shared maximum of waiting work', () => {
  it('refuses keys with more than their share, and no others', async () => {
    const queue = createQueue({ concurrency: 1, maxWaitingShared: 4 });
    const { opened, open } = gate();
    const taken = [1, 2, 3, 4, 5].map(() => queue.run('a', () => opened));
    await expect(queue.run('a', () => opened)).rejects.toMatchObject({ status: 503 });
    const quiet = queue.run('b', () => opened);
    await expect(queue.run('a', () => opened)).rejects.toMatchObject({ status: 503 });
    open();
    await Promise.all([...taken, quiet]);
  });
});
