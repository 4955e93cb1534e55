// `npm run kind -- <command>`: builds if dist/ is older than the sources, then runs the command line in this process.
import { build, isFresh } from './build.mjs';

if (!(await isFresh())) await build();
await import('../dist/cli/main.js');
