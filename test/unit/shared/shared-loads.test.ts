/** Concurrent requests for the same key share one load; a load whose key is forgotten is outdated. */
import { expect, it } from 'vitest';
import { SharedLoads } from '../../../src/shared/shared-loads.js';

/** Loads that the test finishes, in the order in which they were started. */
function controlledLoads() {
  const loads: { finish: (value: string) => void; fail: (error: Error) => void; isCurrent: () => boolean }[] = [];
  const load = (isCurrent: () => boolean) =>
    new Promise<string>((finish, fail) => void loads.push({ finish, fail, isCurrent }));
  return { loads, load };
}

it('concurrent requests share a load, later ones start another', async () => {
  const shared = new SharedLoads<string>();
  const { loads, load } = controlledLoads();
  const both = [shared.run('a', load), shared.run('a', load)];
  expect(loads).toHaveLength(1);
  loads[0]?.finish('first');
  expect(await Promise.all(both)).toEqual(['first', 'first']);
  void shared.run('a', load);
  void shared.run('b', load);
  expect(loads).toHaveLength(3);
});

it('a failed load is not shared with later requests', async () => {
  const shared = new SharedLoads<string>();
  const { loads, load } = controlledLoads();
  const failing = shared.run('a', load);
  loads[0]?.fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  const next = shared.run('a', load);
  loads[1]?.finish('there');
  expect(await next).toBe('there');
});

it.each(['forget', 'clear'] as const)(
  '%s makes a load outdated, and the next request starts a new one',
  async (name) => {
    const shared = new SharedLoads<string>();
    const { loads, load } = controlledLoads();
    const old = shared.run('a', load);
    expect(loads[0]?.isCurrent()).toBe(true);
    shared[name]('a');
    expect(loads[0]?.isCurrent()).toBe(false);
    const fresh = shared.run('a', load);
    loads[0]?.finish('old');
    expect(await old).toBe('old');
    // The end of the outdated load leaves the new one alone.
    expect(loads[1]?.isCurrent()).toBe(true);
    expect(shared.run('a', load)).toBe(fresh);
  },
);
