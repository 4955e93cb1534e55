/** The histogram of the times of requests. */

/** The upper bounds of its buckets in seconds; requests above all of them are in one more. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const BUCKETS = BOUNDS.length + 1;

/** The place of the bucket for a time. */
export function bucketOf(seconds: number): number {
  const found = BOUNDS.findIndex((bound) => seconds <= bound);
  return found < 0 ? BOUNDS.length : found;
}

/**
 * The time in seconds below which this part of the requests stayed, estimated within its bucket as `histogram_quantile`
 * of Prometheus does: at most the largest bound. Null without requests.
 */
export function quantileOf(buckets: readonly number[], part: number): number | null {
  const wanted = buckets.reduce((all, each) => all + each, 0) * part;
  if (wanted === 0) return null;
  let below = 0;
  for (const [at, count] of buckets.entries()) {
    const [lower, upper] = [BOUNDS[at - 1] ?? 0, BOUNDS[at]];
    if (upper === undefined) return lower;
    if (below + count >= wanted) return rounded(lower + (upper - lower) * ((wanted - below) / count));
    below += count;
  }
  return null;
}

/** Digits beyond the tenth of a millisecond would be made up. */
function rounded(seconds: number): number {
  return Math.round(seconds * 10_000) / 10_000;
}
