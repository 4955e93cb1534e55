/** Graphs of linked units, written with SQL: a tree, random links, and a hub. They are also kept here, for checks. */
import { setTimeout } from 'node:timers/promises';

const LEVELS = 5;
const CHILDREN = 10;
const NODES = 100_000;
const LINKS = 1_000_000;
/** Units around the hub. */
const AROUND = 1_000;
const CHUNK = 100_000;

/** The link type of the links that a workload creates. */
export const MADE = 'made';

const PARAMETERS = [
  { id: 'label', kind_id: 'string' },
  { id: 'number', kind_id: 'integer' },
];

/** The id of the unit with a number. @param {number} number */
export function idOf(number) {
  return `0190f3c0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

const ID = "'0190f3c0-0000-7000-8000-' || lpad(to_hex(NUMBER), 12, '0')";
const INSERT_UNITS = `INSERT INTO UNITS ("id", "label", "number", "metadata", "inserted_at", "updated_at")
  SELECT (${ID.replace('NUMBER', 'i')})::uuid, 'Unit ' || i, i, '{}', now(), now()
  FROM generate_series(0, $1::int) AS i`;
const INSERT_LINKS = `INSERT INTO LINKS ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at")
  SELECT $1, ${ID.replace('NUMBER', 'a')}, $1, ${ID.replace('NUMBER', 'b')}, 'link', now()
  FROM unnest($2::int[], $3::int[]) AS pairs(a, b)`;

/** A statement for the tables of a schema. @param {string} text @param {string} schema @param {string} [kind] */
function sqlOf(text, schema, kind = '') {
  return text.replaceAll('LINKS', `"${schema}"."_link"`).replaceAll('UNITS', `"${schema}"."${kind}"`);
}

/** Random numbers from 0 to 1, the same in every run. @param {number} seed */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Links as the numbers of parents and children, in two lists. @typedef {{ from: number[], to: number[] }} Links */

/** @returns {Links} */
function tree() {
  const units = (CHILDREN ** (LEVELS + 1) - 1) / (CHILDREN - 1);
  const to = Array.from({ length: units - 1 }, (_, at) => at + 1);
  return { from: to.map((child) => Math.floor((child - 1) / CHILDREN)), to };
}

/** Without duplicates, and without links from a unit to itself. @returns {Links} */
function randomLinks() {
  const random = randomFrom(1);
  /** @type {Set<number>} */
  const known = new Set();
  while (known.size < LINKS) {
    const [from, to] = [Math.floor(random() * NODES), Math.floor(random() * NODES)];
    if (from !== to) known.add(from * NODES + to);
  }
  const pairs = [...known];
  return { from: pairs.map((pair) => Math.floor(pair / NODES)), to: pairs.map((pair) => pair % NODES) };
}

/** One unit with many children. @returns {Links} */
function hub() {
  const to = Array.from({ length: AROUND }, (_, at) => at + 1);
  return { from: to.map(() => 0), to };
}

export class Graph {
  /** @type {number[][]} */
  #children;
  #links;

  /**
   * @param {string} kind
   * @param {number} units
   * @param {Links} links
   */
  constructor(kind, units, links) {
    this.kind = kind;
    this.units = units;
    this.#links = links;
    this.#children = Array.from({ length: units }, () => []);
    for (const [at, parent] of links.from.entries()) this.#children[parent].push(links.to[at]);
  }

  /** The number of units within some steps of one. @param {number} start @param {number} steps */
  within(start, steps) {
    const seen = new Set([start]);
    let frontier = [start];
    for (let step = 0; step < steps; step += 1) {
      frontier = frontier.flatMap((unit) =>
        this.#children[unit].filter((child) => !seen.has(child) && seen.add(child)),
      );
    }
    return seen.size - 1;
  }

  /** @param {import('pg').Client} client @param {string} schema */
  async fill(client, schema) {
    const { from, to } = this.#links;
    await client.query(sqlOf(INSERT_UNITS, schema, this.kind), [this.units - 1]);
    for (let at = 0; at < from.length; at += CHUNK) {
      const chunk = [from, to].map((numbers) => numbers.slice(at, at + CHUNK));
      await client.query(sqlOf(INSERT_LINKS, schema), [this.kind, ...chunk]);
    }
    await client.query(sqlOf('VACUUM ANALYZE UNITS', schema, this.kind));
  }
}

export class Graphs {
  /** @param {import('pg').Client} client @param {string} schema */
  constructor(client, schema) {
    this.client = client;
    this.schema = schema;
    const branches = tree();
    this.tree = new Graph('branch', branches.to.length + 1, branches);
    this.random = new Graph('stop', NODES, randomLinks());
    this.hub = new Graph('spoke', AROUND + 1, hub());
  }

  get #all() {
    return [this.tree, this.random, this.hub];
  }

  /** @param {import('./service.mjs').Service} service */
  async fill(service) {
    // Making the graphs takes seconds, in which the service may have closed the idle connection of this process.
    await setTimeout(10);
    for (const [at, { kind }] of this.#all.entries()) {
      const parameters = at === 0 ? PARAMETERS : PARAMETERS.map(({ id }) => id);
      await service.call('POST', '/kind/unit', { id: kind, label: kind, parameters });
    }
    await service.call('POST', '/link/unit', { id: MADE });
    for (const graph of this.#all) await graph.fill(this.client, this.schema);
    await this.reset();
  }

  /** Deletes the links that a workload created. */
  async reset() {
    await this.client.query(sqlOf('DELETE FROM LINKS WHERE "link_id" = $1', this.schema), [MADE]);
    await this.client.query(sqlOf('VACUUM ANALYZE LINKS', this.schema));
    await this.client.query('CHECKPOINT');
  }
}
