/** The byte budget and the timeout of bodies. With gates, no sleeps. */
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BodyBudget } from '../../../src/http/body/body-budget.js';
import { readBody, readBytes } from '../../../src/http/body/read-body.js';
import type { HttpRequest, HttpResponse } from '../../../src/http/request/request.js';
import { LIMITS } from '../../../src/shared/limits.js';

const MEGABYTE = 1024 * 1024;

function upload(headers: Record<string, string> = {}, method = 'POST') {
  const stream = new PassThrough({ highWaterMark: 64 * MEGABYTE });
  const request = Object.assign(stream, { headers: { 'transfer-encoding': 'chunked', ...headers }, method });
  const setHeader = vi.fn();
  const response = Object.assign(new PassThrough(), { setHeader }) as unknown as HttpResponse;
  return { stream, request: request as unknown as HttpRequest, response, setHeader };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const free = { add: () => true, end: () => undefined };

describe('the bodies that a process keeps', () => {
  const busy = { status: 503, code: 'server.busy' };
  const options = { all: 10, perProject: 6, anonymous: 4, perAddress: 3, guaranteed: 2, guaranteedPerAddress: 1 };

  it('count as they arrive: announced bytes do not count', async () => {
    const idle = Array.from({ length: 100 }, () => upload({ 'content-length': String(MEGABYTE) }));
    const reading = idle.map(({ request, response }) =>
      readBody(request, response, { project: 'a', limit: 16 * MEGABYTE }),
    );
    for (const { stream } of idle) stream.write('{');
    for (const project of ['a', 'b']) {
      const { stream, request, response } = upload();
      stream.end('{}');
      expect(String(await readBody(request, response, { project, limit: 100 }))).toBe('{}');
      response.emit('close');
    }
    for (const { stream } of idle) stream.destroy();
    expect((await Promise.allSettled(reading)).every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('are limited per project, uncompressed, until their requests end', async () => {
    const large = gzipSync(Buffer.alloc(15 * MEGABYTE));
    const send = (project: string) => {
      const made = upload({ 'content-encoding': 'gzip' });
      made.stream.end(large);
      const read = readBody(made.request, made.response, { project, limit: 16 * MEGABYTE });
      return { ...made, read };
    };
    const [first, second] = [send('a'), send('a')];
    expect((await first.read)?.length).toBe(15 * MEGABYTE);
    await second.read;
    await expect(send('a').read).rejects.toMatchObject(busy);
    const others = [send('b'), send('c')];
    await Promise.all(others.map(({ read }) => read));
    first.response.emit('close');
    const third = send('a');
    await third.read;
    for (const { response } of [second, third, ...others]) response.emit('close');
  });

  it('leave a minimum for each project', () => {
    const budget = new BodyBudget(options);
    const [a, b, c] = ['a', 'b', 'c'].map((project) => budget.open({ project }));
    expect([a?.add(5), b?.add(5)]).toEqual([true, true]);
    expect([c?.add(3), c?.add(2), c?.add(1)]).toEqual([false, true, false]);
    expect(budget.open({ project: 'a' }).add(2)).toBe(false);
    a?.end();
    expect([c?.add(1), budget.open({ project: 'a' }).add(2)]).toEqual([true, true]);
  });

  it('of callers without a token have a share, and those of one address a share of that', () => {
    const budget = new BodyBudget(options);
    const open = (address?: string) => budget.open({ project: 'a', address });
    const [one, same, other, third, member] = [open('::1'), open('::1'), open('::2'), open('::3'), open()];
    expect([one.add(2), same.add(2), same.add(1)]).toEqual([true, false, true]);
    // The second is beyond the part of all, but little.
    expect([other.add(2), other.add(1), third.add(1), third.add(1)]).toEqual([false, true, true, false]);
    expect([member.add(1), member.add(1)]).toEqual([true, false]);
    one.end();
    expect([other.add(2), same.add(1)]).toEqual([false, true]);
    for (const each of [same, other, third, member]) each.end();
    expect(open('::1').add(9)).toBe(true);
  });

  it('accept a single body of any size', () => {
    const budget = new BodyBudget(options);
    const alone = budget.open({ project: 'a' });
    expect([alone.add(8), alone.add(8)]).toEqual([true, true]);
    expect(budget.open({ project: 'b' }).add(3)).toBe(false);
  });
});

describe('a body that comes slowly', () => {
  beforeEach(() => {
    const eventLoopUtilization = performance.eventLoopUtilization.bind(performance);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    // Faked, it answers undefined; a pause of long work needs it.
    performance.eventLoopUtilization = eventLoopUtilization;
  });
  afterEach(() => void vi.useRealTimers());

  it('is refused, and its connection ends', async () => {
    const { stream, request, response, setHeader } = upload();
    const refused = expect(readBody(request, response, { project: 'a', limit: 100 })).rejects.toMatchObject({
      status: 400,
      code: 'body.timeout',
    });
    stream.write('{');
    await vi.advanceTimersByTimeAsync(LIMITS.bodySeconds * 1000 + 100);
    await refused;
    expect(setHeader).toHaveBeenCalledWith('Connection', 'close');
  });

  it('continues if much of it has arrived', async () => {
    const { stream, request } = upload();
    const read = readBytes(request, 16 * MEGABYTE, free);
    stream.write(Buffer.alloc(MEGABYTE));
    await settle();
    await vi.advanceTimersByTimeAsync((LIMITS.bodySeconds + 2) * 1000);
    stream.end(Buffer.alloc(1));
    expect((await read).length).toBe(MEGABYTE + 1);
  });
});
