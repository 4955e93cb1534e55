/**
 * The practical limit: `node:http` and `pg`, nothing else. It answers the requests of the workloads, and no others, as
 * the service does: it verifies the token of each request, runs one named prepared statement, and returns PostgreSQL's
 * JSON. It does not check access, validate input, or use a model.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import pg from 'pg';
import { statement } from './bare-sql.mjs';

const { DATABASE_URL, JWT_SECRET = '', POOL, PORT, KEEP_TOKENS, PROCESSES } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL) });
const key = createSecretKey(Buffer.from(JWT_SECRET));

/** Tokens that were verified, with the end of their life; used where KEEP_TOKENS is set. @type {Map<string, number>} */
const verified = new Map();

/**
 * Verifies an HS256 token of a project.
 * @param {string} token
 * @param {unknown} project
 */
function isValidToken(token, project) {
  const now = Date.now() / 1000;
  if (KEEP_TOKENS && (verified.get(token) ?? 0) > now) return true;
  const [header = '', payload = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', key).update(`${header}.${payload}`).digest();
  const received = Buffer.from(signature, 'base64url');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return false;
  if (JSON.parse(Buffer.from(header, 'base64url').toString()).alg !== 'HS256') return false;
  const { exp, aud, typ } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (exp <= now || aud !== project || typ !== 'access') return false;
  if (KEEP_TOKENS) verified.set(token, exp);
  return true;
}

const COLUMNS = ['name', 'alt_name', 'country', 'feature_code', 'admin_code', 'population', 'latitude', 'longitude'];

/** @type {Map<string, { name: string, text: string }>} */
const statements = new Map();

/**
 * @param {Parameters<typeof statement>[0]} name
 * @param {string} schema
 * @param {string} kind
 * @param {unknown[]} values
 */
async function run(name, schema, kind, values) {
  const id = `${schema}.${kind}.${name}`;
  let known = statements.get(id);
  if (!known) statements.set(id, (known = statement(name, schema, kind)));
  const { rows } = await pool.query({ name: known.name, text: known.text, values });
  return rows[0];
}

const PATH = /^\/api\/lib\/(\w+)\/(?:unit|aggregate)(?:\/([\w-]+)|\?(.*))?$/;

/**
 * The lists and aggregations of the workloads: a pattern for the query, the statement, its values.
 * @type {[RegExp, Parameters<typeof statement>[0], (found: string[]) => unknown[]][]}
 */
const LISTS = [
  [/^filter=exists\(town\.land,gt\(inhabitants,(\d+)\)\)&include=code&limit=50$/, 'exists', ([least]) => [least]],
  [/^include=\[code,towns:count_related.*&limit=50$/, 'countRelated', () => []],
  [/^include=\[code,largest:related.*&limit=50$/, 'related', () => []],
  [/^search=(\w+)\+(\w+)&limit=50$/, 'search', (words) => [words.join(' ')]],
  [/^filter=eq\(country,(\w+)\)&order=population;desc&limit=50$/, 'listByCountry', ([country]) => [country]],
  [/^load_links=count&include=id&count=none&limit=100$/, 'countLinks', () => []],
  [/^limit=50$/, 'listAll', () => []],
  [/^group=country&select=\[count\(\),sum\(population\),avg\(population\)\]&limit=1000$/, 'groupByCountry', () => []],
  [/^filter=icontains\(name,(\w+)\)&limit=50$/, 'listContains', ([text]) => [`%${text}%`]],
  [
    /^filter=and\(gt\(population,(\d+)\),in\(country,([\w,]+)\)\)&order=name;asc&limit=50$/,
    'listLarge',
    ([population, countries = '']) => [population, countries.split(',')],
  ],
];

/**
 * The traversals of the workloads: a pattern for the path, the statement, its values after the id of the first unit.
 * @type {[RegExp, Parameters<typeof statement>[0]][]}
 */
const LINKS = [
  [/^\/api\/lib\/(\w+)\/unit\/([\w-]+)\/link\/child$/, 'neighbours'],
  [/^\/api\/lib\/(\w+)\/unit\/([\w-]+)\/link\/child\?depth=(\d+)$/, 'walk'],
  [/^\/api\/lib\/(\w+)\/unit\/([\w-]+)\/link\/(\w+)\/(\w+)\/unit\/([\w-]+)$/, 'link'],
];

/** The path of a request that creates many links. */
const MANY_LINKS = /^\/api\/lib\/(\w+)\/unit\/([\w-]+)\/link\/(\w+)\/child$/;

/** The content of the answer to a traversal; undefined for other requests. @param {string} url @param {string} schema */
async function linksOf(url, schema) {
  for (const [pattern, name] of LINKS) {
    const [, kind = '', ...values] = pattern.exec(url) ?? [];
    if (kind === '') continue;
    const { count, items, body } = await run(name, schema, kind, values);
    return name === 'link' ? body : `{"count":${count},"items":${items ?? '[]'}}`;
  }
  return undefined;
}

/** @param {import('node:http').IncomingMessage} request @returns {Promise<string>} */
function textOf(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

/**
 * The content of the answer, as JSON text.
 * @param {import('node:http').IncomingMessage} request
 * @param {string} schema
 */
async function contentOf(request, schema) {
  const linked = await linksOf(request.url ?? '', schema);
  if (linked !== undefined) return linked;
  const [, linkedKind = '', ...link] = MANY_LINKS.exec(request.url ?? '') ?? [];
  if (linkedKind !== '') {
    const { count, items } = await run('linkMany', schema, linkedKind, [...link, await textOf(request)]);
    return `{"count":${count},"items":${items ?? '[]'}}`;
  }
  const [, kind = '', id, query = ''] = PATH.exec(request.url ?? '') ?? [];
  if (request.method === 'GET') {
    if (id !== undefined) return (await run('get', schema, kind, [id])).body;
    for (const [pattern, name, valuesOf] of LISTS) {
      const match = pattern.exec(query);
      if (!match) continue;
      const { count, items } = await run(name, schema, kind, valuesOf(match.slice(1)));
      return `{"count":${count},"items":${items ?? '[]'}}`;
    }
    throw new Error(`no such list: ${query}`);
  }
  const text = await textOf(request);
  if (text.startsWith('[')) {
    const many = query.startsWith('on_conflict=update') ? 'upsertMany' : 'createMany';
    const { count, items } = await run(many, schema, kind, [text]);
    return `{"count":${count},"items":${items ?? '[]'}}`;
  }
  const body = JSON.parse(text);
  if (request.method === 'PUT') return (await run('edit', schema, kind, [id, body.population])).body;
  const values = COLUMNS.map((column) => body[column]);
  return (await run('create', schema, kind, values)).body;
}

const server = createServer((request, response) => {
  const project = request.headers['kind-project-key'];
  const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
  if (!isValidToken(token, project)) {
    response.writeHead(401).end();
    return;
  }
  contentOf(request, `project_${String(project)}`).then(
    (content) => {
      const text = `{"content":${content},"messages":[]}`;
      response.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
      });
      response.end(text);
    },
    (error) => {
      console.error(error);
      response.writeHead(500).end();
    },
  );
});

if (cluster.isPrimary && Number(PROCESSES) > 1) {
  for (let each = 0; each < Number(PROCESSES); each += 1) cluster.fork();
} else {
  server.listen(Number(PORT), '127.0.0.1');
}
process.on('SIGTERM', () => process.exit(0));
