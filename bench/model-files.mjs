/**
 * Measures plans and applies of a model file by the command line: `node bench/model-files.mjs --projects 1000 --kinds 200`, after
 * `npm run build`. The projects are empty, one service runs beside it that nobody uses, and a kind has ten parameters and a reference.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { median } from './measure.mjs';
import { Postgres } from './postgres.mjs';
import { environment, Service } from './service.mjs';
import { tenantId, withProvisioning } from './tenants/projects.mjs';

const PARAMETERS = 10;

const { values: options } = parseArgs({
  options: {
    projects: { type: 'string', default: '1000' },
    kinds: { type: 'string', default: '200' },
    dist: { type: 'string', default: 'dist' },
  },
});
const [projects, kinds] = [Number(options.projects), Number(options.kinds)];
const dist = resolve(import.meta.dirname, '..', options.dist);
const folder = await mkdtemp(join(tmpdir(), 'kind-model-files-'));
const postgres = await Postgres.start(dist, folder);
/** @type {Service | undefined} */
let service;
try {
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, PostgreSQL ${postgres.version}`);
  service = await Service.start({ name: 'kind', dist, databaseUrl: postgres.url, dataDir: folder });
  // One more than these is there: the project that the service has made.
  await withProvisioning(dist, postgres.url, folder, async ({ create }) => {
    for (let at = 1; at < projects; at += 1) await create(tenantId(at));
  });
  print(`${projects} empty projects; a file of ${kinds} kinds with ${PARAMETERS} parameters each`);
  const file = await write('model.yaml', fileOf(kinds));
  const changed = await write('changed.yaml', fileOf(kinds, { added: true }));
  await measure('plan of all kinds', 'plan', file, 'changes');
  await measure('apply of all kinds', 'apply', file, 'applied');
  await measure('plan of the same file', 'plan', file, 'equal');
  await measure('apply of the same file', 'apply', file, 'equal');
  await measure('plan of one more parameter', 'plan', changed, 'changes');
  await measure('apply of one more parameter', 'apply', changed, 'applied');
} finally {
  await service?.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** @param {string} name @param {string} content */
async function write(name, content) {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** A partial file, so that it can be applied to many. @param {number} count @param {{ added?: boolean }} [more] */
function fileOf(count, { added = false } = {}) {
  const lines = ['format: kind-model', 'version: 1', 'partial: true', 'kinds:'];
  for (let at = 0; at < count; at += 1) {
    lines.push(`  thing${at}:`, '    parameters:');
    const names = Array.from({ length: PARAMETERS }, (_, n) => `p${n}`);
    if (added && at === 0) names.push('one_more');
    for (const name of names) lines.push(`      ${name}: {type: string, own: true}`);
    if (at > 0) lines.push('      first: {type: unit, reference_kind: thing0, own: true}');
  }
  return `${lines.join('\n')}\n`;
}

/** @param {string} name @param {'plan' | 'apply'} command @param {string} file @param {string} state of every project afterwards */
async function measure(name, command, file, state) {
  const began = performance.now();
  const child = spawn(process.execPath, [join(dist, 'cli/main.js'), 'model', command, file, '--all', '--json'], {
    env: { ...environment(folder, 0), DATABASE_URL: postgres.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = (await text(child.stdout)).trim().split('\n');
  const outcomes = lines.slice(0, -1).map((line) => JSON.parse(line));
  if (outcomes.length !== projects || outcomes.some((outcome) => outcome.state !== state)) {
    throw new Error(`${name}: ${lines.find((line) => !line.includes(`"${state}"`)) ?? 'not all projects'}`);
  }
  const times = outcomes.map(({ ms }) => Number(ms));
  const span = `${median(times)} ms (${Math.min(...times)} to ${Math.max(...times)})`;
  print(
    `${name}: ${span} each, ${((performance.now() - began) / 1000).toFixed(1)} s in all, load ${loadavg()[0]?.toFixed(1)}`,
  );
}

/** @param {string} line */
function print(line) {
  console.log(line);
}
