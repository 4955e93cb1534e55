/** Directus: collections, filled with SQL, used with the token of its administrator. It needs Node 22. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install, installNode22 } from './install.mjs';
import { call, PASSWORD, POOL, startPeer } from './peer.mjs';

const run = promisify(execFile);

const PACKAGES = { dependencies: { directus: '12.4.0' } };
const EMAIL = 'admin@example.com';

const STRINGS = ['name', 'alt_name', 'country', 'feature_code', 'admin_code'];
const FIELDS = [
  { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } },
  ...STRINGS.map((field) => ({ field, type: 'string', schema: {} })),
  { field: 'population', type: 'bigInteger', schema: {} },
  { field: 'latitude', type: 'float', schema: {} },
  { field: 'longitude', type: 'float', schema: {} },
  { field: 'date_created', type: 'timestamp', meta: { special: ['date-created'] }, schema: {} },
  { field: 'date_updated', type: 'timestamp', meta: { special: ['date-updated'] }, schema: {} },
];

/** @type {import('./peer.mjs').Program} */
export const directus = {
  name: 'Directus 12.4.0',

  async start({ databaseUrl, port, folder }) {
    const node = await installNode22();
    const modules = await install('directus', PACKAGES, node);
    const env = {
      ...{ PATH: process.env.PATH ?? '', HOME: folder, HOST: '127.0.0.1', PORT: String(port) },
      ...{ NODE_ENV: 'production', LOG_LEVEL: 'error', TELEMETRY: 'false', SECRET: 'a secret of the benchmark' },
      ...{ ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: PASSWORD, ACCESS_TOKEN_TTL: '6h', LOGIN_STALL_TIME: '0' },
      ...{ RATE_LIMITER_ENABLED: 'false', PRESSURE_LIMITER_ENABLED: 'false', LOGIN_ATTEMPT_LIMIT: 'false' },
      ...{ DB_CLIENT: 'pg', DB_CONNECTION_STRING: databaseUrl, DB_POOL__MIN: '0', DB_POOL__MAX: String(POOL) },
      ...{ STORAGE_LOCAL_ROOT: join(folder, 'uploads'), EXTENSIONS_PATH: join(folder, 'extensions') },
    };
    // The program itself first looks for updates.
    const cli = `import(${JSON.stringify(join(modules, 'node_modules/@directus/api/dist/cli/run.js'))})`;
    /** @param {string} command */
    const commandOf = (command) => [node.program, '--eval', cli, '--', 'directus', command];
    const [program = '', ...args] = commandOf('bootstrap');
    await run(program, args, { cwd: folder, env });
    const url = `http://127.0.0.1:${port}`;
    const child = await startPeer(commandOf('start'), `${url}/server/ping`, { cwd: folder, env });
    const json = { 'content-type': 'application/json' };
    const { data } = await call('POST', `${url}/auth/login`, json, { email: EMAIL, password: PASSWORD });
    const headers = { ...json, authorization: `Bearer ${data.access_token}` };
    for (const collection of ['city', 'place']) {
      await call('POST', `${url}/collections`, headers, { collection, schema: {}, meta: {}, fields: FIELDS });
    }
    return { child, url, headers };
  },

  tables: { city: 'public.city', place: 'public.place' },

  fillStatement: (table) => `INSERT INTO ${table} (id, name, alt_name, country, feature_code, admin_code, population,
      latitude, longitude, date_created)
    SELECT at + 1, name, alt_name, country, feature_code, admin_code, population, latitude, longitude, now()
    FROM source ORDER BY at`,

  sequence: 'id',

  get: (kind, index) => ({ method: 'GET', path: `/items/${kind}/${index + 1}` }),

  list({ country, text, above, countries, order }) {
    const filter = {
      ...(country !== undefined && { country: { _eq: country } }),
      ...(text !== undefined && { name: { _icontains: text } }),
      ...(above !== undefined && { _and: [{ population: { _gt: above } }, { country: { _in: countries } }] }),
    };
    const filtered = Object.keys(filter).length > 0;
    const query = new URLSearchParams({ limit: '50', meta: filtered ? 'filter_count' : 'total_count' });
    if (filtered) query.set('filter', JSON.stringify(filter));
    if (order !== undefined) query.set('sort', `${order.descending ? '-' : ''}${order.by}`);
    return { method: 'GET', path: `/items/city?${query}` };
  },

  create: (city) => ({ method: 'POST', path: '/items/place', body: JSON.stringify(city) }),

  edit: (index, population) => ({
    method: 'PATCH',
    path: `/items/place/${index + 1}`,
    body: JSON.stringify({ population }),
  }),

  signIn: () => ({
    method: 'POST',
    path: '/auth/login',
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  }),

  pageOf: ({ data, meta }) => ({ count: Number(meta.filter_count ?? meta.total_count), items: data }),
  unitOf: ({ data }) => data,
  created: ({ data }) => ({ method: 'GET', path: `/items/place/${data.id}` }),
};
