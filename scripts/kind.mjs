// `npm run kind -- <command>`: builds if dist/ is older than the sources, then runs the command line in this process.
import { ensureBuild } from './build.mjs';

await ensureBuild();
await import('../dist/cli/main.js');
