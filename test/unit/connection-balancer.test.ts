/** Connections of a shared port: which worker gets each, and what happens to those of a worker that ends. */
import type { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { ConnectionBalancer } from '../../src/workers/connection-balancer.js';

afterEach(() => void vi.useRealTimers());

function balanced(...workers: string[]) {
  const sent: { worker: string; id: number; socket: Socket }[] = [];
  const balancer = new ConnectionBalancer<string>((worker, id, socket) => void sent.push({ worker, id, socket }));
  for (const worker of workers) balancer.add(worker);
  const closed: number[] = [];
  const connect = (number: number) => balancer.assign({ destroy: () => closed.push(number) } as unknown as Socket);
  const confirmAll = () => sent.splice(0).forEach(({ worker, id }) => balancer.confirm(worker, id));
  return { balancer, sent, closed, connect, confirmAll, receivers: () => sent.map(({ worker }) => worker).join('') };
}

it('each goes to the worker with the fewest open ones', () => {
  const { balancer, connect, confirmAll, receivers } = balanced('a', 'b');
  for (const number of [1, 2, 3, 4]) connect(number);
  expect(receivers()).toBe('abab');
  confirmAll();
  balancer.closed('b');
  balancer.closed('b');
  for (const number of [5, 6, 7]) connect(number);
  expect(receivers()).toBe('bba');
});

it('short ones are shared in turns', () => {
  const { balancer, sent, connect, confirmAll } = balanced('a', 'b', 'c');
  const order: string[] = [];
  for (let number = 0; number < 6; number += 1) {
    connect(number);
    const { worker } = sent[0]!;
    order.push(worker);
    confirmAll();
    balancer.closed(worker);
  }
  expect(order.join('')).toBe('abcabc');
});

it('one is closed here when the worker has it, and is given to another if the worker ends before', () => {
  const { balancer, sent, closed, connect, receivers } = balanced('a', 'b');
  for (const number of [1, 2, 3]) connect(number);
  balancer.confirm('a', sent[0]!.id);
  expect(closed).toEqual([1]);
  balancer.remove('a');
  expect(receivers()).toBe('abab');
  expect(sent[3]!.socket).toBe(sent[2]!.socket);
  expect(closed).toEqual([1]);
});

it('a new worker receives those that no worker could take, then as many as the others have', () => {
  const { balancer, closed, connect, receivers } = balanced('a');
  connect(1);
  balancer.remove('a');
  connect(2);
  expect(receivers()).toBe('a');
  balancer.add('b');
  expect(receivers()).toBe('abb');
  balancer.add('c');
  for (const number of [3, 4, 5]) connect(number);
  expect(receivers()).toBe('abbccb');
  balancer.remove('b');
  balancer.remove('c');
  balancer.stop();
  expect(closed.sort()).toEqual([1, 2, 3, 4, 5]);
});

it('a worker that has not confirmed one for a second receives no more until it does', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { balancer, sent, connect, receivers } = balanced('a', 'b');
  connect(1);
  connect(2);
  balancer.confirm('b', sent[1]!.id);
  vi.advanceTimersByTime(1001);
  connect(3);
  balancer.confirm('b', sent[2]!.id);
  connect(4);
  expect(receivers()).toBe('abbb');
  balancer.confirm('a', sent[0]!.id);
  connect(5);
  connect(6);
  expect(receivers()).toBe('abbbaa');
});
