/**
 * Files of all cities: I1 imports them as CSV, X1 exports them, beside COPY of PostgreSQL with the same columns, to and
 * from the same table with the same constraints and indexes.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import pg from 'pg';
import { inTurn, withCpu } from './measure.mjs';
import { waitUntilQuiet } from './quiet.mjs';
import { asSystem, logged } from './compare.mjs';

const COLUMNS = ['name', 'alt_name', 'country', 'feature_code', 'admin_code', 'population', 'latitude', 'longitude'];
/** Characters of a part of a file. */
const PART = 64 * 1024;

/**
 * @typedef {import('./run.mjs').Run} Run
 * @typedef {import('./dataset.mjs').Dataset} Dataset
 * @typedef {import('./postgres.mjs').Postgres} Postgres
 * @typedef {import('./systems.mjs').System} System
 * @typedef {{ name: string, child: { pid: number }, url: string, headers: Record<string, string>, bare?: true }} Party
 */

/** @param {unknown} value */
export function cell(value) {
  const text = value === null || value === undefined ? '' : String(value);
  return value === '' || /["\r\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The lines of a file in parts.
 * @param {readonly string[]} lines
 */
export function partsOf(lines) {
  const parts = [];
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < PART) continue;
    parts.push(Buffer.from(text));
    text = '';
  }
  return [...parts, Buffer.from(text)];
}

/** A query of COPY, for a client of `pg`. */
class Copy {
  /** @param {string} text @param {readonly Buffer[]} parts to send @param {(error?: Error) => void} settled */
  constructor(text, parts, settled) {
    this.text = text;
    this.parts = parts;
    this.settled = settled;
    this.rows = 0;
    this.bytes = 0;
  }

  /** @param {any} connection */
  submit(connection) {
    connection.query(this.text);
  }

  /** @param {any} connection */
  async handleCopyInResponse(connection) {
    for (const part of this.parts) {
      connection.sendCopyFromChunk(part);
      if (connection.stream.writableNeedDrain) await new Promise((resolve) => connection.stream.once('drain', resolve));
    }
    connection.endCopyFrom();
  }

  /** @param {{ chunk: Buffer }} message */
  handleCopyData({ chunk }) {
    this.bytes += chunk.length;
  }

  /** @param {{ text: string }} message */
  handleCommandComplete({ text }) {
    this.rows = Number(text.split(' ')[1]);
  }

  handleReadyForQuery() {
    this.settled();
  }

  /** @param {Error} error */
  handleError(error) {
    this.settled(error);
  }
}

/** @param {string} url @param {string} text @param {readonly Buffer[]} [parts] @returns {Promise<number>} rows */
async function copy(url, text, parts = []) {
  return withClient(url, (client) => copyBy(client, text, parts));
}

/** @template T @param {string} url @param {(client: pg.Client) => Promise<T>} work */
export async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param {pg.Client} client @param {string} text @param {readonly Buffer[]} parts @returns {Promise<number>} rows */
export function copyBy(client, text, parts) {
  return new Promise((resolve, reject) => {
    /** @type {Copy} */
    const query = new Copy(text, parts, (error) => (error ? reject(error) : resolve(query.rows)));
    client.query(/** @type {any} */ (query));
  });
}

/**
 * @param {Party} party
 * @param {string} path
 * @param {readonly Buffer[]} [parts]
 * @returns {Promise<{ lines: number, text: string }>}
 */
export function request({ url, headers }, path, parts) {
  return new Promise((resolve, reject) => {
    const sent = http.request(url + path, {
      method: parts ? 'POST' : 'GET',
      headers: { ...headers, ...(parts && { 'content-type': 'text/csv' }) },
    });
    sent.on('error', reject).on('response', (response) => {
      let lines = 0;
      let text = '';
      response.on('data', (/** @type {Buffer} */ bytes) => {
        for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
        if (parts) text += bytes.toString();
      });
      response.on('error', reject).on('end', () => {
        if (response.statusCode === 200) resolve({ lines, text });
        else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`));
      });
    });
    void sendAll(sent, parts ?? []);
  });
}

/** @param {http.ClientRequest} sent @param {readonly Buffer[]} parts */
async function sendAll(sent, parts) {
  for (const part of parts) {
    if (!sent.write(part)) await new Promise((resolve) => sent.once('drain', resolve));
  }
  sent.end();
}

/**
 * @param {Run} run
 * @param {Dataset} dataset
 * @param {readonly System[]} services
 * @param {Postgres} postgres
 */
export async function compareTransfers(run, dataset, services, postgres) {
  /** @type {Party[]} */
  const parties = [
    { name: 'COPY', child: { pid: process.pid }, url: postgres.url, headers: {}, bare: true },
    ...services.map((service) => asSystem(service)),
  ];
  const measured = [];
  for (const [id, work] of /** @type {const} */ ([
    ['I1', importing],
    ['X1', exporting],
  ])) {
    if (!run.wants(id)) continue;
    const { title, target, prepare, turn } = work(dataset, postgres);
    const figures = await inTurn(parties, run.options.rounds, async (party) => {
      await prepare();
      await waitUntilQuiet(run.options.quiet);
      const whole = async () => {
        const started = performance.now();
        const count = await turn(party);
        return { count, seconds: (performance.now() - started) / 1000 };
      };
      return withCpu(party, postgres, whole);
    });
    measured.push(logged(run, { id, title, target, unit: 'rows', figures }));
  }
  return measured;
}

/** @param {Dataset} dataset @param {Postgres} postgres */
function importing(dataset, postgres) {
  const { place, schema, cities } = dataset;
  /** @type {string[]} */
  const lines = [];
  /** @type {string[]} */
  const withIds = [];
  for (let at = 0; at < cities.length; at += 1) {
    const [city] = cities.slice(at, at + 1);
    const line = COLUMNS.map((name) => cell(/** @type {any} */ (city)[name])).join(',');
    lines.push(`${line}\n`);
    withIds.push(`${dataset.idOf(at)},${line},{},2026-01-01T00:00:00Z,2026-01-01T00:00:00Z\n`);
  }
  const file = partsOf([`${COLUMNS.join(',')}\n`, ...lines]);
  const copied = partsOf(withIds);
  const all = ['id', ...COLUMNS, 'metadata', 'inserted_at', 'updated_at'];
  return {
    title: 'import all cities, CSV',
    target: 0.5,
    prepare: () => dataset.reset(true),
    /** @param {Party} party */
    turn: async (party) => {
      if (party.bare)
        return copy(postgres.url, `COPY "${schema}"."${place}" (${all.join()}) FROM STDIN (FORMAT csv)`, copied);
      const { content } = JSON.parse((await request(party, `/api/lib/${place}/import`, file)).text);
      assert.equal(content.created, cities.length);
      return content.created;
    },
  };
}

/** @param {Dataset} dataset @param {Postgres} postgres */
function exporting({ city, schema, cities }, postgres) {
  const order = [...COLUMNS].join();
  return {
    title: 'export all cities, CSV',
    target: 0.6,
    prepare: async () => {},
    /** @param {Party} party */
    turn: async (party) => {
      if (party.bare)
        return copy(
          postgres.url,
          `COPY (SELECT id, ${order} FROM "${schema}"."${city}" ORDER BY id) TO STDOUT (FORMAT csv, HEADER)`,
        );
      const { lines } = await request(party, `/api/lib/${city}/export?include=id,${order}`);
      assert.equal(lines, cities.length + 1);
      return lines - 1;
    },
  };
}
