/** Thirty tenants for an hour: what a service uses must not grow with time. A round is a minute. */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CampaignFault, throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { checkRound, clearRound } from './check.js';
import type { Client } from './client.js';
import { done, kind } from './command.js';
import { Deployment } from './deployment.js';
import { Load, makeFixed, type Fixed } from './load.js';
import { Random } from './random.js';
import { ADMINISTRATOR } from './service-process.js';
import { MODEL } from './writes.js';

const TENANTS = 30;
const MINUTE = 60_000;
/** Milliseconds between two requests of a client: some hundred requests a second of all. */
const PAUSE = 250;
/** Of the rounds: what is used then is compared with what is used at the end. */
const WARM = 1 / 4;
/** How much may be used at the end beyond that. */
const GROWTH = { factor: 1.5, megabytes: 60, connections: 2 };

interface Tenant {
  readonly client: Client;
  readonly fixed: Fixed;
}

interface Used {
  /** Megabytes. */
  readonly node: number;
  readonly backends: number;
  readonly largestBackend: number;
  readonly connections: number;
  /** Megabytes of each table of the service's own in all tenants. */
  readonly tables: Readonly<Record<string, number>>;
}

async function run(options: CampaignOptions): Promise<Figures> {
  const deployment = await Deployment.start(options, { processes: 1 });
  try {
    const tenants = await makeTenants(deployment);
    const random = new Random(options.seed);
    const counts: Record<string, number> = {};
    let warm: Used | undefined;
    let last: Used | undefined;
    for (let round = 1; round <= options.rounds; round += 1) {
      await runRound(options, round, tenants, random, counts);
      last = await used(deployment);
      throwFaults(deployment.errors(), `round ${round}`);
      options.say(`round ${round}: ${JSON.stringify({ ...counts, ...last })}`);
      if (round >= Math.ceil(options.rounds * WARM)) warm ??= last;
    }
    if (!warm || !last) throw new Error('no round');
    throwFaults(grown(warm, last), `seed ${options.seed}`);
    return { ...counts, ...figures(warm, last) };
  } finally {
    await deployment.stop();
  }
}

async function makeTenants(deployment: Deployment): Promise<Tenant[]> {
  const ids = Array.from({ length: TENANTS }, (_, at) => `tenant${at}`);
  await done(kind(deployment.dataDir, 'project', 'create', ...ids, '--admin-password', ADMINISTRATOR.password));
  const tenants: Tenant[] = [];
  for (const id of ids) {
    const stranger = deployment.client().as({ 'kind-project-key': id });
    const { access_token: token } = (await stranger.ok({
      method: 'POST',
      path: '/auth/signin',
      body: ADMINISTRATOR,
    })) as {
      access_token: string;
    };
    const client = stranger.as({ authorization: `Bearer ${token}` });
    for (const sent of MODEL) await client.ok(sent);
    tenants.push({ client, fixed: await makeFixed(client) });
  }
  return tenants;
}

async function runRound(
  { pause: rest = PAUSE }: CampaignOptions,
  round: number,
  tenants: readonly Tenant[],
  random: Random,
  counts: Record<string, number>,
): Promise<void> {
  const end = performance.now() + MINUTE;
  const loads = tenants.map(({ client, fixed }) => {
    return new Load({
      clients: [client],
      round,
      random: random.branch(),
      mayVanish: false,
      keepAlive: true,
      fixed,
      pause: rest,
    });
  });
  for (const load of loads) await load.start();
  // The check is a part of the minute, as far as there is time.
  await pause(Math.max(0, end - performance.now()) * 0.8);
  await Promise.all(loads.map((load) => load.stop()));
  for (const [at, { client }] of tenants.entries()) {
    const load = loads[at];
    if (!load) throw new CampaignFault('no load');
    const checked = await checkRound(client, round, load.entries);
    throwFaults([...load.faults, ...checked.faults], `round ${round}, tenant${at}`);
    for (const [name, count] of Object.entries({ ...load.counts, stored: checked.stored })) {
      counts[name] = (counts[name] ?? 0) + count;
    }
    await clearRound(client, round);
  }
}

/** What the service and its database use now. */
async function used(deployment: Deployment): Promise<Used> {
  const connection = await deployment.connect();
  try {
    const { rows: backends } = await connection.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'kind%' AND pid <> pg_backend_pid()`,
    );
    const { rows: tables } = await connection.query<{ name: string; size: string }>(
      `SELECT c.relname AS name, sum(pg_total_relation_size(c.oid)) AS size
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname LIKE 'project\\_tenant%' AND c.relkind = 'r' AND c.relname LIKE '\\_%'
       GROUP BY 1 ORDER BY 1`,
    );
    const sizes = await Promise.all(backends.map(({ pid }) => megabytesOf(pid, 'RssAnon')));
    return {
      node: await megabytesOf(deployment.service.pid, 'VmRSS'),
      backends: sum(sizes),
      largestBackend: Math.max(0, ...sizes),
      connections: backends.length,
      tables: Object.fromEntries(tables.map(({ name, size }) => [name, Math.round(Number(size) / 1024 / 102.4) / 10])),
    };
  } finally {
    await connection.end();
  }
}

/** A value of /proc, in megabytes; 0 of a process that has ended. */
async function megabytesOf(pid: number, name: 'VmRSS' | 'RssAnon'): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

function grown(warm: Used, last: Used): string[] {
  const faults = (['node', 'backends', 'largestBackend'] as const)
    .filter((name) => last[name] > warm[name] * GROWTH.factor + GROWTH.megabytes)
    .map((name) => `${name}: ${warm[name]} MB became ${last[name]} MB`);
  if (last.connections <= warm.connections + GROWTH.connections) return faults;
  return [...faults, `${warm.connections} connections became ${last.connections}`];
}

function figures(warm: Used, last: Used): Figures {
  const then = (one: number | undefined, other: number) => `${one ?? 0}, at the end ${other}`;
  return {
    'MB of Node after a quarter': then(warm.node, last.node),
    'MB of the connections of PostgreSQL': then(warm.backends, last.backends),
    'MB of the largest, with its prepared statements': then(warm.largestBackend, last.largestBackend),
    connections: then(warm.connections, last.connections),
    ...Object.fromEntries(
      Object.entries(last.tables).map(([name, size]) => [`MB of ${name}`, then(warm.tables[name], size)]),
    ),
  };
}

export const soak: Campaign = {
  about: 'thirty tenants for an hour: memory, connections and bookkeeping tables (a round is a minute)',
  rounds: 60,
  run,
};
