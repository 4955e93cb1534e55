/** Puts load on the service with wrk: requests of many projects, in random order. */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * @typedef {{ project: string, token?: string, path: string }} TenantRequest
 * @typedef {{ requests: number, seconds: number, refused: number, broken: number, p50: number, p99: number }} TenantLoad
 *   refused: with a status of 400 or more; broken: without an answer; p50, p99 in ms
 *
 * @param {{ url: string, requests: readonly TenantRequest[], seconds: number, connections: number, folder: string }} load
 * @returns {Promise<TenantLoad>}
 */
export async function putTenantLoad({ url, requests, seconds, connections, folder }) {
  const file = join(folder, `requests-${Math.random().toString(36).slice(2)}.txt`);
  await writeFile(file, requests.map(({ project, token = '-', path }) => `${project} ${token} ${path}`).join('\n'));
  const script = join(import.meta.dirname, 'load.lua');
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url, '--', file, '7'];
  const { stdout } = await promisify(execFile)('wrk', args).finally(() => rm(file));
  const [, result] = /^RESULT (.*)$/m.exec(stdout) ?? [];
  if (result === undefined) throw new Error(`wrk: ${stdout}`);
  return JSON.parse(result);
}
