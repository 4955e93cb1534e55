import { describe, expect, it } from 'vitest';
import { Capacity } from '../../../src/function/run/capacity.js';
import { MetricSources } from '../../../src/shared/metric-sources.js';
import { LIMITS } from '../../../src/shared/limits.js';

describe('the capacity for functions', () => {
  it('refuses calls of a project of which too many wait', async () => {
    const capacity = new Capacity(new MetricSources());
    let open: (text: string) => void = () => undefined;
    const gate = new Promise<string>((resolve) => (open = resolve));
    const calls = Array.from({ length: 200 + LIMITS.requestsWaiting }, () => capacity.calls.run('one', () => gate));
    await expect(capacity.calls.run('one', () => gate)).rejects.toMatchObject({ code: 'server.busy' });
    const other = capacity.calls.run('other', () => gate);
    open('done');
    expect(await other).toBe('done');
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['done']));
  });
});
