/** The cost of calling a function: an empty function compared with the get of a unit of the same kind. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The target: a call takes at most this many times as long as a get. */
export const FUNCTION_TARGET = 1 / 1.3;

const DIFFERENT_REQUESTS = 2000;
/** Milliseconds after which the service has certainly scanned its functions folder. */
const LOAD_TIMEOUT = 10_000;

/**
 * Adds an empty function to the kind of the cities, and waits until the service has loaded it.
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 * @param {string} functions the service's folder of functions
 */
export async function makeFunction({ city }, service, functions) {
  const module = `import { kind } from 'kind';
const city = kind('${city}');
const empty = city.function({ description: 'Does nothing', run: () => null });
export default city.module({ functions: { empty } });
`;
  await mkdir(functions, { recursive: true });
  await writeFile(join(functions, `${city}.ts`), module);
  for (const end = performance.now() + LOAD_TIMEOUT; ; await delay(100)) {
    try {
      return await service.call('GET', `/${city}/function/empty`);
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

/** @param {import('./dataset.mjs').Dataset} dataset */
export function functionRequests(dataset) {
  /** @param {string} rest @returns {import('./load.mjs').LoadRequest} */
  const get = (rest) => ({ method: 'GET', path: `/api/lib/${dataset.city}/${rest}` });
  const units = Math.min(DIFFERENT_REQUESTS, dataset.cities.length);
  return {
    get: Array.from({ length: units }, (_, at) => get(`unit/${dataset.idOf(at)}`)),
    call: [get('function/empty')],
  };
}
