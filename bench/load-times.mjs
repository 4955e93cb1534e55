/**
 * How long Node takes to load the code of the service: from the bundle with Node's own compile cache, from the bundle, and
 * from the modules. `node bench/load-times.mjs [node…]`, after `npm run build`; further programs are other versions of
 * Node. In turns, medians of CPU and wall time. Figures are in docs/adr/0016-machineries.md.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { median } from './measure.mjs';

const ROUNDS = 15;
const root = resolve(import.meta.dirname, '..');
const programs = [process.execPath, ...process.argv.slice(2)];
const run = promisify(execFile);

/** Text of a module that loads what a start loads, from a folder that it gets as an argument. */
const WAYS = {
  "bundle, Node's compile cache": loadBy(
    `module.enableCompileCache?.(join(dist, '.compile-cache')); createRequire(join(dist, 'bundle', 'x.cjs'))('./service.cjs')`,
  ),
  bundle: loadBy(`createRequire(join(dist, 'bundle', 'x.cjs'))('./service.cjs')`),
  modules: loadBy(`await import(join(dist, 'service.js'))`),
};

/** @param {string} load */
function loadBy(load) {
  return `import module, { createRequire } from 'node:module';
    import { join } from 'node:path';
    const dist = process.argv[1];
    await import(join(dist, 'node-settings.js'));
    await import('reflect-metadata');
    ${load};
    const { user, system } = process.cpuUsage();
    module.flushCompileCache?.();
    process.stdout.write(String((user + system) / 1000), () => process.exit(0));`;
}

for (const program of programs) {
  const { stdout: version } = await run(program, ['--version']);
  const folder = await mkdtemp(join(root, 'dist.'));
  try {
    await cp(join(root, 'dist'), folder, { recursive: true });
    /** @type {Record<string, { wall: number, cpu: number }[]>} */
    const measured = {};
    // The first round fills Node's cache.
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [name, text] of Object.entries(WAYS)) {
        const start = performance.now();
        const { stdout } = await run(program, ['--input-type=module', '-e', text, folder], { cwd: root });
        const times = { wall: performance.now() - start, cpu: Number(stdout) };
        if (round >= 0) (measured[name] ??= []).push(times);
      }
    }
    for (const [name, times] of Object.entries(measured)) {
      const [wall, cpu] = /** @type {const} */ (['wall', 'cpu']).map((key) => median(times.map((each) => each[key])));
      console.log(`${version.trim()}, ${name}: ${wall?.toFixed(0)} ms, CPU ${cpu?.toFixed(0)} ms`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
