/** Ways to bound what the connections of a pool keep about tables: PostgreSQL alone, with the same statement for all. */
import pg from 'pg';
import { KINDS } from './projects.mjs';

const CONNECTIONS = 10;

/**
 * @typedef {{ name: string, tables: number, routed: boolean }} Way
 *   tables: a connection is replaced after so many; routed: each connection is used for its own projects only
 */

/** @type {readonly Way[]} */
export const WAYS = [
  { name: 'any connection, never replaced', tables: Infinity, routed: false },
  { name: 'any connection, replaced after 400 tables', tables: 400, routed: false },
  { name: 'any connection, replaced after 2,000 tables', tables: 2000, routed: false },
  { name: 'a connection for each tenth of the projects, never replaced', tables: Infinity, routed: true },
  { name: 'the same, replaced after 400 tables', tables: 400, routed: true },
];

/**
 * Statements a second, and the memory of the largest backend in MB.
 * @param {string} url
 * @param {readonly string[]} projects
 * @param {Way} way
 * @param {number} seconds
 * @param {(pid: number) => Promise<number>} memoryOf
 */
export async function measureWay(url, projects, way, seconds, memoryOf) {
  let [statements, replaced, largest] = [0, 0, 0];
  const end = performance.now() + seconds * 1000;
  const work = async (/** @type {number} */ connection) => {
    const own = way.routed ? projects.filter((_, at) => at % CONNECTIONS === connection) : projects;
    let client = await connect(url);
    const tables = new Set();
    while (performance.now() < end) {
      const project = own[Math.floor(Math.random() * own.length)];
      const kind = Math.floor(Math.random() * KINDS);
      const table = `"project_${project}"."thing${kind}"`;
      tables.add(table);
      const text = ['SELECT row_to_json(t) FROM', table, 'AS t WHERE "number" >= $1 ORDER BY "id" LIMIT 10'].join(' ');
      await client.query({ text, values: [1], name: `${project}.${kind}` });
      statements += 1;
      if (tables.size < way.tables) continue;
      largest = Math.max(largest, await memoryOf(pidOf(client)));
      await client.end();
      client = await connect(url);
      tables.clear();
      replaced += 1;
    }
    largest = Math.max(largest, await memoryOf(pidOf(client)));
    await client.end();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => work(at)));
  return { rate: statements / seconds, replaced, largest };
}

/** @param {string} url */
async function connect(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** @param {pg.Client} client @returns {number} */
function pidOf(client) {
  return /** @type {any} */ (client).processID;
}
