import { LIMITS } from '../../src/shared/limits.js';
import { atEnd } from './at-end.js';

/**
 * Lowers a limit for the rest of a test or file, for tests of what happens beyond it: at its real size they take seconds.
 * Not for tests of time and memory, which are about the real sizes.
 */
export function lowerLimit(name: keyof typeof LIMITS, value: number): void {
  changeLimit(name, value);
}

/** Changes a limit for the rest of a test or file: texts beyond the real one show sooner what grows with its square. */
export function changeLimit(name: keyof typeof LIMITS, value: number): void {
  const limits: Record<string, number> = LIMITS;
  const { [name]: real } = LIMITS;
  limits[name] = value;
  atEnd(() => (limits[name] = real));
}
