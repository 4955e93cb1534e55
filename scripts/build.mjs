// Compiles src/ to dist/ like `nest build`, but without the development dependencies, so that `npm start` works without
// them. It runs only if a source is newer than its output.
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src');
const target = join(root, 'dist');

async function files(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** The output of a source file; undefined for a file that only declares types. */
function outputOf(file, folder) {
  if (file.endsWith('.d.ts')) return undefined;
  return join(folder, relative(source, file)).replace(/\.ts$/, '.js');
}

/** The time of the last change in milliseconds; undefined if the file does not exist. */
async function changedAt(file) {
  return (await stat(file).catch(() => undefined))?.mtimeMs;
}

/** True if every file of a build is at least as new as its source and the build settings. */
export async function isFresh(folder = target) {
  const settings = await Promise.all([join(root, '.swcrc'), join(root, 'package.json')].map(changedAt));
  const checks = (await files(source)).map(async (file) => {
    const output = outputOf(file, folder);
    if (output === undefined) return true;
    const [changed, built] = await Promise.all([changedAt(file), changedAt(output)]);
    return built !== undefined && [changed, ...settings].every((time) => time <= built);
  });
  return (await Promise.all(checks)).every(Boolean);
}

/** Builds into a temporary folder and then replaces the previous build, so that a failed build keeps that one. */
export async function build(folder = target) {
  const draft = `${folder}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  try {
    await buildInto(draft);
    await chmod(join(draft, 'cli', 'main.js'), 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

export async function buildInto(folder) {
  const started = new Date();
  for (const file of await files(source)) {
    const out = outputOf(file, folder);
    if (out === undefined) continue;
    await mkdir(dirname(out), { recursive: true });
    if (file.endsWith('.ts')) await compile(file, out);
    else await copyFile(file, out);
    // The time of the start, so that a source saved during the build counts as newer.
    await utimes(out, started, started);
  }
}

async function compile(file, out) {
  // Imported only for a build, because it takes 20 MB of memory.
  const { transformFile } = await import('@swc/core');
  const options = { swcrc: true, configFile: join(root, '.swcrc'), sourceMaps: true };
  const { code, map } = await transformFile(file, options);
  await writeFile(out, `${code}//# sourceMappingURL=${basename(out)}.map\n`);
  await writeFile(`${out}.map`, map);
}
