/** Projects of twenty kinds, made with the classes of the service's build and its REST API. */
import { join } from 'node:path';
import { SECRET } from '../service.mjs';

export const KINDS = 20;
const USERNAME = 'admin';
const PASSWORD = 'bench password 1';

/**
 * @typedef {{ id: string, token: string }} Tenant
 *
 * @typedef {object} Commands what commands of the command line do
 * @property {(id: string) => Promise<void>} create
 * @property {(id: string) => Promise<void>} remove
 * @property {(id: string, folder: string) => Promise<void>} exportTo
 * @property {(id: string, folder: string) => Promise<void>} importFrom
 */

/** The id of the n-th project. @param {number} at */
export function tenantId(at) {
  return `tenant-${String(at).padStart(5, '0')}`;
}

/**
 * Calls `work` with the services of a build, as a command of the command line has them.
 * @template T
 * @param {string} dist
 * @param {string} databaseUrl
 * @param {string} dataDir
 * @param {(commands: Commands) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProvisioning(dist, databaseUrl, dataDir, work) {
  await import(join(dist, '../node_modules/reflect-metadata/Reflect.js'));
  /** @type {typeof import('../../src/cli/tools/services.js')} */
  const { withServices } = await import(join(dist, 'cli/tools/services.js'));
  /** @type {typeof import('../../src/config/config.js')} */
  const { loadConfig } = await import(join(dist, 'config/config.js'));
  /** @type {typeof import('../../src/catalog/project/provisioning.js')} */
  const { Provisioning } = await import(join(dist, 'catalog/project/provisioning.js'));
  /** @type {typeof import('../../src/auth/administrators.js')} */
  const { Administrators } = await import(join(dist, 'auth/administrators.js'));
  /** @type {typeof import('../../src/cli/transfer/project-folder.js')} */
  const { exportFolder, importFolder } = await import(join(dist, 'cli/transfer/project-folder.js'));
  const config = loadConfig({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, JWT_SECRET: SECRET }, dataDir);
  return withServices(config, async (context) => {
    const { app } = context;
    const provisioning = app.get(Provisioning);
    const administrators = app.get(Administrators);
    const admin = { username: USERNAME, email: 'admin@example.com', password: PASSWORD };
    const create = async (/** @type {string} */ id) => {
      await provisioning.create({ id }, administrators.creation(admin));
    };
    return work({
      create,
      remove: (id) => provisioning.delete(id),
      exportTo: async (id, folder) => void (await exportFolder(context, id, folder, false)),
      importFrom: async (id, folder) => void (await importFolder(context, id, folder, {})),
    });
  });
}

/**
 * @param {string} url
 * @param {string} method
 * @param {string} path
 * @param {{ id: string, token?: string }} tenant
 * @param {unknown} [body]
 */
export async function call(url, method, path, { id, token }, body) {
  const response = await fetch(`${url}/api/lib${path}`, {
    method,
    headers: {
      'kind-project-key': id,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text).content;
}

/** @param {string} url @param {string} id @returns {Promise<Tenant>} */
export async function signIn(url, id) {
  const session = await call(url, 'POST', '/auth/signin', { id }, { username: USERNAME, password: PASSWORD });
  return { id, token: session.access_token };
}

/** Defines the kinds of a project, each with a reference to the first, and ten units in each. @param {string} url @param {Tenant} tenant */
export async function defineKinds(url, tenant) {
  for (let kind = 0; kind < KINDS; kind += 1) {
    const reference = { id: `ref${kind}`, kind_id: 'unit', reference_kind: 'thing0' };
    await call(url, 'POST', '/kind/unit', tenant, {
      id: `thing${kind}`,
      public: true,
      parameters: [
        { id: 'name', kind_id: 'string', indexed: true },
        { id: 'number', kind_id: 'integer' },
        ...(kind > 0 ? [reference] : []),
      ],
    });
    const units = Array.from({ length: 10 }, (_, at) => ({ name: `name ${at}`, number: at }));
    await call(url, 'POST', `/thing${kind}/unit`, tenant, units);
  }
}

/**
 * Runs `work` for each item, so many at a time.
 * @template T
 * @param {readonly T[]} items
 * @param {number} concurrency
 * @param {(item: T) => Promise<void>} work
 */
export async function inParallel(items, concurrency, work) {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
