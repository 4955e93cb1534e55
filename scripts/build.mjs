// Compiles src/ and packages/ to dist/ without the development dependencies, so that `npm start` works without them, and
// bundles the result (bundle.mjs). It runs only if a source is newer than its output, and in a process of its own, so
// that the service does not keep the memory of the compiler.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Folders whose contents are put together in a build: `packages/x/` is compiled to `dist/x/`. */
const SOURCES = ['src', 'packages'].map((name) => join(root, name));
const target = join(root, 'dist');
const BUNDLE = 'bundle';
/** Written by each installation of packages. */
const INSTALLED = join(root, 'node_modules', '.package-lock.json');

function files(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Each source file with its output, but for files that only declare types and what describes a package. */
function outputs(folder) {
  return SOURCES.flatMap((source) =>
    files(source)
      .filter((file) => !/\.d\.ts$|\bREADME\.md$|\bpackage\.json$/.test(file))
      .map((file) => ({ file, output: join(folder, relative(source, file)).replace(/\.ts$/, '.js') })),
  );
}

/** The time of the last change in milliseconds; undefined if the file does not exist. */
export function changedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

/** The time of the last change of a file, or of anything in a folder, in milliseconds. */
export function lastChangeAt(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.mtimeMs ?? 0;
  return Math.max(
    found.mtimeMs,
    ...readdirSync(path, { recursive: true }).map((name) => changedAt(join(path, name)) ?? 0),
  );
}

/** The time of the last change of the sources of the service, in milliseconds. */
export const sourcesChangedAt = () => Math.max(...SOURCES.map(lastChangeAt));

/**
 * True if every file of a build is at least as new as its source and the build settings, and the bundle as all of them.
 * Without promises, because every start waits for it: it takes a third of the time.
 */
export function isFresh(folder = target) {
  const settings = [join(root, '.swcrc'), join(root, 'package.json'), join(import.meta.dirname, 'bundle.mjs')];
  const [bundled, installed, ...configured] = [join(folder, BUNDLE), INSTALLED, ...settings].map(changedAt);
  if (bundled === undefined || (installed ?? 0) > bundled) return false;
  return outputs(folder).every(({ file, output }) => {
    const built = changedAt(output);
    return built !== undefined && built <= bundled && [changedAt(file), ...configured].every((time) => time <= built);
  });
}

/** Builds in another process, which writes its errors to standard error. @throws BuildError */
export async function build(folder = target) {
  const builder = fork(join(import.meta.dirname, 'builder.mjs'), [folder], { stdio: 'inherit', execArgv: [] });
  const [code, signal] = await once(builder, 'exit');
  if (code !== 0) throw new BuildError(`the build failed (${signal ?? `exit code ${code}`})`);
}

export class BuildError extends Error {}

/** Builds if it is necessary. An error of the build, which has been reported, ends the process. */
export async function ensureBuild() {
  if (isFresh()) return;
  try {
    await build();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Builds into a temporary folder and then replaces the previous build, so that a failed build keeps that one.
 * @param {(error: Error) => void} onUnbundled called if there is no bundle; the service runs without it
 */
export async function buildHere(folder, onUnbundled) {
  const draft = `${folder}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  try {
    const started = new Date();
    await buildInto(draft, started);
    await bundleInto(draft, started).catch(onUnbundled);
    await chmod(join(draft, 'cli', 'main.js'), 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The bundle of a build. Without one, there is an empty folder, so that it is not tried again at each start. */
export async function bundleInto(folder, started) {
  const made = join(folder, BUNDLE);
  await mkdir(made, { recursive: true });
  try {
    const { bundle } = await import('./bundle.mjs');
    await bundle(folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    await mkdir(made);
    throw error;
  } finally {
    await utimes(made, started, started);
  }
}

/** @param started the time of the outputs: the start, so that a source saved during the build counts as newer */
export async function buildInto(folder, started = new Date()) {
  const made = outputs(folder).map(async ({ file, output }) => {
    await mkdir(dirname(output), { recursive: true });
    if (file.endsWith('.ts')) await compile(file, output);
    else await copyFile(file, output);
    await utimes(output, started, started);
  });
  // When a fault is reported, nothing is written to the folder any more.
  const failed = (await Promise.allSettled(made)).find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

async function compile(file, out) {
  // Imported only for a build, because it takes 20 MB of memory.
  const { transformFile } = await import('@swc/core');
  const options = { swcrc: true, configFile: join(root, '.swcrc'), sourceMaps: true };
  const { code, map } = await transformFile(file, options);
  await writeFile(out, `${code}//# sourceMappingURL=${basename(out)}.map\n`);
  await writeFile(`${out}.map`, map);
}
