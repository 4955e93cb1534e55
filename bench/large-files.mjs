/**
 * Files of many rows in and out, over HTTP and by the command line: rows per second, and the most memory that Node used
 * in each step. Exports are read slowly: the reader pauses for as long as the service took to send.
 *
 *     node bench/large-files.mjs 5000000 /var/tmp/kind-large
 *     node bench/large-files.mjs 5000000 /var/tmp/kind-large by_command
 */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Postgres } from './postgres.mjs';
import { root } from './run.mjs';
import { environment, Service } from './service.mjs';

const KINDS = ['over_http', 'by_command'];
const PARAMETERS = [
  { id: 'code', kind_id: 'string', unique: true, required: true },
  { id: 'name', kind_id: 'string', max_length: 80 },
  { id: 'amount', kind_id: 'integer', min_value: 0 },
  { id: 'price', kind_id: 'decimal' },
  { id: 'day', kind_id: 'date' },
  { id: 'note', kind_id: 'text' },
];
const NAMES = PARAMETERS.map(({ id }) => id).join();
/** Bytes that a slow reader takes between two pauses. */
const BURST = 1024 * 1024;
const LINES_PER_PART = 1000;
const SAMPLED_EVERY = 100;

/** @param {number} rows */
function* linesOf(rows) {
  let part = `${NAMES}\n`;
  for (let at = 0; at < rows; at += 1) {
    const note = at % 3 === 0 ? `"some text, with a ""quote"" in row ${at}"` : at % 3 === 1 ? '' : `text of row ${at}`;
    part += `c${at},Name of row ${at},${at % 1000},${at % 97}.${10 + (at % 90)},2026-01-${10 + (at % 20)},${note}\n`;
    if (at % LINES_PER_PART !== LINES_PER_PART - 1) continue;
    yield part;
    part = '';
  }
  yield part;
}

/** The most memory of a process, in MB, while work runs. @template T @param {number} pid @param {() => Promise<T>} work */
async function withPeak(pid, work) {
  let [peak, done] = [0, false];
  // The highest value that Linux has noted of the process begins anew.
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
  const sampling = (async () => {
    while (!done) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      await delay(SAMPLED_EVERY);
    }
  })();
  try {
    return { result: await work(), peak: () => Math.round(peak) };
  } finally {
    done = true;
    await sampling;
  }
}

/** Reads a stream slowly, and counts its lines. @param {import('node:stream').Readable} stream */
async function readSlowly(stream) {
  let [lines, bytes, since] = [0, 0, performance.now()];
  for await (const part of /** @type {AsyncIterable<Buffer>} */ (stream)) {
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1;
    bytes += part.length;
    if (bytes < BURST) continue;
    await delay(performance.now() - since);
    [bytes, since] = [0, performance.now()];
  }
  return lines;
}

/**
 * @param {Service} service
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @returns {{ request: http.ClientRequest, response: Promise<http.IncomingMessage> }}
 */
function send(service, method, path) {
  const headers = { ...service.headers, ...(method === 'POST' && { 'content-type': 'text/csv' }) };
  const request = http.request(`${service.url}/api/lib${path}`, { method, headers });
  const response = new Promise((resolve, reject) => request.once('response', resolve).on('error', reject));
  return { request, response: /** @type {Promise<http.IncomingMessage>} */ (response) };
}

/** @param {http.IncomingMessage} response */
async function textOf(response) {
  let text = '';
  for await (const part of response) text += part;
  return text;
}

/** @param {number} rows @param {string} folder @param {string} [only] a part of the steps */
async function measure(rows, folder, only) {
  const file = join(folder, 'rows.csv');
  await mkdir(folder, { recursive: true });
  await pipeline(linesOf(rows), createWriteStream(file));
  console.log(`${rows} rows, ${Math.round((await stat(file)).size / 1024 / 1024)} MB`);
  const dist = join(root, 'dist');
  const postgres = await Postgres.start(dist, join(folder, 'postgres'));
  const dataDir = join(folder, 'service');
  await mkdir(dataDir, { recursive: true });
  const service = await Service.start({ name: 'service', dist, databaseUrl: postgres.url, dataDir });
  /** @param {string} name @param {number} pid @param {() => Promise<number>} work */
  const step = async (name, pid, work) => {
    const started = performance.now();
    const { result, peak } = await withPeak(pid, work);
    if (result !== rows) throw new Error(`${name}: ${result} rows instead of ${rows}`);
    const seconds = (performance.now() - started) / 1000;
    console.log(`${name}: ${Math.round(rows / seconds)} rows/s, ${seconds.toFixed(0)} s, Node ${peak()} MB at most`);
  };
  /** @param {string[]} args */
  const command = (args) =>
    spawn(process.execPath, [join(dist, 'cli/main.js'), ...args], {
      env: { ...environment(dataDir, 0), DATABASE_URL: postgres.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const overHttp = async () => {
    await step('import over HTTP', service.child.pid, async () => {
      const { request, response } = send(service, 'POST', `/${KINDS[0]}/import`);
      // A refusal can come before the whole file is sent, and says more than the broken connection.
      pipeline(createReadStream(file), request).catch(() => undefined);
      const text = await textOf(await response);
      const { content } = JSON.parse(text);
      if (!content) throw new Error(text);
      return content.created;
    });
    await step('export over HTTP, slow reader', service.child.pid, async () => {
      const { request, response } = send(service, 'GET', `/${KINDS[0]}/export?include=${NAMES}`);
      request.end();
      return (await readSlowly(await response)) - 1;
    });
  };
  const byCommand = async () => {
    const importing = command(['import', service.project, KINDS[1], file, '--json']);
    await step('import by the command', importing.pid ?? 0, async () => {
      let text = '';
      for await (const part of importing.stdout) text += part;
      return JSON.parse(text).created;
    });
    const exporting = command(['export', service.project, KINDS[1], '-', '--format', 'csv', '--include', NAMES]);
    await step('export by the command, slow reader', exporting.pid ?? 0, async () => {
      return (await readSlowly(exporting.stdout)) - 1;
    });
  };
  try {
    for (const [at, id] of KINDS.entries()) {
      const parameters = at === 0 ? PARAMETERS : PARAMETERS.map((parameter) => parameter.id);
      await service.call('POST', '/kind/unit', { id, parameters });
    }
    if (only !== KINDS[1]) await overHttp();
    if (only !== KINDS[0]) await byCommand();
  } finally {
    await service.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

const [rows = '5000000', folder = '/var/tmp/kind-large', only] = process.argv.slice(2);
await measure(Number(rows), folder, only);
