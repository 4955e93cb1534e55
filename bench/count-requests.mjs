/** Loaded into a server process (`node --import`): writes its number of requests to a file named like the process. */
import diagnostics from 'node:diagnostics_channel';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INTERVAL = 100;
const { COUNTS = '' } = process.env;

let count = 0;
let written = 0;

diagnostics.subscribe('http.server.request.start', () => {
  count += 1;
});

setInterval(() => {
  if (count === written) return;
  // Another process reads the file while it is replaced.
  const draft = join(COUNTS, '..', `${process.pid}.draft`);
  writeFileSync(draft, String(count));
  renameSync(draft, join(COUNTS, String(process.pid)));
  written = count;
}, INTERVAL).unref();
