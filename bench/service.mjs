/** The service as its own process, and calls of its REST API. */
import { join } from 'node:path';
import { Child, freePort } from './child.mjs';
import { POOL } from './postgres.mjs';
import { flagsToCount } from './request-counts.mjs';

const PROJECT = 'demo';
const USERNAME = 'admin';
const PASSWORD = 'bench password 1';

/** The secret of all systems, so that a token is valid for all. */
export const SECRET = 'a secret of the benchmark, of at least thirty-two characters';

export class Service {
  /**
   * @param {string} name
   * @param {Child} child
   * @param {string} url
   */
  constructor(name, child, url) {
    this.name = name;
    this.child = child;
    this.url = url;
    this.project = PROJECT;
    this.token = '';
    this.credentials = { username: USERNAME, password: PASSWORD };
  }

  get headers() {
    return { authorization: `Bearer ${this.token}`, 'kind-project-key': PROJECT, 'content-type': 'application/json' };
  }

  /**
   * @param {{ name: string, dist: string, databaseUrl: string, dataDir: string, profile?: string | undefined,
   *   processes?: number, counts?: string, variables?: Record<string, string> }} options counts: a folder for the numbers of
   *   requests of its processes; variables: more of its environment
   */
  static async start({ name, dist, databaseUrl, dataDir, profile, processes = 1, counts, variables = {} }) {
    const flags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${profile}`];
    const port = await freePort();
    const child = new Child([process.execPath, ...flags, ...flagsToCount(counts), join(dist, 'main.js')], {
      cwd: dataDir,
      env: {
        ...environment(dataDir, port),
        DATABASE_URL: databaseUrl,
        DATABASE_POOL: String(POOL),
        WORKERS: String(processes),
        COUNTS: counts ?? '',
        ...variables,
      },
    });
    const service = new Service(name, child, `http://127.0.0.1:${port}`);
    await child.ready(`${service.url}/health/ready`);
    const session = await service.call('POST', '/auth/signin', service.credentials);
    service.token = session.access_token;
    return service;
  }

  /**
   * Calls the API and returns the content.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   */
  async call(method, path, body) {
    const { authorization, ...anonymous } = this.headers;
    const response = await fetch(`${this.url}/api/lib${path}`, {
      method,
      headers: this.token === '' ? anonymous : { ...anonymous, authorization },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text).content;
  }

  stop() {
    return this.child.stop();
  }
}

/**
 * The environment of a service: only the variables that processes need.
 * @param {string} dataDir
 * @param {number} port
 */
export function environment(dataDir, port) {
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    HOST: '127.0.0.1',
    PORT: String(port),
    SHUTDOWN_IDLE: '0s',
    DATA_DIR: dataDir,
    JWT_SECRET: SECRET,
    ACCESS_TOKEN_TTL: '6h',
    AUTH_RATE_LIMIT: 'off',
    BOOTSTRAP_PROJECT: PROJECT,
    BOOTSTRAP_ADMIN_USERNAME: USERNAME,
    BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
  };
}
