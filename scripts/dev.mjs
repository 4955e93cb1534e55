// `npm run dev`: `npm start`, and again after each change of a source. It looks at the times of the files: `node --watch`
// of Node 20 does not notice when an editor replaces a file for the second time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sourcesChangedAt } from './build.mjs';

const START = join(import.meta.dirname, 'start.mjs');
let stopped = false;

while (!stopped) await runUntilChange();

async function runUntilChange() {
  const changed = sourcesChangedAt();
  const service = spawn(process.execPath, [START], { stdio: 'inherit' });
  const ended = once(service, 'exit');
  const stop = (signal) => {
    stopped = true;
    service.kill(signal);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  while (!stopped && sourcesChangedAt() === changed) await pause(500);
  if (!stopped) service.kill();
  await ended;
  process.off('SIGINT', stop).off('SIGTERM', stop);
}
