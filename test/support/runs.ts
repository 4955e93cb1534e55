import fc from 'fast-check';

/**
 * The number of runs of a random test. All runs of one seed are the same each time, so `npm test` makes as many as find
 * most faults; `FUZZ_RUNS=4` makes four times as many, best with other seeds (`FUZZ_SEED`).
 */
export function runs(count: number): number {
  return Math.ceil(count * FACTOR);
}

const FACTOR = Number(process.env['FUZZ_RUNS'] ?? 1);
if (!(FACTOR > 0)) throw new Error(`FUZZ_RUNS is a positive number, not ${String(process.env['FUZZ_RUNS'])}.`);

/** Of many alike cases each second one, at random; all of them if `FUZZ_RUNS` is 2 or more. */
export function sampled<T>(cases: readonly T[]): T[] {
  const length = Math.min(cases.length, runs(cases.length / 2));
  const [sample = []] = fc.sample(fc.shuffledSubarray([...cases], { minLength: length, maxLength: length }), 1);
  return sample;
}
