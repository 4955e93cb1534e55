// `npm run build`, also before `npm pack`: the service and the console, of each what is older than its sources.
import { ensureBuild } from './build.mjs';
import { buildConsole, isConsoleFresh } from './console.mjs';

await ensureBuild();
if (!isConsoleFresh()) await buildConsole();
