/**
 * Cleans up: what a test has started when it has ended, what a file has started after all its tests. (Vitest takes `afterAll`
 * inside a running test, and never calls it.)
 */
import { afterAll, onTestFinished, TestRunner } from 'vitest';

export function atEnd(work: () => unknown): void {
  const end = async (): Promise<void> => void (await work());
  if (TestRunner.getCurrentTest()) onTestFinished(end);
  // eslint-disable-next-line no-restricted-syntax -- no test is running
  else afterAll(end);
}
