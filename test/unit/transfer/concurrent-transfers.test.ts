/** Places of imports and exports: how many a project may have, and what becomes of clients that keep others waiting. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Config } from '../../../src/config/config.js';
import { MetricSources } from '../../../src/shared/metric-sources.js';
import type { RequestScope } from '../../../src/tenancy/request-scope.js';
import { WaitingTime } from '../../../src/transfer/file/waiting-time.js';
import { ConcurrentTransfers } from '../../../src/transfer/concurrent-transfers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const of = (id: string) => ({ project: { id }, caller: { type: 'member' } }) as RequestScope;

/** A transfer whose client does nothing, until the service gives it up. */
function idle(places: ConcurrentTransfers, project: string) {
  const client = new WaitingTime();
  let giveUp = (): void => undefined;
  const ended = places.run(of(project), client, () =>
    client.during(new Promise<void>((resolve) => (giveUp = resolve)), () => giveUp()),
  );
  return { client, ended };
}

it('four of ten connections: two for one project, and one is left for each of the next two', async () => {
  const places = new ConcurrentTransfers({ databasePool: 10 } as Config, new MetricSources());
  const ended: string[] = [];
  for (const project of ['a', 'a', 'b', 'c']) void idle(places, project).ended.then(() => ended.push(project));
  const begun: string[] = [];
  const waiting = ['d', 'e'].map((project) => places.run(of(project), undefined, async () => void begun.push(project)));
  await vi.advanceTimersByTimeAsync(1900);
  expect([begun, ended]).toEqual([[], []]);
  // The first ones that keep the others waiting end, one at a time.
  await vi.advanceTimersByTimeAsync(200);
  expect([begun, ended]).toEqual([['d', 'e'], ['a']]);
  await Promise.all(waiting);
  // Nobody waits any more: the others have their 30 seconds.
  await vi.advanceTimersByTimeAsync(20_000);
  expect(ended).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended).toEqual(['a', 'a', 'b', 'c']);
});

it('a client that goes on reading or sending keeps its place, but cannot save up time', async () => {
  const places = new ConcurrentTransfers({ databasePool: 10 } as Config, new MetricSources());
  const { client, ended } = idle(places, 'a');
  let done = false;
  void ended.then(() => (done = true));
  client.addBytes(1e12);
  await vi.advanceTimersByTimeAsync(29_000);
  expect([done, client.endAfter(30_000)]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toBe(true);
});

it('from four connections on, one project leaves a place to others', async () => {
  const places = new ConcurrentTransfers({ databasePool: 4 } as Config, new MetricSources());
  void idle(places, 'a');
  void idle(places, 'a');
  let begun = false;
  await places.run(of('b'), undefined, async () => void (begun = true));
  expect(begun).toBe(true);
});
