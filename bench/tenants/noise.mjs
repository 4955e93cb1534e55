/** A project that imports, filters badly, walks and calls functions as hard as it can. */
import { once, setMaxListeners } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { call } from './projects.mjs';

const UNITS = 20_000;
const UNITS_AT_ONCE = 1000;
const IMPORTED = 5000;

const FUNCTIONS = `import { kind } from 'kind';
const noise = kind('noise');
export default noise.module({
  functions: {
    work: noise.function({
      description: 'Computes for some milliseconds, and reads',
      methods: ['GET'],
      access: 'anyone',
      async run({ units }) {
        let sum = 0;
        for (let at = 0; at < 2e6; at += 1) sum += at % 7;
        await units('noise').list({ limit: 100 });
        return { sum };
      },
    }),
  },
});
`;

/** Writes the functions of the noisy project. @param {string} folder @param {string} project */
export async function writeFunctions(folder, project) {
  await mkdir(join(folder, project), { recursive: true });
  await writeFile(join(folder, project, 'noise.ts'), FUNCTIONS);
}

/**
 * Units without an index on their text, and links between them.
 * @param {string} url
 * @param {import('./projects.mjs').Tenant} tenant
 */
export async function makeNoisyKinds(url, tenant) {
  const parameters = [
    { id: 'text', kind_id: 'text' },
    { id: 'number', kind_id: 'integer' },
  ];
  await call(url, 'POST', '/kind/unit', tenant, { id: 'noise', public: true, parameters });
  // A kind of their own, so that filters look at as many units in the last round as in the first.
  await call(url, 'POST', '/kind/unit', tenant, { id: 'imported', parameters });
  /** @type {string[]} */
  const ids = [];
  for (let at = 0; at < UNITS; at += UNITS_AT_ONCE) {
    const units = Array.from({ length: UNITS_AT_ONCE }, (_, n) => ({
      text: 'some text '.repeat(20) + (at + n),
      number: n,
    }));
    const { items } = await call(url, 'POST', '/noise/unit', tenant, units);
    ids.push(...items.map((/** @type {{ id: string }} */ { id }) => id));
  }
  for (let at = 0; at < 200; at += 1) {
    const items = [1, 7, 31].map((step) => ({ kind_id: 'noise', id: ids[(at * 3 + step) % ids.length] }));
    await call(url, 'POST', `/noise/unit/${ids[at]}/link/link/child`, tenant, { items });
  }
  return ids;
}

/** Sorts that a project has in everyday work. */
export const EVERYDAY_SORTS = ['import', 'filter', 'walk', 'call'];
export const SORTS = ['body', ...EVERYDAY_SORTS];

/**
 * Runs each sort of noise on so many connections until the signal aborts. Returns the numbers of answers by sort and status.
 * @param {string} url
 * @param {import('./projects.mjs').Tenant} tenant
 * @param {readonly string[]} ids
 * @param {readonly string[]} names the sorts of noise
 * @param {number} each
 * @param {AbortSignal} signal
 */
export async function makeNoise(url, tenant, ids, names, each, signal) {
  // Bytes that are made once: what the sender itself costs is taken from the same processors.
  const csv = Buffer.from(
    `text,number\n${Array.from({ length: IMPORTED }, (_, n) => `${'imported text '.repeat(10)}${n},${n}`).join('\n')}\n`,
  );
  // Read and validated, and not stored: work for Node alone.
  const unit = { text: 'a text of a body '.repeat(500), number: 1 };
  const refused = Buffer.from(
    JSON.stringify([...Array.from({ length: UNITS_AT_ONCE - 1 }, () => unit), { number: 'none' }]),
  );
  const agent = new Agent({ keepAlive: true });
  // Each connection has a request that listens.
  setMaxListeners(0, signal);
  const headers = { 'kind-project-key': tenant.id, authorization: `Bearer ${tenant.token}` };
  /** @param {string} method @param {string} path from the kind @param {string} [type] @param {Buffer} [body] */
  const send = (method, path, type, body) =>
    statusOf(
      request(`${url}/api/lib${path}`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': type, 'content-length': body.length }) },
        agent,
        signal,
      }).end(body),
    );
  const sorts = {
    import: () => send('POST', '/imported/import?format=csv', 'text/csv', csv),
    body: () => send('POST', '/noise/unit', 'application/json', refused),
    filter: () => send('GET', '/noise/unit?filter=icontains(text,xyz)&order=text&limit=1000'),
    walk: () => send('GET', `/noise/unit/${ids[0]}/link/child?depth=10`),
    call: () => send('GET', '/noise/function/work'),
  };
  /** @type {Record<string, number>} */
  const answers = {};
  const chosen = Object.entries(sorts).filter(([name]) => names.includes(name));
  const work = chosen.flatMap(([name, send]) =>
    Array.from({ length: each }, async () => {
      while (!signal.aborted) {
        try {
          const key = `${name} ${await send()}`;
          answers[key] = (answers[key] ?? 0) + 1;
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }
    }),
  );
  await Promise.all(work);
  agent.destroy();
  return answers;
}

/** The status of an answer, whose body is thrown away. @param {import('node:http').ClientRequest} sent */
async function statusOf(sent) {
  const [response] = /** @type {[import('node:http').IncomingMessage]} */ (await once(sent, 'response'));
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

/** Like the filter and the import of `makeNoise`, for PostgreSQL alone. Other tables, so that no service is needed. */
const STATEMENTS = {
  'bare filter': `SELECT * FROM bare_noise WHERE text ILIKE '%xyz%' ORDER BY text LIMIT 1000`,
  'bare import': `INSERT INTO bare_imported SELECT gen_random_uuid(), repeat('imported text ', 10) || n, n FROM generate_series(1, ${IMPORTED}) AS n`,
};
export const BARE_SORTS = /** @type {(keyof typeof STATEMENTS)[]} */ (Object.keys(STATEMENTS));

/** @param {pg.Client} client */
export async function makeBareNoise(client) {
  await client.query('DROP TABLE IF EXISTS bare_noise, bare_imported');
  await client.query('CREATE TABLE bare_noise (id uuid PRIMARY KEY, text text, number int)');
  await client.query('CREATE TABLE bare_imported (LIKE bare_noise INCLUDING ALL)');
  await client.query(
    `INSERT INTO bare_noise SELECT gen_random_uuid(), repeat('some text ', 20) || n, n FROM generate_series(1, $1::int) AS n`,
    [UNITS],
  );
}

/**
 * Sends a statement to PostgreSQL on so many connections until the signal aborts: what a neighbour notices of it is the
 * least that it can notice of the same work through the service.
 * @param {string} databaseUrl
 * @param {readonly string[]} names
 * @param {number} each of each sort
 * @param {AbortSignal} signal
 */
export async function sendBareNoise(databaseUrl, names, each, signal) {
  /** @type {Record<string, number>} */
  const sent = {};
  const chosen = Object.entries(STATEMENTS).filter(([name]) => names.includes(name));
  const work = chosen.flatMap(([name, statement]) =>
    Array.from({ length: each }, async () => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      for (; !signal.aborted; sent[name] = (sent[name] ?? 0) + 1) await client.query(statement);
      await client.end();
    }),
  );
  await Promise.all(work);
  return sent;
}
