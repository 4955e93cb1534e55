// `npm start`: builds where dist/ is older than the sources, then runs the service in this very process, so that it
// gets the signals that npm passes on.
import { build, isFresh } from './build.mjs';

if (!(await isFresh())) await build();
await import('../dist/main.js');
