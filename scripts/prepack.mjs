// Before `npm pack`: the package has the build and the console, so that it runs without building.
import { ensureBuild } from './build.mjs';
import { buildConsole, isConsoleFresh } from './console.mjs';

await ensureBuild();
if (!isConsoleFresh()) await buildConsole();
