/** Strapi: content types of an application that is written here, filled with SQL, and a user with a token. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { install } from './install.mjs';
import { call, PASSWORD, POOL, startPeer } from './peer.mjs';

const VERSION = '5.54.0';
const PACKAGES = {
  dependencies: {
    '@strapi/strapi': VERSION,
    '@strapi/plugin-users-permissions': VERSION,
    pg: '8.23.1',
    react: '18',
    'react-dom': '18',
    'react-router-dom': '6',
    'styled-components': '6',
  },
};
const USER = { username: 'reader', email: 'reader@example.com', password: PASSWORD };
const PLURALS = { city: 'cities', place: 'places' };

const STRINGS = ['name', 'alt_name', 'country', 'feature_code', 'admin_code'];
const ATTRIBUTES = {
  ...Object.fromEntries(STRINGS.map((name) => [name, { type: 'string' }])),
  population: { type: 'integer' },
  latitude: { type: 'float' },
  longitude: { type: 'float' },
};

/** @param {number} index */
const idOf = (index) => `c${String(index).padStart(23, '0')}`;

/** @type {import('./peer.mjs').Program} */
export const strapi = {
  name: `Strapi ${VERSION}`,

  async start({ databaseUrl, port, folder }) {
    const modules = await install('strapi', PACKAGES);
    await writeApplication(folder, databaseUrl, port);
    await symlink(join(modules, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      NODE_ENV: 'production',
      STRAPI_TELEMETRY_DISABLED: 'true',
    };
    const url = `http://127.0.0.1:${port}`;
    const command = [process.execPath, join(folder, 'start.js')];
    const child = await startPeer(command, `${url}/_health`, { cwd: folder, env });
    const json = { 'content-type': 'application/json' };
    const { jwt } = await call('POST', `${url}/api/auth/local/register`, json, USER);
    return { child, url: `${url}/api`, headers: { ...json, authorization: `Bearer ${jwt}` } };
  },

  tables: { city: 'public.cities', place: 'public.places' },

  fillStatement: (table) => `INSERT INTO ${table} (id, document_id, created_at, updated_at, published_at,
      name, alt_name, country, feature_code, admin_code, population, latitude, longitude)
    SELECT at + 1, 'c' || lpad(at::text, 23, '0'), now(), now(), now(),
      name, alt_name, country, feature_code, admin_code, population, latitude, longitude
    FROM source ORDER BY at`,

  sequence: 'id',

  get: (kind, index) => ({ method: 'GET', path: `/${PLURALS[kind]}/${idOf(index)}` }),

  list({ country, text, above, countries = [], order }) {
    const query = new URLSearchParams({ 'pagination[pageSize]': '50' });
    if (country !== undefined) query.set('filters[country][$eq]', country);
    if (text !== undefined) query.set('filters[name][$containsi]', text);
    if (above !== undefined) query.set('filters[population][$gt]', String(above));
    for (const [at, each] of countries.entries()) query.set(`filters[country][$in][${at}]`, each);
    if (order !== undefined) query.set('sort', `${order.by}:${order.descending ? 'desc' : 'asc'}`);
    return { method: 'GET', path: `/cities?${query}` };
  },

  create: (city) => ({ method: 'POST', path: '/places', body: JSON.stringify({ data: city }) }),

  edit: (index, population) => ({
    method: 'PUT',
    path: `/places/${idOf(index)}`,
    body: JSON.stringify({ data: { population } }),
  }),

  signIn: () => ({
    method: 'POST',
    path: '/auth/local',
    body: JSON.stringify({ identifier: USER.username, password: PASSWORD }),
  }),

  pageOf: ({ data, meta }) => ({ count: meta.pagination.total, items: data }),
  unitOf: ({ data }) => data,
  created: ({ data }) => ({ method: 'GET', path: `/places/${data.documentId}` }),
};

/**
 * The files of an application with two content types that signed-in users may use.
 * @param {string} folder
 * @param {string} databaseUrl
 * @param {number} port
 */
async function writeApplication(folder, databaseUrl, port) {
  const secret = 'a secret of the benchmark';
  /** @param {unknown} value */
  const module = (value) => `module.exports = ${JSON.stringify(value)};\n`;
  const connection = { connection: { connectionString: databaseUrl }, pool: { min: 0, max: POOL } };
  const limits = { ratelimit: { enabled: false }, jwtSecret: secret, jwt: { expiresIn: '6h' } };
  const middlewares = [
    'logger',
    'errors',
    'security',
    'cors',
    'poweredBy',
    'query',
    'body',
    'session',
    'favicon',
    'public',
  ];
  /** @type {Record<string, string>} */
  const files = {
    'package.json': JSON.stringify({ name: 'bench', version: '0.0.0', private: true, ...PACKAGES }),
    'start.js': `const { createStrapi } = require('@strapi/strapi');
createStrapi({ appDir: __dirname, distDir: __dirname, autoReload: false, serveAdminPanel: false }).start();\n`,
    'config/database.js': module({ connection: { client: 'postgres', ...connection } }),
    'config/server.js': module({
      host: '127.0.0.1',
      port,
      app: { keys: [secret] },
      logger: { config: { level: 'error' } },
    }),
    'config/admin.js': module({
      ...{ serveAdminPanel: false, apiToken: { salt: secret }, transfer: { token: { salt: secret } } },
      auth: { secret },
      secrets: { encryptionKey: secret.padEnd(32).slice(0, 32) },
    }),
    'config/middlewares.js': module(middlewares.map((name) => `strapi::${name}`)),
    'config/plugins.js': module({ 'users-permissions': { config: limits } }),
    'src/index.js': `module.exports = { async bootstrap({ strapi }) {
  const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'authenticated' } });
  for (const kind of ${JSON.stringify(Object.keys(PLURALS))}) {
    for (const action of ['find', 'findOne', 'create', 'update']) {
      const data = { action: \`api::\${kind}.\${kind}.\${action}\`, role: role.id };
      await strapi.db.query('plugin::users-permissions.permission').create({ data });
    }
  }
} };\n`,
  };
  for (const [kind, plural] of Object.entries(PLURALS)) {
    const schema = {
      ...{ kind: 'collectionType', collectionName: plural },
      info: { singularName: kind, pluralName: plural, displayName: kind },
      ...{ options: { draftAndPublish: false }, pluginOptions: {}, attributes: ATTRIBUTES },
    };
    files[`src/api/${kind}/content-types/${kind}/schema.json`] = JSON.stringify(schema);
    for (const part of ['Controller', 'Router', 'Service']) {
      const name = part === 'Router' ? 'routes' : `${part.toLowerCase()}s`;
      const text = `module.exports = require('@strapi/strapi').factories.createCore${part}('api::${kind}.${kind}');\n`;
      files[`src/api/${kind}/${name}/${kind}.js`] = text;
    }
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(join(folder, 'public', 'uploads'), { recursive: true });
}
