/** Parse Server: classes, filled with SQL, and a user with a session. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, PASSWORD, POOL, startPeer } from './peer.mjs';
import { install } from './install.mjs';

/** Batches fail with newer routers. */
const PACKAGES = { dependencies: { 'parse-server': '9.10.0' }, overrides: { router: '2.2.0' } };

const APP = 'bench';
const MASTER_KEY = 'the master key of the bench';
const CLASSES = { city: 'City', place: 'Place' };

const FIELDS = {
  ...{ name: 'String', alt_name: 'String', country: 'String', feature_code: 'String', admin_code: 'String' },
  ...{ population: 'Number', latitude: 'Number', longitude: 'Number' },
};
const OPERATIONS = ['find', 'get', 'count', 'create', 'update', 'delete', 'addField'];

/** @param {number} index */
const idOf = (index) => `c${String(index).padStart(9, '0')}`;

/** @type {import('./peer.mjs').Program} */
export const parseServer = {
  name: 'Parse Server 9.10.0',

  async start({ databaseUrl, port, folder }) {
    const modules = await install('parse-server', PACKAGES);
    const url = `http://127.0.0.1:${port}/parse`;
    const config = join(folder, 'config.json');
    const settings = {
      ...{ appId: APP, masterKey: MASTER_KEY, serverURL: url, mountPath: '/parse', host: '127.0.0.1', port },
      databaseURI: databaseUrl,
      // It does not read the folder of the socket from the URL.
      databaseOptions: { host: new URL(databaseUrl).searchParams.get('host') ?? '127.0.0.1', max: POOL },
      ...{ silent: true, logsFolder: null },
    };
    await writeFile(config, JSON.stringify(settings));
    const command = [process.execPath, join(modules, 'node_modules/parse-server/bin/parse-server'), config];
    const child = await startPeer(command, `${url}/health`, { cwd: folder });
    const headers = { 'x-parse-application-id': APP, 'content-type': 'application/json' };
    const master = { ...headers, 'x-parse-master-key': MASTER_KEY };
    const classLevelPermissions = Object.fromEntries(
      OPERATIONS.map((name) => [name, { requiresAuthentication: true }]),
    );
    const fields = Object.fromEntries(Object.entries(FIELDS).map(([name, type]) => [name, { type }]));
    for (const className of Object.values(CLASSES)) {
      const body = { className, fields, classLevelPermissions };
      await call('POST', `${url}/schemas/${className}`, master, body);
    }
    const user = { username: 'reader', password: PASSWORD };
    const { sessionToken } = await call('POST', `${url}/users`, headers, user);
    return { child, url, headers: { ...headers, 'x-parse-session-token': sessionToken } };
  },

  tables: { city: 'public."City"', place: 'public."Place"' },

  fillStatement: (table) => `INSERT INTO ${table} ("objectId", "createdAt", "updatedAt", "_rperm", "_wperm",
      name, alt_name, country, feature_code, admin_code, population, latitude, longitude)
    SELECT 'c' || lpad(at::text, 9, '0'), now(), now(), NULL, NULL,
      name, alt_name, country, feature_code, admin_code, population, latitude, longitude
    FROM source ORDER BY at`,

  get: (kind, index) => ({ method: 'GET', path: `/classes/${CLASSES[kind]}/${idOf(index)}` }),

  list({ country, text, above, countries, order }) {
    const where = {
      ...(country !== undefined && { country }),
      ...(text !== undefined && { name: { $regex: text, $options: 'i' } }),
      ...(above !== undefined && { population: { $gt: above }, country: { $in: countries } }),
    };
    const query = new URLSearchParams({ limit: '50', count: '1' });
    if (Object.keys(where).length > 0) query.set('where', JSON.stringify(where));
    if (order !== undefined) query.set('order', `${order.descending ? '-' : ''}${order.by}`);
    return { method: 'GET', path: `/classes/City?${query}` };
  },

  create: (city) => ({ method: 'POST', path: '/classes/Place', body: JSON.stringify(city) }),

  edit: (index, population) => ({
    method: 'PUT',
    path: `/classes/Place/${idOf(index)}`,
    body: JSON.stringify({ population }),
  }),

  signIn: () => ({
    method: 'POST',
    path: '/login',
    body: JSON.stringify({ username: 'reader', password: PASSWORD }),
  }),

  pageOf: ({ count, results }) => ({ count, items: results }),
  unitOf: (answer) => answer,
  created: ({ objectId }) => ({ method: 'GET', path: `/classes/Place/${objectId}` }),
};
