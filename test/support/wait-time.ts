/** Milliseconds that tests wait for a condition, unless they say otherwise. */
export const WAIT = 15_000;
