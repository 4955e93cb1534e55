import fc from 'fast-check';

/**
 * The number of runs of a random test: `count`, of which `npm test` makes a fifth, because all runs of one seed are the
 * same each time. `FUZZ_RUNS=1` makes all, as before a merge (`.ci/run`), and `FUZZ_RUNS=4` four times as many, best with
 * other seeds (`FUZZ_SEED`).
 */
export function runs(count: number): number {
  return Math.ceil(count * FACTOR);
}

const FACTOR = Number(process.env['FUZZ_RUNS'] ?? 0.2);
if (!(FACTOR > 0)) throw new Error(`FUZZ_RUNS is a positive number, not ${String(process.env['FUZZ_RUNS'])}.`);

/**
 * Many alike cases, dealt at random to so many hands: each has other ones. With `FUZZ_RUNS=1` all together have all of
 * them, and with `FUZZ_RUNS=2` each has twice as many, up to all.
 */
export function dealt<T>(cases: readonly T[], hands: number): T[][] {
  const { length } = cases;
  const [shuffled = []] = fc.sample(fc.shuffledSubarray([...cases], { minLength: length, maxLength: length }), 1);
  const size = Math.min(length, runs(length / hands));
  return Array.from({ length: hands }, (_, hand) => {
    const first = Math.floor((hand * length) / hands);
    return [...shuffled, ...shuffled].slice(first, first + size);
  });
}
