/** Builds the console for the tests in a browser, if it is older than its sources. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/console.mjs']);
}
