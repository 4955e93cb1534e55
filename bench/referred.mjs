/**
 * Compares the statements that look up what refers to files: `node bench/referred.mjs`, after `npm run build`. One file, a
 * page and a count are read by a rule `referred()`, each in three forms, and by requests to the service. Figures of such a
 * run are in README.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Postgres } from './postgres.mjs';
import { Service } from './service.mjs';
import { call, signIn, withProvisioning } from './tenants/projects.mjs';

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '200000' },
    kinds: { type: 'string', default: '3,20,50' },
    units: { type: 'string', default: '4000' },
    seconds: { type: 'string', default: '60' },
  },
});
const PROJECT = 'referred';
const [files, units, seconds] = [options.files, options.units, options.seconds].map(Number);
const READABLE = "(u.state = 'published' OR u.author = 'me')";
const OWN = 't.owner = gen_random_uuid()';
/** Of each kind. */
const [EXISTS, RELATED, KEYS] = [
  `EXISTS (SELECT FROM k:at AS u WHERE u.to:at = t.id AND :readable)`,
  `SELECT FROM k:at AS u WHERE u.to:at = t.id AND :readable`,
  `SELECT u.to:at FROM k:at AS u WHERE u.to:at IS NOT NULL AND :readable`,
];
/** With the texts of all kinds. */
const FORMS = [
  { form: 'or exists', of: EXISTS, between: ' OR ', condition: `(:own OR :all)` },
  { form: 'exists(union)', of: RELATED, between: ' UNION ALL ', condition: `(:own OR EXISTS (:all))` },
  {
    ...{ form: 'in (union)', of: KEYS, between: ' UNION ALL ' },
    condition: `t.id IN (SELECT t.id FROM file AS t WHERE :own UNION ALL :all)`,
  },
];
const USES = {
  one: `SELECT * FROM file AS t WHERE t.id = (SELECT id FROM file LIMIT 1 OFFSET 1000) AND :condition`,
  page: `SELECT * FROM file AS t WHERE :condition ORDER BY t.id LIMIT 100`,
  count: `SELECT count(*) FROM file AS t WHERE :condition`,
};

const dist = resolve(import.meta.dirname, '../dist');
const folder = await mkdtemp(join(tmpdir(), 'kind-referred-'));
const postgres = await Postgres.start(dist, folder);
const service = await Service.start({ name: 'kind', dist, databaseUrl: postgres.url, dataDir: folder });
const { url } = service;
/** @typedef {{ id: string, token: string }} Caller */

try {
  await postgres.client.query(`SELECT set_config('statement_timeout', $1, false)`, [`${seconds}s`]);
  await withProvisioning(dist, postgres.url, folder, ({ create }) => create(PROJECT));
  const admin = await signIn(url, PROJECT);
  await call(url, 'POST', '/kind/unit', admin, { id: 'person' });
  await call(url, 'POST', '/group/unit/kind_auth_member/link/group/kind/unit/person', admin);
  const member = await signUp();
  const { rows } = await postgres.client.query(
    `SELECT table_schema FROM information_schema.tables WHERE table_name = 'file' AND table_schema LIKE '%referred%'`,
  );
  await postgres.client.query(`SELECT set_config('search_path', $1, false)`, [rows[0].table_schema]);
  await run(
    `INSERT INTO file (id, name, media_type, bytes, sha256, object, metadata, inserted_at, updated_at)
     SELECT gen_random_uuid(), 'f' || n, 'image/png', 1, 'x', 'o' || n, '{}', now(), now()
     FROM generate_series(1, :files) AS n`,
    { files },
  );
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, ${files} files, ${units} units of each kind`);
  let made = 0;
  for (const kinds of options.kinds.split(',').map(Number)) {
    for (; made < kinds; made += 1) await makeKind(admin, made);
    await run(`ANALYZE`);
    await compare(kinds);
    await compareService(kinds, { admin, member });
  }
} finally {
  await service.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/**
 * A kind of which a member may read half of the units.
 * @param {Caller} admin
 * @param {number} at
 */
async function makeKind(admin, at) {
  const own = ['state', 'author'].map((id) => (at === 0 ? { id, kind_id: 'string' } : id));
  await call(url, 'POST', '/kind/unit', admin, {
    id: `k${at}`,
    access: { read: ['eq(state,published)', 'eq(author,@member.id)'] },
    parameters: [{ id: `to${at}`, kind_id: 'unit', reference_kind: 'file' }, ...own],
  });
  await run(
    `INSERT INTO k:at (id, to:at, state, metadata, inserted_at, updated_at)
     SELECT gen_random_uuid(), f.id, CASE WHEN random() < 0.5 THEN 'published' ELSE 'draft' END, '{}', now(), now()
     FROM (SELECT id FROM file ORDER BY random() LIMIT :units) AS f`,
    { at, units },
  );
}

/** The three forms of the condition, in three uses. @param {number} kinds */
async function compare(kinds) {
  for (const [use, statement] of Object.entries(USES)) {
    const times = [];
    for (const { form, of, between, condition } of FORMS) {
      const each = Array.from({ length: kinds }, (_, at) => filled(of, { at, readable: READABLE }));
      const parts = { condition: filled(condition, { own: OWN, all: each.join(between) }) };
      times.push(`${form} ${await timed(() => run(statement, parts))}`);
    }
    print(`${kinds} kinds, ${use}: ${times.join(', ')}`);
  }
}

/**
 * What callers are answered.
 * @param {number} kinds
 * @param {{ admin: Caller, member: Caller }} callers
 */
async function compareService(kinds, { admin, member }) {
  const { rows } = await postgres.client.query(
    `SELECT f.id FROM file AS f JOIN k0 ON to0 = f.id WHERE state = 'published' LIMIT 1`,
  );
  /** @type {Record<string, [Caller, string]>} */
  const asked = {
    one: [member, `/file/unit/${rows[0].id}`],
    'page by member': [member, '/file/unit?count=none'],
    'page and count by member': [member, '/file/unit'],
    'page of one kind': [member, '/file/unit?filter=referred(k0)'],
    'unused, by administrator': [admin, '/file/unit?filter=not(referred())&limit=100'],
  };
  for (const [name, [caller, path]] of Object.entries(asked)) {
    print(`${kinds} kinds, the service, ${name}: ${await timed(() => call(url, 'GET', path, caller))}`);
  }
}

async function signUp() {
  const credentials = { username: 'p', password: 'bench password 1', email: 'p@example.com' };
  const person = { username: 'p', password: credentials.password, kind_system_user: credentials };
  const session = await call(url, 'POST', '/auth/person/signup', { id: PROJECT }, person);
  return { id: PROJECT, token: session.access_token };
}

/** Milliseconds of the best of three, or that it took too long. @param {() => Promise<unknown>} work */
async function timed(work) {
  let best = Infinity;
  let note = '';
  for (let round = 0; round < 3; round += 1) {
    const begun = performance.now();
    await work().catch(({ message }) => (note = ` (${message.slice(0, 80)})`));
    best = Math.min(best, performance.now() - begun);
    if (best > 5000) break;
  }
  return `${best < 10 ? best.toFixed(1) : Math.round(best)} ms${note}`;
}

/**
 * @param {string} text
 * @param {Record<string, string | number>} [values] in place of `:name`
 */
async function run(text, values = {}) {
  await postgres.client.query(filled(text, values));
}

/** @param {string} text @param {Record<string, string | number>} values */
function filled(text, values) {
  return text.replaceAll(/(?<!:):([a-z]+)/g, (all, name) => String(values[name] ?? all));
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
