/**
 * The load before the first measurement of a system. V8 compiles code after so many calls of it, and not after some
 * time: in the same seconds a create, of which there are fewer per second, is compiled less than a get.
 */

/** A step that needs more of the CPU time per request of the step before was the last one. */
const STEADY = 0.95;
const MAX_STEPS = 4;

/**
 * Repeats a load until the CPU time per request falls no more, at most four times.
 * @param {() => Promise<{ count: number, nodeSeconds?: number | undefined }>} step
 */
export async function warmUp(step) {
  let before = Infinity;
  for (let done = 0; done < MAX_STEPS; done += 1) {
    const { count, nodeSeconds } = await step();
    if (nodeSeconds === undefined || nodeSeconds / count > before * STEADY) return;
    before = nodeSeconds / count;
  }
}
