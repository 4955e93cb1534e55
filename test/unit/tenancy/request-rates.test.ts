import { expect, it } from 'vitest';
import { KindError } from '../../../src/shared/errors.js';
import { RequestRates } from '../../../src/tenancy/request-rates.js';
import type { Project } from '../../../src/tenancy/project.js';

const project = (id: string, requestsPerSecond?: number | null): Project => ({
  id,
  label: id,
  schema: id,
  schemaId: null,
  settings: requestsPerSecond === undefined ? {} : { requestsPerSecond },
});

/** How many of so many requests at one time pass, and the seconds after which the first refused one may come back. */
function passing(rates: RequestRates, of: Project, requests: number, now: number) {
  let passed = 0;
  let retryAfter: number | undefined;
  for (let count = 0; count < requests; count += 1) {
    try {
      rates.count(of, now);
      passed += 1;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: 'project.limit' });
      retryAfter ??= (error as KindError).retryAfter;
    }
  }
  return { passed, retryAfter };
}

it('a project has as many requests per second as its settings say, and a second of them at once', () => {
  const rates = new RequestRates({ workers: 1 });
  const limited = project('limited', 10);
  expect(passing(rates, limited, 25, 0)).toEqual({ passed: 10, retryAfter: 1 });
  expect(passing(rates, limited, 25, 500)).toEqual({ passed: 5, retryAfter: 1 });
  expect(passing(rates, limited, 25, 600)).toEqual({ passed: 1, retryAfter: 1 });
  expect(passing(rates, limited, 25, 60_000)).toEqual({ passed: 10, retryAfter: 1 });
});

it('other projects are not affected, and those without a limit have none', () => {
  const rates = new RequestRates({ workers: 1 });
  expect(passing(rates, project('one', 1), 3, 0).passed).toBe(1);
  expect(passing(rates, project('two', 2), 3, 0).passed).toBe(2);
  expect(passing(rates, project('three'), 1000, 0).passed).toBe(1000);
  expect(passing(rates, project('four', null), 1000, 0).passed).toBe(1000);
});

it('each of several processes lets its share through, and one request at least', () => {
  const rates = new RequestRates({ workers: 4 });
  expect(passing(rates, project('large', 100), 100, 0)).toEqual({ passed: 25, retryAfter: 1 });
  const small = project('small', 1);
  expect(passing(rates, small, 100, 0)).toEqual({ passed: 1, retryAfter: 4 });
  expect(passing(rates, small, 100, 4000).passed).toBe(1);
});
