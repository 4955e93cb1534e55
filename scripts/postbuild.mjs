// The rest of `npm run build`, after `nest build`.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleInto } from './build.mjs';
import { buildConsole, isConsoleFresh } from './console.mjs';

const folder = join(import.meta.dirname, '..', 'dist');
await chmod(join(folder, 'cli', 'main.js'), 0o755);
await bundleInto(folder, new Date());
if (!isConsoleFresh()) await buildConsole();
