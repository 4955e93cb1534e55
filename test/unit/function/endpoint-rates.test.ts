import { describe, expect, it } from 'vitest';
import { EndpointRates } from '../../../src/function/run/endpoint-rates.js';

const START = 5_000;
const REFUSED = expect.objectContaining({ status: 429, code: 'request.throttled', retryAfter: 60 }) as unknown;

describe.each([
  [1, 600, 3000],
  [4, 150, 750],
])('with %i processes, one of them', (workers, fromAddress, ofProject) => {
  it('lets its share of the calls from an address through in a minute', () => {
    const rates = new EndpointRates({ workers });
    const call =
      (address = 'a', project = 'one', later = 0) =>
      () =>
        rates.countFrom(address, project, START + later);
    for (let at = 0; at < fromAddress; at++) call()();
    expect(call()).toThrow(REFUSED);
    expect(call('b')).not.toThrow();
    expect(call('a', 'two')).not.toThrow();
    expect(call('a', 'one', 59_999)).toThrow(expect.objectContaining({ retryAfter: 1 }) as Error);
    for (let at = 0; at < fromAddress; at++) call('a', 'one', 60_000)();
    expect(call('a', 'one', 60_000)).toThrow(REFUSED);
  });

  it('lets its share of the calls of a project through', () => {
    const rates = new EndpointRates({ workers });
    const call =
      (project = 'one') =>
      () =>
        rates.countOf(project, START);
    for (let at = 0; at < ofProject; at++) call()();
    expect(call()).toThrow(REFUSED);
    expect(call('two')).not.toThrow();
  });
});
