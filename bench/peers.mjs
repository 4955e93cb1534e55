/** The service beside other programs: the same questions on the same PostgreSQL, each program in a database of its own. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './child.mjs';
import { asSystem, logged, underLoad } from './compare.mjs';
import { fillSource } from './dataset.mjs';
import { directus } from './peers/directus.mjs';
import { call } from './peers/peer.mjs';
import { parseServer } from './peers/parse-server.mjs';
import { strapi } from './peers/strapi.mjs';
import { residentMegabytes } from './process-stats.mjs';
import { COUNTRIES, DIFFERENT_REQUESTS, PAGE, POPULATION, positions, workloadsOf } from './workloads.mjs';

/** @type {Record<string, import('./peers/peer.mjs').Program>} */
const PROGRAMS = { 'parse-server': parseServer, directus, strapi };

/** How many times faster the service is to be: than Parse Server, than the others. */
const TARGETS = new Map([
  ['W1', { 'parse-server': 5, others: 25 }],
  ['W7', { 'parse-server': 8, others: 8 }],
]);

/** Answers that are checked. */
const SAMPLES = 5;

/**
 * @typedef {import('./load.mjs').LoadRequest} LoadRequest
 * @typedef {import('./cities.mjs').City} City
 * @typedef {import('./peers/peer.mjs').Question} Question
 * @typedef {{ name: string, least: number | undefined, figure: import('./measure.mjs').Figure }} PeerFigure
 * @typedef {{ id: string, title: string, figures: PeerFigure[] }} PeerRow the service first
 * @typedef {{ measured: PeerRow[], memory: { name: string, loaded: number | undefined }[] }} PeersReport
 */

/** Only one of the programs groups units for an ordinary user. */
const NOT_OF_PEERS = new Set(['A1']);

/** @type {Record<string, Question>} */
const QUESTIONS = {
  W2: { country: 'US', order: { by: 'population', descending: true } },
  W3: {},
  W7: { text: 'san' },
  W8: { above: POPULATION, countries: COUNTRIES, order: { by: 'name', descending: false } },
};

class Peer {
  /**
   * @param {string} id
   * @param {import('./peers/peer.mjs').Program} program
   * @param {import('./peers/peer.mjs').Started} started
   * @param {pg.Client} client of its database
   * @param {import('./dataset.mjs').Dataset} dataset
   */
  constructor(id, program, { child, url, headers }, client, dataset) {
    this.id = id;
    this.program = program;
    this.name = program.name;
    this.child = child;
    this.url = url;
    this.headers = headers;
    this.client = client;
    this.dataset = dataset;
  }

  /**
   * Starts the program with a new database, and fills its table of cities.
   * @param {import('./run.mjs').Run} run
   * @param {string} id
   * @param {import('./dataset.mjs').Dataset} dataset
   * @param {import('./postgres.mjs').Postgres} postgres
   */
  static async start(run, id, dataset, postgres) {
    const program = PROGRAMS[id];
    const folder = join(run.folder, id);
    await mkdir(folder);
    const databaseUrl = await postgres.createDatabase(id.replace('-', '_'));
    const started = await program.start({ databaseUrl, port: await freePort(), folder });
    run.stopAtEnd(started.child);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    run.stopAtEnd({ stop: () => client.end() });
    const peer = new Peer(id, program, started, client, dataset);
    await peer.#fill();
    return peer;
  }

  async #fill() {
    const { tables, fillStatement } = this.program;
    await fillSource(this.client, this.dataset.cities.distinct);
    await this.client.query(fillStatement(tables.city));
    for (const table of Object.values(tables)) {
      await this.client.query(['CREATE INDEX ON', table, '(country, population)'].join(' '));
    }
    await this.client.query(['VACUUM ANALYZE', tables.city].join(' '));
  }

  /** Makes the written kind a copy of the read one, so that every measurement starts with the same table. */
  async reset() {
    const { tables, sequence } = this.program;
    await this.client.query(['TRUNCATE', tables.place].join(' '));
    await this.client.query(['INSERT INTO', tables.place, 'SELECT * FROM', tables.city].join(' '));
    await this.client.query(['VACUUM ANALYZE', tables.place].join(' '));
    if (sequence !== undefined) {
      const next = `SELECT setval(pg_get_serial_sequence($1, $2), $3)`;
      await this.client.query(next, [tables.place, sequence, this.dataset.cities.length]);
    }
    await this.dataset.postgres.client.query('CHECKPOINT');
  }

  /** The requests of a workload. @param {string} id @returns {LoadRequest[]} */
  requestsOf(id) {
    const { program, dataset } = this;
    const { cities } = dataset;
    const question = QUESTIONS[id];
    if (question) return [program.list(question)];
    const chosen = positions(cities.length, DIFFERENT_REQUESTS);
    switch (id) {
      case 'W1':
        return chosen.map((at) => program.get('city', at));
      case 'W4':
        return chosen.map((at) => program.create(cities.at(at)));
      case 'W5':
        return editedPositions(cities).map(({ at, population }) => program.edit(at, population));
      case 'W6':
        return [program.signIn()];
      default:
        throw new Error(`${this.name} has no requests of workload ${id}`);
    }
  }

  /** Sends some requests of a workload. @throws if an answer is wrong @param {string} id */
  async check(id) {
    const { program, dataset } = this;
    const { cities } = dataset;
    const chosen = positions(cities.length, DIFFERENT_REQUESTS);
    for (const [at, request] of this.requestsOf(id).slice(0, SAMPLES).entries()) {
      const answer = await this.#send(request, this.headersOf(id));
      const what = `${this.name}, ${id}`;
      if (id in QUESTIONS) {
        checkPage(what, program.pageOf(answer), QUESTIONS[id], cities);
      } else if (id === 'W1') {
        checkUnit(what, program.unitOf(answer), cities.at(chosen[at]));
      } else if (id === 'W4') {
        checkUnit(what, program.unitOf(await this.#send(program.created(answer))), cities.at(chosen[at]));
      } else if (id === 'W5') {
        const { at: index, population } = editedPositions(cities)[at];
        const unit = program.unitOf(await this.#send(program.get('place', index)));
        checkUnit(what, unit, { ...cities.at(index), population });
      }
    }
  }

  /** A sign-in is sent without a token. @param {string} id */
  headersOf(id) {
    if (id !== 'W6') return this.headers;
    return Object.fromEntries(Object.entries(this.headers).filter(([name]) => name !== 'authorization'));
  }

  /** @param {LoadRequest} request @param {Record<string, string>} [headers] */
  #send({ method, path, body }, headers = this.headers) {
    return call(method, this.url + path, headers, body === undefined ? undefined : JSON.parse(body));
  }
}

/** @param {import('./cities.mjs').Cities} cities */
function editedPositions(cities) {
  return positions(cities.length, DIFFERENT_REQUESTS).map((at, turn) => ({
    at,
    population: cities.at(at).population + turn,
  }));
}

/**
 * @param {string} what
 * @param {any} unit
 * @param {City} expected
 */
function checkUnit(what, unit, expected) {
  for (const [field, value] of Object.entries(expected)) {
    const found = unit[field] ?? null;
    // Some store single precision, and some return large integers as strings.
    const isNear = typeof value === 'number' && Math.abs(Number(found) - value) < 1e-4;
    assert.ok(found === value || isNear, `${what}: ${field}: ${found} instead of ${value}`);
  }
}

/**
 * @param {string} what
 * @param {{ count: number, items: any[] }} page
 * @param {Question} question
 * @param {import('./cities.mjs').Cities} cities
 */
function checkPage(what, { count, items }, { country, text, above, countries = [], order }, cities) {
  const { found, count: expected } = cities.matching(
    (city) =>
      (country === undefined || city.country === country) &&
      (text === undefined || city.name.toLowerCase().includes(text)) &&
      (above === undefined || (city.population > above && countries.includes(city.country))),
  );
  assert.equal(count, expected, `${what}: count`);
  assert.equal(items.length, Math.min(PAGE, expected), `${what}: items`);
  if (order === undefined) return;
  const values = found.map(({ city }) => (order.by === 'name' ? city.name : city.population));
  const sorted = values.sort((a, b) =>
    typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b),
  );
  const first = (order.descending ? sorted.reverse() : sorted).slice(0, PAGE);
  assert.deepEqual(
    items.map((item) => (order.by === 'name' ? item.name : Number(item.population))),
    first,
    what,
  );
}

/**
 * @param {import('./run.mjs').Run} run
 * @param {import('./service.mjs').Service} service
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./postgres.mjs').Postgres} postgres
 * @returns {Promise<PeersReport>}
 */
export async function comparePeers(run, service, dataset, postgres) {
  if (dataset.cities.length > dataset.cities.distinct.length) throw new Error('--peers: wants a --scale below 139k');
  const peers = [];
  for (const id of run.options.peers) {
    const started = performance.now();
    peers.push(await Peer.start(run, id, dataset, postgres));
    run.log(`${PROGRAMS[id].name} runs, with its data, after ${Math.round((performance.now() - started) / 1000)} s`);
  }
  const measured = [];
  const workloads = [...workloadsOf(dataset), signIn(service)].sort((a, b) => a.id.localeCompare(b.id));
  for (const workload of workloads.filter(({ id }) => run.wants(id) && !NOT_OF_PEERS.has(id))) {
    measured.push(await comparePeersBy(run, workload, service, peers, dataset, postgres));
  }
  const memory = [];
  for (const { name, child } of [service, ...peers]) memory.push({ name, loaded: await residentMegabytes(child.pid) });
  return { measured, memory };
}

/**
 * @param {import('./run.mjs').Run} run
 * @param {Pick<import('./workloads.mjs').Workload, 'id' | 'title' | 'writes' | 'requests'>} workload
 * @param {import('./service.mjs').Service} service
 * @param {readonly Peer[]} peers
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./postgres.mjs').Postgres} postgres
 * @returns {Promise<PeerRow>}
 */
async function comparePeersBy(run, { id, title, writes, requests }, service, peers, dataset, postgres) {
  /** Undoes what a workload writes. */
  const prepare = async () => {
    if (!writes) return;
    await dataset.reset();
    for (const peer of peers) await peer.reset();
  };
  await prepare();
  for (const peer of peers) await peer.check(id);
  const loaded = [
    { ...asSystem(service), requests },
    ...peers.map((peer) => ({
      ...{ name: peer.name, url: peer.url, headers: peer.headersOf(id), child: peer.child },
      requests: peer
        .requestsOf(id)
        .map((request) => ({ ...request, path: new URL(peer.url).pathname.replace(/\/$/, '') + request.path })),
    })),
  ];
  const figures = await underLoad(run, loaded, postgres, prepare);
  logged(run, { id, title, target: undefined, unit: 'requests', figures });
  const targets = TARGETS.get(id);
  return {
    ...{ id, title },
    figures: figures.map((figure, at) => ({
      name: figure.name,
      least: at === 0 ? undefined : peers[at - 1].id === 'parse-server' ? targets?.['parse-server'] : targets?.others,
      figure,
    })),
  };
}

/** @param {import('./service.mjs').Service} service */
function signIn({ credentials }) {
  const request = { method: 'POST', path: '/api/lib/auth/signin', body: JSON.stringify(credentials) };
  return { id: 'W6', title: 'sign in', writes: false, requests: [request] };
}
