/**
 * Contents of files in and out: an upload beside `cp` of the same bytes, a download beside nginx that serves the same file,
 * and the most memory that the service took meanwhile. Then a resumable upload (tus) whose service is killed half-way, and
 * which goes on with the next one: `node bench/files.mjs`, after `npm run build`. Needs Debian's nginx.
 *
 *     node bench/files.mjs --megabytes 1024 --resumed 5120 --rounds 5 --folder /var/tmp/kind-files
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { Child, freePort } from './child.mjs';
import { Postgres } from './postgres.mjs';
import { root } from './run.mjs';
import { Service } from './service.mjs';

const { values: options } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    resumed: { type: 'string', default: '5120' },
    rounds: { type: 'string', default: '5' },
    folder: { type: 'string', default: '/var/tmp/kind-files' },
  },
});
const { folder } = options;
const MB = 1024 * 1024;
const [megabytes, resumed, rounds] = [options.megabytes, options.resumed, options.rounds].map(Number);
const PART = 64 * MB;
const SAMPLED_EVERY = 100;
const [source, dataDir, dist] = [join(folder, 'source'), join(folder, 'service'), join(root, 'dist')];
const run = promisify(execFile);

/** A file of random bytes, and its SHA-256. @param {string} path @param {number} size in MB */
async function makeFile(path, size) {
  const hash = createHash('sha256');
  await pipeline(function* () {
    for (let at = 0; at < size; at += 1) {
      const part = randomBytes(MB);
      hash.update(part);
      yield part;
    }
  }, createWriteStream(path));
  return hash.digest('hex');
}

/** Seconds that work takes. @param {() => Promise<unknown>} work */
async function timed(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** A file in the page cache is copied and then on the disk, as an upload is. */
async function copy() {
  const target = join(folder, 'copy');
  await run('cp', [source, target]);
  const file = await open(target);
  await file.sync();
  await file.close();
}

/** The most memory of a process from now on, in MB. @param {number} pid */
async function watchMemory(pid) {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
  return async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  };
}

/**
 * @param {string} url
 * @param {http.RequestOptions} request
 * @param {NodeJS.ReadableStream} [body]
 * @returns {Promise<http.IncomingMessage>}
 */
function exchange(url, request, body) {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, request).once('response', resolve).on('error', reject);
    if (body) pipeline(body, sent).catch(reject);
    else sent.end();
  });
}

/** @param {http.IncomingMessage} response @param {number} status */
async function textOf(response, status) {
  let text = '';
  for await (const part of response) text += part;
  if (response.statusCode !== status) throw new Error(`${response.statusCode} ${text}`);
  return text;
}

/** Reads a content and forgets it. @param {string} url @param {http.OutgoingHttpHeaders} [headers] */
async function read(url, headers = {}) {
  const response = await exchange(url, { headers });
  let bytes = 0;
  for await (const part of response) bytes += part.length;
  if (response.statusCode !== 200 || bytes !== megabytes * MB)
    throw new Error(`${response.statusCode}, ${bytes} bytes`);
}

/** @param {Service} service */
async function upload(service) {
  const headers = { ...service.headers, 'content-type': 'application/octet-stream', 'content-length': megabytes * MB };
  const url = `${service.url}/api/lib/file/unit?name=large.bin`;
  const response = await exchange(url, { method: 'POST', headers }, createReadStream(source, { highWaterMark: MB }));
  return JSON.parse(await textOf(response, 200)).content;
}

/** nginx with the folder of the source. */
async function startNginx() {
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await writeFile(
    config,
    `daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr;
events {}
http { access_log off; sendfile on; server { listen 127.0.0.1:${port}; root ${folder}; } }
`,
  );
  const child = new Child(['/usr/sbin/nginx', '-c', config, '-p', folder], { cwd: folder, env: {} });
  await child.ready(`http://127.0.0.1:${port}/nginx.conf`);
  return { child, url: `http://127.0.0.1:${port}/source` };
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** @param {string} what @param {number[]} ours @param {number[]} theirs @param {string} beside */
function report(what, ours, theirs, beside) {
  const ratio = median(ours.map((seconds, at) => (theirs[at] ?? 0) / seconds));
  const speed = (/** @type {number[]} */ all) => Math.round(megabytes / median(all));
  console.log(`${what}: ${speed(ours)} MB/s, ${beside} ${speed(theirs)} MB/s, ratio ${ratio.toFixed(2)}`);
}

/** @param {Service} service */
async function beside(service) {
  const { child: nginx, url } = await startNginx();
  /** @type {{ upload: number[], copy: number[], download: number[], nginx: number[] }} */
  const times = { upload: [], copy: [], download: [], nginx: [] };
  const memory = await watchMemory(service.child.pid);
  try {
    for (let round = 0; round < rounds; round += 1) {
      times.copy.push(await timed(copy));
      let id = '';
      times.upload.push(await timed(async () => ({ id } = await upload(service))));
      times.nginx.push(await timed(() => read(url)));
      const content = `${service.url}/api/lib/file/unit/${id}/content`;
      times.download.push(await timed(() => read(content, service.headers)));
      await service.call('DELETE', `/file/unit/${id}`);
    }
    report('upload', times.upload, times.copy, 'cp with fsync');
    report('download', times.download, times.nginx, 'nginx');
    console.log(`the service had ${await memory()} MB at most`);
  } finally {
    await nginx.stop();
  }
}

/** A resumable upload, whose service is killed when half of it has arrived. @param {() => Promise<Service>} start */
async function resume(start) {
  const [path, size] = [join(folder, 'resumed'), resumed * MB];
  const sha256 = await makeFile(path, resumed);
  let service = await start();
  const tus = { ...service.headers, 'tus-resumable': '1.0.0' };
  const name = Buffer.from('resumed.bin').toString('base64');
  const made = await exchange(`${service.url}/api/lib/file/upload`, {
    method: 'POST',
    headers: { ...tus, 'upload-length': size, 'upload-metadata': `filename ${name}` },
  });
  await textOf(made, 201);
  const location = new URL(made.headers.location ?? '', service.url).pathname;
  /** @param {number} from @param {number} to */
  const append = (from, to) =>
    exchange(
      `${service.url}${location}`,
      {
        method: 'PATCH',
        headers: {
          ...tus,
          authorization: service.headers.authorization,
          'content-type': 'application/offset+octet-stream',
          'content-length': to - from,
          'upload-offset': from,
        },
      },
      createReadStream(path, { start: from, end: to - 1, highWaterMark: MB }),
    );
  /** @returns {Promise<number>} */
  const offset = async () => {
    const response = await exchange(`${service.url}${location}`, { method: 'HEAD', headers: tus });
    // The killed service holds it for a moment.
    if (response.statusCode === 423) return delay(SAMPLED_EVERY).then(offset);
    if (response.statusCode !== 200) throw new Error(`HEAD ${response.statusCode}`);
    response.resume();
    return Number(response.headers['upload-offset']);
  };
  const started = performance.now();
  let [at, killed, peak, file] = [0, false, 0, ''];
  let memory = await watchMemory(service.child.pid);
  while (at < size) {
    const end = Math.min(size, at + PART);
    const sent = append(at, end);
    if (!killed && at >= size / 2) {
      killed = true;
      await delay(SAMPLED_EVERY);
      peak = await memory();
      process.kill(service.child.pid, 'SIGKILL');
      await sent.catch(() => undefined);
      service = await start();
      memory = await watchMemory(service.child.pid);
      console.log(`killed at ${Math.round(at / MB)} MB, goes on at ${Math.round((at = await offset()) / MB)} MB`);
      continue;
    }
    const response = await sent;
    await textOf(response, 204);
    at = Number(response.headers['upload-offset']);
    file = String(response.headers['kind-file'] ?? '');
  }
  const seconds = (performance.now() - started) / 1000;
  const { sha256: stored, bytes } = await service.call('GET', `/file/unit/${file}`);
  if (stored !== sha256 || bytes !== size) throw new Error(`${stored} with ${bytes} bytes instead of ${sha256}`);
  peak = Math.max(peak, await memory());
  console.log(`resumed: ${resumed} MB in ${seconds.toFixed(0)} s, with its digest; the service had ${peak} MB at most`);
  await service.stop();
}

await rm(folder, { recursive: true, force: true });
await mkdir(dataDir, { recursive: true });
const postgres = await Postgres.start(dist, join(folder, 'postgres'));
const start = () =>
  Service.start({ name: 'service', dist, databaseUrl: postgres.url, dataDir, variables: { FILE_LIMIT: '5gb' } });
console.log(`${cpus().length} processors, load ${(loadavg()[0] ?? 0).toFixed(1)}, ${megabytes} MB, ${rounds} rounds`);
try {
  if (rounds > 0) {
    await makeFile(source, megabytes);
    const service = await start();
    await beside(service).finally(() => service.stop());
    await rm(source);
  }
  if (resumed > 0) await resume(start);
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
