// Keeps V8's bytecode of a bundle in the build: `node scripts/code-cache.mjs <folder of the build>` loads what can be
// loaded without running the service, with the service's flags of V8, which rejects bytecode for other ones.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(folder, name)).href);
await load('node-settings.js');
await import('reflect-metadata');
const { BundleLoader } = await load('bundle-loader.js');
const loader = new BundleLoader(join(folder, 'bundle'), join(folder, '.bytecode'));
for (const name of ['service.cjs', 'commands.cjs']) if (loader.has(name)) loader.load(name);
loader.writeBytecode();
process.exit(0);
