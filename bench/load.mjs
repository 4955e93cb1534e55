/** Puts load on a server: sixteen keep-alive connections, with `wrk` if it is installed, otherwise with autocannon. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const CONNECTIONS = 16;

/**
 * @typedef {{ method: string, path: string, body?: string }} LoadRequest
 * @typedef {{ requests: number, seconds: number, errors: number, p50: number, p99: number }} Load p50, p99 in ms
 */

/** The program that makes the load. @returns {Promise<string>} */
export async function loadTool() {
  // wrk prints its version with its usage, and exits with an error.
  const output = await run('wrk', ['--version']).then(
    ({ stdout }) => stdout,
    (error) => String(error.stdout ?? ''),
  );
  const [, version] = /^wrk (\S+)/.exec(output) ?? [];
  return version === undefined ? 'autocannon' : `wrk ${version.replace(/^debian\//, '')}`;
}

/**
 * Sends the requests repeatedly. @throws if one failed
 * @param {string} tool
 * @param {{ url: string, headers: Record<string, string>, requests: readonly LoadRequest[], seconds: number, folder: string }} load
 * @returns {Promise<Load>}
 */
export async function putLoad(tool, load) {
  const result = tool.startsWith('wrk') ? await withWrk(load) : await withAutocannon(load);
  if (result.errors > 0) throw new Error(`${load.url}: ${result.errors} of ${result.requests} requests failed`);
  return result;
}

/** @param {Parameters<typeof putLoad>[1]} load @returns {Promise<Load>} */
async function withWrk({ url, headers, requests, seconds, folder }) {
  const file = join(folder, 'requests.txt');
  await writeFile(file, requests.map(({ method, path, body = '' }) => `${method} ${path} ${body}`).join('\n'));
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const script = join(import.meta.dirname, 'load.lua');
  const args = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    '--timeout',
    '30s',
    ...headerArguments,
    '-s',
    script,
    url,
    '--',
    file,
  ];
  const { stdout } = await run('wrk', args);
  return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? '');
}

/** @param {Parameters<typeof putLoad>[1]} load @returns {Promise<Load>} */
async function withAutocannon({ url, headers, requests, seconds }) {
  const { default: autocannon } = await import('autocannon');
  const result = await autocannon({ url, headers, requests, duration: seconds, connections: CONNECTIONS });
  return {
    requests: result.requests.total,
    seconds: result.duration,
    errors: result.errors + result.timeouts + result.non2xx,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
