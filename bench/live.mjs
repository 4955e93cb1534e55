/**
 * Measures how soon live lists tell a change: `node bench/live.mjs`, after `npm run build`. Each list is that of a member
 * with a rule; each edit is in the lists of its owner, and every tenth in those of all members of its project. Figures of
 * such a run are in README.md.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Postgres } from './postgres.mjs';
import { cpuSecondsOfAll } from './process-stats.mjs';
import { Service } from './service.mjs';
import { call, inParallel, signIn, withProvisioning } from './tenants/projects.mjs';

const { values: options } = parseArgs({
  options: {
    projects: { type: 'string', default: '4' },
    lists: { type: 'string', default: '500' },
    edits: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
  },
});
/** Lists of a member: as many as one may have. */
const OF_MEMBER = 6;
const PASSWORD = 'bench password 1';
const number = (/** @type {keyof typeof options} */ name) => Number(options[name]);
const [projects, lists, edits, seconds] = [number('projects'), number('lists'), number('edits'), number('seconds')];
const dist = resolve(import.meta.dirname, '../dist');
const folder = await mkdtemp(join(tmpdir(), 'kind-live-'));
const postgres = await Postgres.start(dist, folder);
const service = await Service.start({ name: 'kind', dist, databaseUrl: postgres.url, dataDir: folder });
const { url } = service;
const listener = fork(join(import.meta.dirname, 'live-listener.mjs'));

let edited = 0;

/** @typedef {{ id: string, token: string }} Tenant
 * @typedef {{ admin: Tenant, members: Tenant[], units: string[] }} Project */

try {
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, ${projects} projects of ${lists} lists`);
  const ids = Array.from({ length: projects }, (_, at) => `live-${at}`);
  await withProvisioning(dist, postgres.url, folder, ({ create }) => inParallel(ids, 1, create));
  /** @type {Project[]} */
  const made = [];
  await inParallel(ids, 1, async (id) => void made.push(await makeProject(id)));
  listener.send({ url, callers: made.flatMap(listsOf) });
  await once(listener, 'message');
  await write(made, edits, 3);
  const before = await cpu();
  listener.send('count');
  const answered = await write(made, edits, seconds);
  const after = await cpu();
  await delay(1000);
  listener.send('tell');
  const [arrivals] = /** @type {[[number, number][]]} */ (await once(listener, 'message'));
  const delays = arrivals.flatMap(([edit, at]) => (answered.has(edit) ? [at - (answered.get(edit) ?? 0)] : []));
  delays.sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => Math.round(delays[Math.floor((delays.length - 1) * part)] ?? NaN);
  print(`${edits} edits a second, ${Math.round(delays.length / seconds)} events a second`);
  print(`milliseconds after the answer: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, longest ${at(1)}`);
  const used = (/** @type {'service' | 'database'} */ of) => ((after[of] - before[of]) / seconds).toFixed(2);
  print(`processors used by the service ${used('service')}, by PostgreSQL ${used('database')}`);
} finally {
  listener.kill();
  await service.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** @param {string} id @returns {Promise<Project>} */
async function makeProject(id) {
  const admin = await signIn(url, id);
  await call(url, 'POST', '/kind/unit', admin, { id: 'person' });
  await call(url, 'POST', '/group/unit/kind_auth_member/link/group/kind/unit/person', admin);
  await call(url, 'POST', '/kind/unit', admin, {
    id: 'task',
    changes: 'feed',
    access: { read: ['eq(owner,@member.id)', 'eq(shared,true)'] },
    parameters: [
      { id: 'owner', kind_id: 'string' },
      { id: 'shared', kind_id: 'boolean' },
      { id: 'n', kind_id: 'integer' },
    ],
  });
  const numbers = Array.from({ length: Math.ceil(lists / OF_MEMBER) }, (_, n) => n);
  /** @type {Tenant[]} */
  const members = [];
  /** @type {string[]} */
  const units = [];
  await inParallel(numbers, 4, async (n) => {
    const username = `p${n}`;
    const credentials = { username, password: PASSWORD, email: `${username}@example.com` };
    const person = { username, password: PASSWORD, kind_system_user: credentials };
    const session = await call(url, 'POST', '/auth/person/signup', { id }, person);
    members.push({ id, token: session.access_token });
    const [, claims = ''] = session.access_token.split('.');
    const owner = JSON.parse(Buffer.from(claims, 'base64url').toString()).sub;
    const unit = await call(url, 'POST', '/task/unit', admin, { owner, shared: n % 10 === 0, n: 0 });
    units.push(unit.id);
  });
  return { admin, members, units };
}

/** @param {Project} project */
function listsOf({ members }) {
  return Array.from({ length: lists }, (_, at) => members[Math.floor(at / OF_MEMBER)]);
}

/**
 * Edits units of all projects in turn. Returns when the answer to each edit came, by its number.
 * @param {Project[]} made
 * @param {number} perSecond
 * @param {number} length seconds
 */
async function write(made, perSecond, length) {
  /** @type {Map<number, number>} */
  const answered = new Map();
  const begin = performance.now();
  const all = Array.from({ length: perSecond * length }, async (_, at) => {
    await delay(begin + (at * 1000) / perSecond - performance.now());
    const { admin, units } = /** @type {Project} */ (made[at % made.length]);
    edited += 1;
    const n = edited;
    await call(url, 'PUT', `/task/unit/${units[Math.floor(at / made.length) % units.length]}`, admin, { n });
    answered.set(n, Date.now());
  });
  await Promise.all(all);
  return answered;
}

async function cpu() {
  return { service: (await cpuSecondsOfAll(service.child.pid)) ?? NaN, database: (await postgres.cpu()) ?? NaN };
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
