/** Says what a run on Citus leaves out, and refuses one without a coordinator. */
import { LEFT_OUT } from '../citus/left-out.js';

export function setup(): void {
  if (!process.env['TEST_CITUS_URL']) throw new Error('TEST_CITUS_URL is the address of a coordinator (docs/citus.md)');
  const lines = LEFT_OUT.map(
    ({ file, test, reason }) => `  ${file}${test === undefined ? '' : ` > ${test}`}: ${reason}`,
  );
  console.warn(`LEFT OUT on Citus (test/citus/left-out.ts):\n${lines.join('\n')}`);
}
