// Compiles src/ to dist/ with SWC, file by file. `npm start` calls it only where a source is newer than the last build.
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src');
const target = join(root, 'dist');
const stamp = join(target, '.built');

async function files(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** True where dist/ is at least as new as every source and setting that it is made from. */
export async function isFresh() {
  const built = await stat(stamp).catch(() => undefined);
  if (!built) return false;
  const inputs = [...(await files(source)), join(root, '.swcrc'), join(root, 'package.json')];
  const times = await Promise.all(inputs.map(async (file) => (await stat(file)).mtimeMs));
  return times.every((time) => time <= built.mtimeMs);
}

/** Builds into a folder beside dist/ and swaps it in, so that a failed build leaves the last good one. */
export async function build() {
  // Loaded for a build alone: it takes 20 MB, which a service that is up to date does not need.
  const { transformFile } = await import('@swc/core');
  const started = new Date();
  const fresh = `${target}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  try {
    for (const file of await files(source)) {
      const out = join(fresh, relative(source, file));
      await mkdir(dirname(out), { recursive: true });
      if (!file.endsWith('.ts')) {
        await copyFile(file, out);
        continue;
      }
      if (file.endsWith('.d.ts')) continue;
      const js = out.replace(/\.ts$/, '.js');
      const { code, map } = await transformFile(file, {
        swcrc: true,
        configFile: join(root, '.swcrc'),
        sourceMaps: true,
      });
      const name = relative(dirname(js), js);
      await writeFile(js, map ? `${code}//# sourceMappingURL=${name}.map\n` : code);
      if (map) await writeFile(`${js}.map`, map);
    }
    await chmod(join(fresh, 'cli', 'main.js'), 0o755);
    await writeFile(join(fresh, '.built'), `${started.toISOString()}\n`);
    await rm(target, { recursive: true, force: true });
    await rename(fresh, target);
    // The stamp's time is when the build began: a source saved meanwhile counts as newer.
    await utimes(stamp, started, started);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
